package agent_test

import (
	"fmt"
	"testing"

	"redline/agent/audit"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/runner"
)

// The record of an approval names the trials of exactly what the plan proposed then, and their
// results. A rejection that ends the plan names all of them, and other decisions none.
func TestTrialsInTheAuditLog(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\n", "notes.txt": "saved\n"})
	s.trials = fakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		switch c.Line {
		case "fails":
			return runner.Outcome{End: runner.Exited, ExitCode: 3}
		case "hangs":
			return runner.Outcome{End: runner.TimedOut, ExitCode: -1}
		}
		return runner.Outcome{End: runner.Exited}
	})
	s.restart()
	s.open("notes.txt")
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "two", "2"))
	s.plan("figures")
	try := func(line string) {
		t.Helper()
		turn, err := s.agent.Trials.Try(s.ctx(), trial.Request{Plan: 1, Commands: []string{line}})
		if err != nil {
			t.Fatal(err)
		}
		s.wait(turn)
	}
	try("earlier")
	s.typeAt("notes.txt", "saved", "typed ")
	for _, line := range []string{"passes", "fails", "hangs"} {
		try(line)
	}
	s.wantTrials(1, "t1 earlier: passed, of an earlier text", "t2 passes: passed", "t3 fails: failed, as it did before", "t4 hangs: could not be run: it ran out of time")
	s.approve(view.Request{Plan: 1, Hunks: []string{"h1"}})
	s.model.stages(edit("notes.txt", "typed saved", "three"), edit("a.txt", "two", "3"))
	s.plan("more")
	if turn, err := s.agent.Trials.Try(s.ctx(), trial.Request{Plan: 2, Commands: []string{"fails"}}); err != nil {
		t.Error(err)
	} else {
		s.wait(turn)
	}
	for _, d := range []view.Request{{Plan: 2, Hunks: []string{"h1"}}, {Plan: 2}} { // the first leaves it open
		if _, err := s.agent.Reject(s.ctx(), d); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}

	var got []string
	err := s.store.AuditLog(s.ctx(), s.dir, func(e audit.Entry) error {
		r, err := e.Decode()
		if len(r.Trials) > 0 {
			got = append(got, fmt.Sprintf("%s %d:", r.Event, r.Plan))
		}
		for _, one := range r.Trials {
			ended := "none"
			if one.ExitCode != nil {
				ended = fmt.Sprint(*one.ExitCode)
			}
			got = append(got, fmt.Sprintf("%s %s %s", one.ID, one.Command, ended))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "[approved 1: t2 passes 0 t3 fails 3 t4 hangs none rejected 2: t1 fails 3 rejected 1: t1 earlier 0 t2 passes 0 t3 fails 3 t4 hangs none]"
	if fmt.Sprint(got) != want {
		t.Errorf("the records name %v, want %s", got, want)
	}
}
