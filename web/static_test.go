package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/web"
)

func fileOf(s *agenttest.Session, p state.Plan) (string, error) {
	data, err := web.Page(s.Context(), web.Options{Agent: s.Agent, Plan: p.Plan, Version: "test", Ranges: described})
	return string(data), err
}

// The page of a plan as one file has all of it, runs only its own script, and leads nowhere.
func TestThePageAsAFile(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "</script><script>alert(1)</script><!-- \u202e"))
	page, err := fileOf(s, s.Plan("attack"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)<script type="application/json" id="redline-data">(.*?)</script>\n<script>(.*?)</script>`).FindStringSubmatch(page)
	if m == nil || strings.Count(page, "<script") != 2 || strings.Contains(page, "\u202e") {
		t.Fatal(page)
	}
	var data struct {
		Static bool
		View   web.View
		Plan   struct{ Hash string }
	}
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil || !data.Static || !strings.HasPrefix(data.Plan.Hash, "sha256:") {
		t.Errorf("%v %+v", err, data)
	}
	if got := rows(data.View.Files[0].Hunks[0]); got != "-one\n+</script><script>alert(1)</script><!-- ⟨U+202E⟩\n" {
		t.Error(got)
	}
	sum := sha256.Sum256([]byte(m[2]))
	if !strings.Contains(page, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") || strings.Contains(page, s.Dir) {
		t.Error(page)
	}
	if link := regexp.MustCompile(`(?:src|href)="[^"]{0,40}`).FindAllString(strings.Replace(page, m[2], "", 1), -1); slices.ContainsFunc(link, func(l string) bool { return !strings.HasPrefix(l, `href="data:image/svg+xml,`) }) {
		t.Error(link)
	}
}

// A file for others does not say where the files are on this machine, also not where a language server has found a problem.
func TestThePageAsAFileHasNoFolders(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	p := s.Plan("figures")
	v := s.Agent.Board.View(s.Agent.Board.Held(1))
	s.Must(s.Agent.Board.AddProblems(s.Context(), v, view.UnsavedTexts(s.Workspace).WithPlan(v), time.Now(), &plan.Problems{
		Added: []plan.Problem{{Path: "b.txt", Severity: plan.SeverityError, Message: "undefined: one"}},
	}))
	data, err := web.Page(s.Context(), web.Options{Agent: s.Agent, Plan: p.Plan, Version: "test", Ranges: func(p *state.Plan) any {
		return m{"plan": p.Plan, "problems": m{"added": []m{{"uri": p.Problems.Added[0].URI, "message": p.Problems.Added[0].Message}}}}
	}})
	s.Must(err)
	page := string(data)
	if !strings.Contains(page, "undefined: one") {
		t.Error("the page has not the problem")
	}
	for _, folder := range []string{"file://", s.Dir} {
		if strings.Contains(page, folder) {
			t.Errorf("the page has %s", folder)
		}
	}
}

// A file for others has what commands have printed only if the user says so, and without secrets.
func TestOutputsInAFile(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	p := s.Plan("figures")
	for _, outputs := range []bool{false, true} {
		data, err := web.Page(s.Context(), web.Options{Agent: s.Agent, Plan: p.Plan, Outputs: outputs, Ranges: func(p *state.Plan) any {
			return m{"plan": p.Plan, "commands": []m{{"id": "o2", "output": "compiled 3 files\nexport API_KEY=sk-ant-REDACTED\n"}, {"id": "o3"}}, "trials": []m{{"output": "9 passed"}}}
		}})
		s.Must(err)
		page := string(data)
		if strings.Contains(page, "compiled 3 files") != outputs || strings.Contains(page, "9 passed") != outputs ||
			strings.Contains(page, `"withoutOutputs":true`) == outputs || strings.Contains(page, "f8Ab3dE9") {
			t.Errorf("with outputs %t: %s", outputs, page[strings.Index(page, "redline-data"):][:1500])
		}
	}
}

// A file for others has no secret of a command line, wherever the plan quotes the line. The plan keeps it.
func TestNoSecretsOfCommandsInAFile(t *testing.T) {
	const line = "curl -u ada:hunter22 --token=tok-12345678 https://host.example/x"
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "--token=example-of-a-file"), agenttest.Command(line))
	p := s.Plan("figures, then run " + line)
	data, err := web.Page(s.Context(), web.Options{Agent: s.Agent, Plan: p.Plan, Ranges: func(p *state.Plan) any {
		all := *p
		all.Files = nil // their ranges need a client
		return all
	}})
	s.Must(err)
	page := string(data)
	for _, secret := range []string{"hunter22", "tok-12345678"} {
		if strings.Contains(page, secret) {
			t.Errorf("the page has %s", secret)
		}
	}
	const masked = "curl -u ada:[removed] --token=[removed] https://host.example/x"
	for _, has := range []string{`"command":"` + masked, "then run " + masked, "--token=example-of-a-file", p.Hash} {
		if !strings.Contains(page, has) {
			t.Errorf("the page lacks %s", has)
		}
	}
	if p.Commands[0].Command != line {
		t.Errorf("%+v", p.Commands)
	}
}

// A file for others has no text of a file that may hold secrets.
func TestNoSecretsInAFile(t *testing.T) {
	s := agenttest.New(t, map[string]string{".env": "A=1\n"})
	s.Model.Stages(agenttest.Edit(".env", "A=1", "A=2"))
	p := s.Plan("change @.env")
	if _, err := fileOf(s, p); agenttest.RefusedAs(err) != plan.NotAllowed {
		t.Error(err)
	}
}
