package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/state"
	"redline/web"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

// review is a server for plan 1 of a session, and a browser that has its page open.
type review struct {
	*agenttest.Session
	*web.Server
	t    *testing.T
	plan state.Plan
}

// files of the plan that tests review.
var files = map[string]string{
	"shop.go":  "package shop\n\nfunc Total(a, b int) int { return a + b }\n\nvar sum = Total(1, 2)\n",
	"notes.md": "# Notes\n\nNothing yet.\n",
}

// begin starts the review of a plan with two hunks in shop.go, a new file, and a command.
func begin(t *testing.T, change ...func(*web.Options)) *review {
	t.Helper()
	s := agenttest.New(t, files)
	s.Model.Stages(
		agenttest.Edit("shop.go", "func Total(", "func Add("), agenttest.Edit("shop.go", "= Total(1, 2)", "= Add(1, 2)"),
		agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."),
	)
	return serve(t, s, s.Plan("rename Total to Add"), change...)
}

func serve(t *testing.T, s *agenttest.Session, p state.Plan, change ...func(*web.Options)) *review {
	t.Helper()
	o := web.Options{Agent: s.Agent, Plan: p.Plan, Version: "test", Ranges: described}
	for _, f := range change {
		f(&o)
	}
	server, err := web.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return &review{Session: s, Server: server, t: t, plan: p}
}

// client keeps no connection.
var client = http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// described stands for the JSON of the state, whose ranges depend on the encoding of a client.
func described(p *state.Plan) any {
	statuses := m{}
	for _, f := range p.Files {
		statuses[f.Path] = f.Status
		for _, h := range f.Hunks {
			statuses[h.ID] = h.Status
		}
	}
	return m{"plan": p.Plan, "goal": p.Goal, "state": p.State, "revision": p.Revision, "hash": p.Hash, "statuses": statuses, "commands": p.Commands, "comments": p.Comments}
}

// request returns a request as the page sends it.
func (r *review) request(method, path string, body any) *http.Request {
	r.t.Helper()
	var text io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			r.t.Fatal(err)
		}
		text = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, strings.TrimSuffix(r.Address(), "/")+path, text)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Redline "+r.Token())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Content-Type", "application/json")
	if method != http.MethodGet {
		req.Header.Set("Origin", strings.TrimSuffix(r.Address(), "/"))
	}
	return req
}

// send sends a request over the network, and returns the status and the answer.
func (r *review) send(req *http.Request) (status int, answer string) {
	r.t.Helper()
	got, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return got.StatusCode, string(data)
}

// ask sends what the page sends, which must succeed, and reads the answer into to.
func (r *review) ask(method, path string, body, to any) {
	r.t.Helper()
	status, answer := r.send(r.request(method, path, body))
	if status != http.StatusOK {
		r.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if err := json.Unmarshal([]byte(answer), to); err != nil {
		r.t.Fatal(err)
	}
}

// refused sends what the page sends, which must be refused with a status and words.
func (r *review) refused(method, path string, body any, status int, words string) {
	r.t.Helper()
	got, answer := r.send(r.request(method, path, body))
	if got != status || !strings.Contains(answer, words) {
		r.t.Errorf("%s %s: %d %s, want %d and %s", method, path, got, answer, status, words)
	}
}

// m is an object of JSON.
type m = map[string]any

// choice returns a decision on the plan as it was shown.
func (r *review) choice(members m) m {
	c := m{"revision": r.plan.Revision, "hash": r.plan.Hash}
	for name, value := range members {
		c[name] = value
	}
	return c
}
