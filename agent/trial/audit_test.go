package trial_test

import (
	"fmt"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/audit"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/runner"
)

// The record of an approval names the trials of exactly what the plan proposed then, and their
// results. A rejection that ends the plan names all of them, and other decisions none.
func TestTrialsInTheAuditLog(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n", "notes.txt": "saved\n"})
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		switch c.Line {
		case "fails":
			return runner.Outcome{End: runner.Exited, ExitCode: 3}
		case "hangs":
			return runner.Outcome{End: runner.TimedOut, ExitCode: -1}
		}
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Open("notes.txt")
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "two", "2"))
	s.Plan("figures")
	try := func(line string) {
		t.Helper()
		turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: []string{line}})
		if err != nil {
			t.Fatal(err)
		}
		s.Wait(turn)
	}
	try("earlier")
	s.TypeAt("notes.txt", "saved", "typed ")
	for _, line := range []string{"passes", "fails", "hangs"} {
		try(line)
	}
	s.WantTrials(1, "t1 earlier: passed, of an earlier text", "t2 passes: passed", "t3 fails: failed, as it did before", "t4 hangs: could not be run: it ran out of time")
	s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}})
	s.Model.Stages(agenttest.Edit("notes.txt", "typed saved", "three"), agenttest.Edit("a.txt", "two", "3"))
	s.Plan("more")
	if turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 2, Commands: []string{"fails"}}); err != nil {
		t.Error(err)
	} else {
		s.Wait(turn)
	}
	for _, d := range []view.Request{{Plan: 2, Hunks: []string{"h1"}}, {Plan: 2}} { // the first leaves it open
		if _, err := s.Agent.Reject(s.Context(), d); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}

	var got []string
	err := s.Store.AuditLog(s.Context(), s.Dir, func(e audit.Entry) error {
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
