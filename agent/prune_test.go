package agent_test

import (
	"fmt"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/audit"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

// older returns an agent on the same workspace and store, this many days later.
func (s *session) older(days int, keep decide.Keep) *agent.Agent {
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: s.dir}}, workspace.Options{StateDir: s.state})
	a := agent.New(agent.Options{
		Workspace: ws, Store: s.store, Model: s.model, Keep: keep,
		Now: func() time.Time { return time.Now().AddDate(0, 0, days) },
	})
	a.Session.Attach(&fakeEditor{disk: workspace.NewDisk(ws)})
	s.t.Cleanup(a.Close)
	return a
}

// decided makes three plans and rejects the first two.
func decided(s *session) {
	for range 3 {
		s.model.stages(edit("a.txt", "one", "1"))
		s.plan("tidy up")
	}
	for n := 1; n <= 2; n++ {
		if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: n}); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestPruneTakesThePreviewsAlong(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	decided(s)
	s.writeFile(".redline/plans/0002-r1.md", "my own notes\n")
	a := s.older(100, decide.Keep{})
	if _, err := a.State(s.ctx(), false); err != nil {
		t.Fatal(err)
	}
	dry, err := a.Prune(s.ctx(), decide.Prune{Keep: decide.Keep{Days: 90}, Dry: true})
	if err != nil || len(dry.Removed) != 2 || len(dry.Previews) != 0 || dry.Freed == 0 || !dry.DryRun {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	if got := fmt.Sprint(s.told(a, false)); got != "[1 cancelled 2 cancelled 3 awaiting_approval]" {
		t.Errorf("after a dry run: %s", got)
	}
	out, err := a.Prune(s.ctx(), decide.Prune{Keep: decide.Keep{Days: 90}})
	if err != nil || len(out.Removed) != 2 || out.Removed[0].Plan != 1 || fmt.Sprint(out.Previews) != "[.redline/plans/0001-r1.md]" || out.Freed != dry.Freed {
		t.Errorf("pruned %+v, %v", out, err)
	}
	s.wantFile(".redline/plans/0001-r1.md", "")
	s.wantFile(".redline/plans/0002-r1.md", "my own notes\n")
	if got := fmt.Sprint(s.told(a, false)); got != "[3 awaiting_approval]" {
		t.Errorf("left: %s", got)
	}
	_, err = a.Board.PlanState(s.ctx(), 1)
	s.wantRefused(err, plan.NoSuchPlan)
	var pruned []int // according to the audit log
	if err := s.store.AuditLog(s.ctx(), "", func(e audit.Entry) error {
		if r, err := e.Decode(); err == nil && r.Event == audit.Pruned {
			pruned = append(pruned, r.Plan)
		}
		return nil
	}); err != nil || fmt.Sprint(pruned) != "[1 2]" || out.Records != 0 {
		t.Errorf("the log tells that plans %v were removed (%v), %d records went; want 1 and 2, and none", pruned, err, out.Records)
	}
	if all, err := a.Prune(s.ctx(), decide.Prune{Keep: decide.Keep{Days: 90}, All: true}); err != nil || all.Records == 0 {
		t.Errorf("of the audit log went %d records, %v", all.Records, err)
	}
	_, err = a.Approve(s.ctx(), view.Request{Plan: 3})
	if err != nil {
		t.Errorf("the open plan: %v", err)
	}
}

// The server prunes by itself, once a day, and not while a turn runs.
func TestRetain(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	decided(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	a := s.older(100, decide.Keep{Days: 90, MB: 1024})
	s.model.will(reply{text: "Done.", begun: begun, wait: wait})
	id, _, err := a.Turns.Send(conversation.Message{Text: "hello", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := a.RetainNow(s.ctx()); err != nil || len(s.told(a, true)) != 3 {
		t.Errorf("while a turn runs: %v", err)
	}
	close(wait)
	if _, err := a.Conversations.Wait(s.ctx(), id); err != nil {
		t.Fatal(err)
	}
	if err := a.RetainNow(s.ctx()); err != nil || len(s.told(a, true)) != 1 {
		t.Errorf("after it: %v, %v", err, s.told(a, true))
	}
	// Not again on the same day, and again on the next.
	for range 2 {
		s.model.stages(edit("a.txt", "one", "1"))
		s.plan("tidy up")
	}
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 4}); err != nil {
		t.Fatal(err)
	}
	if err := a.RetainNow(s.ctx()); err != nil || len(s.told(a, true)) != 3 {
		t.Errorf("on the same day: %v, %v", err, s.told(a, true))
	}
	next := s.older(101, decide.Keep{Days: 90, MB: 1024})
	if err := next.RetainNow(s.ctx()); err != nil || len(s.told(next, true)) != 2 {
		t.Errorf("on the next: %v, %v", err, s.told(next, true))
	}
}

// unsavedOf returns the files that count as unsaved in the stored plan 1.
func (s *session) unsavedOf() (paths []string) {
	s.t.Helper()
	p, err := s.store.Plan(s.ctx(), s.dir, 1)
	s.must(err)
	for path, m := range p.Progress.Files {
		if m.Unsaved {
			paths = append(paths, path)
		}
	}
	return paths
}

func (s *session) wantPrunable() {
	s.t.Helper()
	s.model.stages(edit("b.txt", "one", "1")) // the newest plan always stays
	s.say(conversation.Message{Text: "another", New: true})
	if left := s.unsavedOf(); len(left) > 0 {
		s.t.Errorf("%v count as unsaved", left)
	}
	out, err := s.older(100, decide.Keep{}).Prune(s.ctx(), decide.Prune{Keep: decide.Keep{Days: 90}})
	if err != nil || len(out.Removed) != 1 {
		s.t.Errorf("pruned %+v, %v", out, err)
	}
}

// A change that was applied in a buffer, lost by closing it without saving, and then rejected needs
// no saving any more: the plan can be pruned like any other.
func TestAPlanRejectedAfterItsBufferWentCanBePruned(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	s.open("a.txt")
	s.ed.apply = s.inBuffer
	s.model.stages(edit("a.txt", "one", "1"))
	s.plan("figures")
	s.approve(view.Request{Plan: 1})
	if got := fmt.Sprint(s.unsavedOf()); got != "[a.txt]" {
		t.Fatalf("%s is unsaved, want a.txt", got)
	}
	s.ws.Close(s.ws.URI("a.txt"))
	s.awaitState(1, "awaiting_approval")
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantPrunable()
}

// A change of an earlier revision counts as saved once the file is saved.
func TestAPlanWhoseEarlierRevisionIsSavedCanBePruned(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines, "b.txt": "one\n"})
	s.open("a.txt")
	s.ed.apply = s.inBuffer
	reworkedOnce(s)
	s.save("a.txt")
	for ctx := s.ctx(); len(s.unsavedOf()) > 0; {
		if ctx.Err() != nil {
			t.Fatal("a.txt still counts as unsaved")
		}
	}
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantPrunable()
}
