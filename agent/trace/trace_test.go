package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"redline/workspace/secrets"
)

func recorder(tell func(Step)) *Recorder {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return NewRecorder(Trace{ID: "s-t1", Turn: "t1", Conversation: "c1", Request: "do\nit"}, func() time.Time {
		at = at.Add(time.Millisecond)
		return at
	}, tell)
}

func TestRecordThroughContext(t *testing.T) {
	var told []Kind
	r := recorder(func(s Step) { told = append(told, s.Kind) })
	ctx := With(context.Background(), r)
	Record(ctx, Step{Kind: Route, Route: "tools"})
	Record(ctx, Step{Kind: Revision, Plan: 1, Revision: 1})
	Record(ctx, Step{Kind: Revision, Plan: 1, Revision: 1}) // told again
	Record(context.Background(), Step{Kind: Error})         // of no turn
	r.End("done", "all\ndone", 1)
	got := r.Trace()
	if len(got.Steps) != 2 || fmt.Sprint(told) != "[route revision]" {
		t.Errorf("steps %v, told %v", got.Steps, told)
	}
	want := "Turn t1 (s-t1), 2026-01-02 03:04:05Z, done after 4 ms, plan 1\ndo it\n\n" +
		"     1 ms  route            tools\n     2 ms  revision         plan 1, revision 1\n"
	if text := got.Text(); text != want {
		t.Errorf("text\n%s\nwant\n%s", text, want)
	}
}

// A trace does not grow without bound, and still says how the turn ended.
func TestTraceIsBounded(t *testing.T) {
	r := recorder(nil)
	for range MaxSteps + 5 {
		r.Record(Step{Kind: ToolDone, Summary: "x"})
	}
	r.Record(Step{Kind: Error, Error: "it failed"})
	got := r.Trace()
	if len(got.Steps) != MaxSteps+1 || got.Left != 5 || got.Steps[MaxSteps].Kind != Error {
		t.Errorf("%d steps, %d left, the last %v", len(got.Steps), got.Left, got.Steps[len(got.Steps)-1].Kind)
	}
	r = recorder(nil)
	for range MaxSteps {
		r.Record(Step{Kind: Reply, Detail: strings.Repeat("ä", MaxDetail)})
	}
	size := 0
	for _, s := range r.Trace().Steps {
		size += len(s.Detail)
	}
	if size > maxBytes {
		t.Errorf("%d bytes", size)
	}
}

func TestTraceHoldsNoSecrets(t *testing.T) {
	for _, secret := range []string{
		"sk-proj-abcdefgh", "Authorization: Bearer abcdefghijkl", "API_KEY=hunter2hunter2", "ghp_abcdefghijklmnop",
		"https://me:hunter2hunter2@example.com/", "AKIAABCDEFGHIJKLMNOP", "-----BEGIN RSA PRIVATE KEY-----\nabc",
		`{"password": "hunter2hunter2"}`, "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
		"hvs.aB3" + strings.Repeat("Cd4eF5gH6", 4), "npm_aB3" + strings.Repeat("Cd4eF5gH6", 4)[:33],
	} {
		r := recorder(nil)
		r.Record(Step{Kind: Tool, Name: secret, Summary: "run " + secret, Detail: "a\n" + secret, Error: secret, Path: secret})
		s := r.Trace().Steps[0]
		for _, field := range []string{s.Name, s.Summary, s.Detail, s.Error, s.Path} {
			if !strings.Contains(field, secrets.Removed) || strings.Contains(field, "hunter2") || strings.Contains(field, "abcdefgh") || strings.Contains(field, "Cd4eF5") {
				t.Errorf("%q is kept as %q", secret, field)
			}
		}
	}
}

// A step of before is read, and written as steps are now.
func TestStepsOfBefore(t *testing.T) {
	for _, text := range []string{`{"kind":"reply","at":"2026-01-02T03:04:05Z","took_ms":12}`, `{"kind":"reply","at":"2026-01-02T03:04:05Z","tookMs":12}`, `{"kind":"reply","at":"2026-01-02T03:04:05Z","summary":"\"took_ms\"","tookMs":12}`} {
		var s Step
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Took != 12 || s.Kind != Reply {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
		if now, err := json.Marshal(s); err != nil || !strings.Contains(string(now), `"tookMs":12`) || strings.Contains(string(now), `"took_ms":`) {
			t.Errorf("%s, %v", now, err)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x00b\xff\u202e", 5)
	f.Fuzz(func(t *testing.T, text string, max int) {
		if max < 8 || max > 1000 {
			return
		}
		if line := Line(text, max); len(line) > max || strings.ContainsAny(line, "\n\r") {
			t.Errorf("%q", line)
		}
	})
}
