package decidetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// MustApprove approves, which must succeed.
func (s *Base) MustApprove(d view.Request) state.Result {
	s.t.Helper()
	r, err := s.Approve(s.Context(), d)
	if err != nil {
		s.t.Fatalf("approve %+v: %v", d, err)
	}
	return r
}

// Allow approves a plan with its commands and waits until they have ended.
func (s *Base) Allow(d view.Request) state.Turn {
	s.t.Helper()
	d.AllowCommands = d.Operation == ""
	r := s.MustApprove(d)
	if r.Turn == "" {
		s.t.Fatalf("no turn runs the commands: %+v", r)
	}
	return s.Wait(r.Turn)
}

// WantCommands checks the state of a plan and those of its commands, see [Commands].
func (s *Base) WantCommands(n int, state, want string) {
	s.t.Helper()
	if p := s.PlanNow(n); p.State != state || Commands(p) != want {
		s.t.Errorf("plan %d is %s with %s, want %s with %s", n, p.State, Commands(p), state, want)
	}
}

// MustUndo undoes, which must succeed.
func (s *Base) MustUndo(d view.Request) state.Result {
	s.t.Helper()
	r, err := s.Undo(s.Context(), d)
	if err != nil {
		s.t.Fatalf("undo %+v: %v", d, err)
	}
	return r
}

// MustStage changes the operations of plan 1, which must succeed.
func (s *Base) MustStage(st decide.Staging) state.Plan {
	s.t.Helper()
	st.Plan = 1
	p, err := s.Stage(s.Context(), st)
	if err != nil {
		s.t.Fatalf("stage %+v: %v", st, err)
	}
	return p
}

// WantRefused checks that an error is a refusal of the kind.
func (s *Base) WantRefused(err error, kind plan.RefusalKind) {
	s.t.Helper()
	if r, ok := errors.AsType[*plan.Refusal](err); !ok || r.Kind != kind {
		s.t.Errorf("got %v, want a refusal %s", err, kind)
	}
}

// WantFile checks a file on disk; "" means that it must not exist.
func (s *Base) WantFile(name, want string) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(name))); (err == nil) != (want != "") {
		s.t.Errorf("%s: %v, want it to exist: %v", name, err, want != "")
	} else if got := s.Read(name); got != want {
		s.t.Errorf("%s is\n%q\nwant\n%q", name, got, want)
	}
}

// WantHunks checks the statuses of the hunks of a plan's first file.
func (s *Base) WantHunks(n int, want ...string) {
	s.t.Helper()
	var got []string
	for _, h := range s.PlanNow(n).Files[0].Hunks {
		got = append(got, h.Status)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("the hunks are %v, want %v", got, want)
	}
}

// WantEarlier checks the status that is stored for h1 of plan 1, which an earlier revision applied.
func (s *Base) WantEarlier(want string) {
	s.t.Helper()
	if got := string(s.Stored().Progress.Hunk("h1").Status); got != want {
		s.t.Errorf("h1 of the earlier revision is %s, want %s", got, want)
	}
}

// WantNothingUnfinished checks that the store has no record of an execution that was cut off.
func (s *Base) WantNothingUnfinished() {
	s.t.Helper()
	if left, err := s.Store.Unfinished(s.Context(), s.Key()); err != nil || len(left) != 0 {
		s.t.Errorf("unfinished executions: %+v, %v", left, err)
	}
}

// Until waits until a condition is true. It checks again at each event.
func (s *Base) Until(what string, so func() bool) {
	s.t.Helper()
	s.Editor.Until(s.t, what, so)
}

// AwaitState waits for a plan to reach a state.
func (s *Base) AwaitState(n int, want string) {
	s.t.Helper()
	s.Until(fmt.Sprintf("plan %d is %s", n, want), func() bool { return s.PlanNow(n).State == want })
}

// AwaitSaved waits until the store has recorded that a file of plan 1 was saved.
func (s *Base) AwaitSaved(path string) {
	s.t.Helper()
	for ctx := s.Context(); ctx.Err() == nil; {
		if !s.Stored().Progress.File(1, path).Unsaved {
			return
		}
	}
	s.t.Fatal("the store does not know that the file was saved")
}

// Stored returns plan 1 from the store.
func (s *Base) Stored() *plan.Plan {
	s.t.Helper()
	p, err := s.Store.Plan(s.Context(), s.Key(), 1)
	s.Must(err)
	return p
}

// Hunks returns the ids and statuses of the hunks of a plan, such as "a.txt:h1:applied".
func Hunks(p state.Plan) string {
	var ids []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			ids = append(ids, f.Path+":"+h.ID+":"+h.Status)
		}
	}
	return strings.Join(ids, " ")
}

// Commands returns the ids, statuses and exit codes of the commands of a plan, such as
// "o2:failed:1 o3:skipped".
func Commands(p state.Plan) string {
	var out []string
	for _, c := range p.Commands {
		s := c.ID + ":" + c.Status
		if c.ExitCode != nil {
			s += fmt.Sprintf(":%d", *c.ExitCode)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// Operations returns the ids of the operations of a plan, such as "o1 o3".
func Operations(p state.Plan) string {
	var ids []string
	for _, o := range p.Operations {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}
