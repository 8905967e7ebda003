package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

func TestCheckSteps(t *testing.T) {
	step := func(id string, after ...string) Step { return Step{ID: id, Description: "do " + id, DependsOn: after} }
	when := func(id, on string, outcome Outcome, output string) Step {
		s := step(id)
		s.When = &Condition{on, outcome, output}
		return s
	}
	for name, c := range map[string]struct {
		steps []Step
		want  string // in the refusal, "" for none
	}{
		"one":                 {[]Step{step("s1")}, ""},
		"in any order":        {[]Step{step("b", "a"), step("a")}, ""},
		"a condition":         {[]Step{step("a"), when("b", "a", OutcomeFailed, `(?m)^FAIL`)}, ""},
		"no id":               {[]Step{step("")}, "step 1 has no id"},
		"an id with a blank":  {[]Step{step("a b")}, "is no id of a step"},
		"an id twice":         {[]Step{step("a"), step("a")}, "two steps have the id a"},
		"no description":      {[]Step{{ID: "a", Description: " \n"}}, "has no description"},
		"too long":            {[]Step{{ID: "a", Description: "x", Risk: strings.Repeat("x", maxStepWords+1)}}, "more than 4096 bytes"},
		"depends on nothing":  {[]Step{step("a", "x")}, `depends on "x", and there is no such step`},
		"depends on itself":   {[]Step{step("a", "a")}, "depends on itself"},
		"depends twice":       {[]Step{step("a"), step("b", "a", "a")}, "depends on a twice"},
		"a circle":            {[]Step{step("a", "b"), step("b", "a"), step("c")}, "in a circle, or for such: a, b"},
		"a circle of both":    {[]Step{step("a", "b"), when("b", "a", OutcomeSucceeded, "")}, "in a circle"},
		"waits for itself":    {[]Step{when("a", "a", OutcomeFailed, "")}, "waits for itself"},
		"waits for nothing":   {[]Step{when("a", "x", OutcomeFailed, "")}, `waits for "x", and there is no such step`},
		"no outcome":          {[]Step{step("a"), when("b", "a", "done", "")}, "must be succeeded or failed"},
		"no expression":       {[]Step{step("a"), when("b", "a", OutcomeFailed, `a(`)}, "no regular expression"},
		"not RE2":             {[]Step{step("a"), when("b", "a", OutcomeFailed, `(a)\1`)}, "no regular expression"},
		"a long expression":   {[]Step{step("a"), when("b", "a", OutcomeFailed, strings.Repeat("a", 257))}, "more than 256 bytes"},
		"a large expression":  {[]Step{step("a"), when("b", "a", OutcomeFailed, `.{900}.{900}.{900}`)}, "fewer repetitions"},
		"many that have one":  {many(101), "more than 100 steps have a condition"},
		"many, and not waits": {many(100), ""},
	} {
		err := CheckSteps(c.steps)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// many is a step and n that wait for it.
func many(n int) []Step {
	steps := []Step{{ID: "a", Description: "a"}}
	for i := range n {
		steps = append(steps, Step{ID: fmt.Sprintf("b%d", i), Description: "b", When: &Condition{Step: "a", Outcome: OutcomeFailed}})
	}
	return steps
}

func ran(id, step string) Operation {
	return Operation{ID: id, Step: step, Tool: "run_command", Command: "run " + id, Args: json.RawMessage(`{"command":"run ` + id + `"}`)}
}

// A condition is part of what is approved; a plan without one keeps the hash that it had
// before conditions existed.
func TestTheHashCoversConditions(t *testing.T) {
	r := Revision{Number: 1, Steps: []Step{{ID: "s1", Description: "a"}, {ID: "s2", Description: "b"}}, Operations: []Operation{ran("o1", "s1"), ran("o2", "s2")}}
	seen := map[string]string{ApprovalHash(1, &r): "none"}
	if want := ApprovalHash(1, &Revision{Number: 1, Operations: r.Operations}); seen[want] == "" {
		t.Error("what steps say has become a part of the hash")
	}
	for _, c := range []Condition{
		{"s1", OutcomeFailed, ""}, {"s1", OutcomeSucceeded, ""}, {"s1", OutcomeFailed, "x"}, {"s1", OutcomeFailed, "\xff"}, {"s3", OutcomeFailed, ""},
	} {
		r.Steps[1].When = &c
		hash := ApprovalHash(1, &r)
		if other := seen[hash]; other != "" {
			t.Errorf("%+v has the hash of %s", c, other)
		}
		seen[hash] = fmt.Sprintf("%+v", c)
	}
}

// The shown form of an expression is one line and means the same.
func TestExpressionsAreShownAsTheyAre(t *testing.T) {
	for expression, want := range map[string]string{
		"a b": "a b", "a  b": `a \x{20}b`, " a ": `\x{20}a\x{20}`, "a\n[\t]\u00a0": `a\x{A}[\x{9}]\x{A0}`,
	} {
		shown := strings.TrimSuffix(strings.TrimPrefix((&Condition{"s1", OutcomeFailed, expression}).String(), "only if step s1 fails and its output matches `"), "`")
		if shown != want {
			t.Errorf("%q is shown as %s, want %s", expression, shown, want)
		}
		if re, err := compileOutput(shown); err != nil || !re.MatchString(strings.NewReplacer("[", "", "]", "").Replace(expression)) {
			t.Errorf("%q is shown as %s, which means something else: %v", expression, shown, err)
		}
	}
}

// A step that waits for another comes after it.
func TestConditionsAreDependencies(t *testing.T) {
	r := &Revision{
		Steps:      []Step{{ID: "s1"}, {ID: "s2", When: &Condition{Step: "s1", Outcome: OutcomeFailed}}},
		Operations: []Operation{ran("o1", "s1"), ran("o2", "s2")},
	}
	if err := r.Dependencies().Check([]string{"o2", "o1"}); err == nil || !strings.Contains(err.Error(), "o2 must come after o1") {
		t.Error(err)
	}
	if err := CheckConditions(r); err != nil {
		t.Error(err)
	}
	r.Operations = []Operation{ran("o2", "s2"), ran("o1", "s1")}
	if err := CheckConditions(r); err == nil || !strings.Contains(err.Error(), "o1 of step s1 must come before o2") {
		t.Error(err)
	}
	r.Operations = []Operation{ran("o1", "s1"), {ID: "o2", Step: "s2", Tool: "edit_file", Path: "a"}}
	if err := CheckConditions(r); err == nil || !strings.Contains(err.Error(), "o2 changes a file and cannot be in step s2") {
		t.Error(err)
	}
}

// A decision on a step decides about the steps that wait for it.
func TestHolds(t *testing.T) {
	code := 1
	failed := CommandMark{Status: CommandFailed, ExitCode: &code, Output: "FAIL a\nmore"}
	tolerated := failed
	tolerated.Tolerated = true
	done := CommandMark{Status: CommandSucceeded, Output: "ok"}
	for name, c := range map[string]struct {
		first, second CommandMark
		when          Condition
		want          Answer
		why           string
	}{
		"nothing has run":          {want: AnswerOpen, when: Condition{"s1", OutcomeSucceeded, ""}, why: "step s1 is not done"},
		"one is left":              {first: done, want: AnswerOpen, when: Condition{"s1", OutcomeSucceeded, ""}, why: "step s1 is not done"},
		"the plan has stopped":     {first: failed, second: done, want: AnswerOpen, when: Condition{"s1", OutcomeFailed, ""}, why: "step s1 is not done"},
		"succeeded":                {first: done, second: done, want: AnswerYes, when: Condition{"s1", OutcomeSucceeded, ""}},
		"did not fail":             {first: done, second: done, want: AnswerNo, when: Condition{"s1", OutcomeFailed, ""}, why: "step s1 succeeded"},
		"failed":                   {first: tolerated, second: done, want: AnswerYes, when: Condition{"s1", OutcomeFailed, ""}},
		"did not succeed":          {first: tolerated, second: done, want: AnswerNo, when: Condition{"s1", OutcomeSucceeded, ""}, why: "step s1 failed"},
		"its output matches":       {first: tolerated, second: done, want: AnswerYes, when: Condition{"s1", OutcomeFailed, "(?m)^more\nok$"}},
		"its output does not":      {first: tolerated, second: done, want: AnswerNo, when: Condition{"s1", OutcomeFailed, "^more"}, why: "the output of step s1 does not match `^more`"},
		"rejected in part":         {first: CommandMark{Status: CommandRejected}, second: done, want: AnswerYes, when: Condition{"s1", OutcomeSucceeded, ""}},
		"rejected as a whole":      {first: CommandMark{Status: CommandRejected}, second: CommandMark{Status: CommandRejected}, want: AnswerNo, when: Condition{"s1", OutcomeFailed, ""}, why: "nothing of step s1 was carried out"},
		"skipped, to be gone on":   {first: CommandMark{Status: CommandSkipped}, second: done, want: AnswerOpen, when: Condition{"s1", OutcomeFailed, ""}, why: "step s1 is not done"},
		"skipped for good":         {first: CommandMark{Status: CommandSkipped, Settled: true}, second: CommandMark{Status: CommandRejected}, want: AnswerNo, when: Condition{"s1", OutcomeSucceeded, ""}, why: "step s1 was skipped"},
		"the step is gone":         {want: AnswerNo, when: Condition{"s9", OutcomeSucceeded, ""}, why: "step s9 is not in the plan any more"},
		"an unreadable expression": {first: done, second: done, want: AnswerNo, when: Condition{"s1", OutcomeSucceeded, "("}, why: "the output of step s1 does not match `(`"},
	} {
		r := &Revision{
			Number:     1,
			Steps:      []Step{{ID: "s1"}, {ID: "s2", When: &c.when}},
			Operations: []Operation{ran("o1", "s1"), ran("o2", "s1"), ran("o3", "s2")},
		}
		p := &Plan{Number: 1, Current: 1}
		for id, m := range map[string]CommandMark{"o1": c.first, "o2": c.second} {
			if m.Status != "" {
				p.Progress.MarkCommand(id, m)
			}
		}
		if got, why := p.Holds(r, &r.Steps[1]); got != c.want || why != c.why {
			t.Errorf("%s: %s, %q; want %s, %q", name, got, why, c.want, c.why)
		}
	}
}

// However commands end, a command runs exactly if its condition holds: none runs whose
// condition fails, none is left out whose condition holds while the plan continues, and a
// skipped one stays skipped and leaves nothing to decide.
func TestConditionsDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Revision{Number: 1}
		n := rapid.IntRange(1, 6).Draw(t, "steps")
		for i := range n {
			s := Step{ID: fmt.Sprintf("s%d", i), Description: "x"}
			if i > 0 && rapid.Bool().Draw(t, "has a condition") {
				s.When = &Condition{
					Step:          fmt.Sprintf("s%d", rapid.IntRange(0, i-1).Draw(t, "on")),
					Outcome:       rapid.SampledFrom([]Outcome{OutcomeSucceeded, OutcomeFailed}).Draw(t, "outcome"),
					OutputMatches: rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "output"),
				}
			}
			r.Steps = append(r.Steps, s)
			for range rapid.IntRange(0, 2).Draw(t, "commands") {
				r.Operations = append(r.Operations, ran(fmt.Sprintf("o%d", len(r.Operations)), s.ID))
			}
		}
		if err := CheckSteps(r.Steps); err != nil {
			t.Fatal(err)
		}
		if err := CheckConditions(&r); err != nil {
			t.Fatal(err)
		}
		p := &Plan{Number: 1, Current: 1, State: Reviewing, Revisions: []Revision{r}}
		rejected := rapid.SampledFrom(append([]string{""}, p.Runs(&r)...)).Draw(t, "rejected")
		if rejected != "" {
			p.Progress.MarkCommand(rejected, CommandMark{Status: CommandRejected})
		}
		p.SkipUnmet(&r)

		failed, succeeded, output := map[string]bool{}, map[string]bool{}, map[string]string{} // by step
		holds := func(s *Step) bool {                                                          // by what has run alone
			if s.When == nil {
				return true
			}
			on := s.When.Step
			if s.When.Outcome == OutcomeFailed && !failed[on] || s.When.Outcome == OutcomeSucceeded && (failed[on] || !succeeded[on]) {
				return false
			}
			return strings.Contains(output[on], s.When.OutputMatches)
		}
		stopped := false
		var queue []string
		for _, id := range p.Runs(&r) {
			if id != rejected {
				queue = append(queue, id)
			}
		}
		for _, id := range queue {
			o, _ := r.Operation(id)
			s, _ := r.Step(o.Step)
			m := p.Progress.Command(id)
			if m.Settled {
				if holds(s) && !failed[s.ID] {
					t.Fatalf("%s was skipped (%s), and its condition holds", id, m.Reason)
				}
				continue
			}
			if !p.MayRun(&r, o) || !holds(s) {
				t.Fatalf("%s is to be run, and the condition of %s holds: %v, %v", id, s.ID, p.MayRun(&r, o), holds(s))
			}
			mark := CommandMark{Status: CommandSucceeded, Output: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "printed")}
			output[s.ID] += mark.Output
			if rapid.Bool().Draw(t, "fails") {
				mark.Status = CommandFailed
				p.Progress.MarkCommand(id, mark)
				if _, ok := p.SettleFailure(&r, id); !ok {
					stopped = true
					break
				}
				failed[s.ID] = true
			} else {
				succeeded[s.ID] = true
				p.Progress.MarkCommand(id, mark)
			}
			p.SkipUnmet(&r)
			if len(p.SkipUnmet(&r)) > 0 {
				t.Fatal("what was skipped is skipped again")
			}
		}
		left := p.Undecided(&r).Commands
		if !stopped && len(left) > 0 {
			t.Fatalf("%v is left to decide", left)
		}
		for _, id := range p.Runnable(&r) {
			if p.Progress.Command(id).Settled || slices.Contains(left, id) == (p.Progress.Command(id).Status == CommandFailed) {
				t.Fatalf("%s can be run again: %+v", id, p.Progress.Command(id))
			}
		}
	})
}
