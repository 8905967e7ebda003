package tool_test

import (
	"strings"
	"testing"
)

// A plan is parsed as leniently as possible without guessing. Anything else is refused
// with a reason and changes nothing.
func TestSubmitPlan(t *testing.T) {
	b := newBench(t, files)
	for _, c := range []struct{ args, want string }{
		{`{"steps":[{"id":"s1","description":"x"}]}`, `error: the argument "goal" is missing`},
		{`{"goal":" \n","steps":[{"id":"s1","description":"x"}]}`, "error: the goal is empty"},
		{`{"goal":"g","steps":"all"}`, `error: the argument "steps" must be a list`},
		{`{"goal":"g","steps":[]}`, "error: the plan has no steps"},
		{`{"goal":"g","steps":["s1"]}`, "error: the steps cannot be read; give them as"},
		{`{"goal":"g","steps":[{"id":"s1","description":"x","depends_on":{"a":1}}]}`, "error: the steps cannot be read"},
		{`{"goal":"g","steps":[{"id":"s1","description":"x","when":"never"}]}`, "error: the steps cannot be read"},
		{`{"goal":"g","steps":[{"id":"s1","description":"x","when":{"outcome":"failed"}}]}`, `error: step s1 waits for "", and there is no such step`},
		{`{"goal":"g","steps":[{"id":1,"description":"x"},{"id":"2","description":"y","depends_on":1,"when":null}]}`, "submitted: 2 steps."},
		{`{"goal":"Use\n\u202efigures","steps":"[{\"id\":\"s1\",\"description\":\"x\"}]","report":"true"}`, "submitted: 1 step."},
	} {
		r := b.call(t, "submit_plan", c.args)
		if !strings.HasPrefix(r.Text, c.want) || r.IsError != strings.HasPrefix(c.want, "error") || r.Staged != nil {
			t.Errorf("%s: %q, want %q", c.args, r.Text, c.want)
		}
	}
	plan, now := b.env.Draft.Submitted()
	if !now || plan.Goal != "Use ⟨U+202E⟩figures" || !plan.Report || len(plan.Steps) != 1 || plan.Steps[0].ID != "s1" {
		t.Errorf("%+v, %v", plan, now)
	}
	b.env.MaxSteps = 1
	if r := b.call(t, "submit_plan", `{"goal":"g","steps":[{"id":"s1","description":"x"},{"id":"s2","description":"y"}]}`); !strings.Contains(r.Text, "has 2 steps, and 1 is the limit") {
		t.Error(r.Text)
	}
	b.env.Fixed, b.env.Step = true, "s9"
	if r := b.call(t, "submit_plan", `{"goal":"g","steps":[{"id":"s1","description":"x"}]}`); !r.IsError {
		t.Error(r.Text)
	}
	if r := b.call(t, "run_command", `{"command":"x","step":"s1"}`); r.IsError || b.env.Draft.Operations()[0].Step != "s9" {
		t.Errorf("%s %+v", r.Text, b.env.Draft.Operations())
	}
}

// A call that only reads needs no step.
func TestLookingNeedsNoStep(t *testing.T) {
	b := newBench(t, files)
	b.call(t, "submit_plan", `{"goal":"g","steps":[{"id":"s1","description":"x"}]}`)
	if r := b.call(t, "text_editor", `{"command":"view","path":"a.go","step":"s7"}`); r.IsError {
		t.Error(r.Text)
	}
	if r := b.call(t, "run_command", `{"command":"view","step":"s7"}`); !r.IsError {
		t.Error(r.Text)
	}
}
