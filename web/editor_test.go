package web_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/audit"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
	"redline/web"
)

// patience is how long the tests let an editor take a decision up: it does so at once, or never.
const patience = 5 * time.Minute

// withEditor starts the review of a plan by another process than that of the editor which has the
// workspace open and made the plan.
func withEditor(t *testing.T, change ...func(*web.Options)) (*review, *agenttest.Session) {
	t.Helper()
	s := agenttest.New(t, files)
	s.Model.Stages(
		agenttest.Edit("shop.go", "func Total(", "func Add("), agenttest.Edit("shop.go", "= Total(1, 2)", "= Add(1, 2)"),
		agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."),
	)
	return beside(t, s, s.Plan("rename Total to Add"), change...), s
}

func beside(t *testing.T, s *agenttest.Session, p state.Plan, change ...func(*web.Options)) *review {
	t.Helper()
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		if _, open := s.Workspace.Buffer(c.Path); !open {
			return edits.Applied{}, false
		}
		return s.InBuffer(c)
	}
	patient := func(o *web.Options) { o.TakeWithin = patience }
	return serve(t, s.Beside(s.Dir), p, append([]func(*web.Options){patient}, change...)...)
}

// serves lets the server of an editor take what is handed over, from now on. It returns when others see that
// the editor has the workspace open.
func serves(t *testing.T, s *agenttest.Session, name string) {
	t.Helper()
	before := len(s.Store.Editors(s.Key()))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Agent.ServeHandovers(ctx, 5*time.Millisecond, name)
	}()
	t.Cleanup(func() { stop(); <-ended })
	until(t, name+" has the workspace open", func() bool { return len(s.Store.Editors(s.Key())) > before })
}

func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// decided is what the tests read of the answer to a decision.
type decided struct {
	Way       string
	Sentences []string
}

func (r *review) all() m { return r.choice(m{"approve": m{"plan": true}}) }

// records returns the records of an event in the audit log.
func records(t *testing.T, s *agenttest.Session, event audit.Event) (list []audit.Record) {
	t.Helper()
	s.Must(s.Store.AuditLog(s.Context(), "", func(e audit.Entry) error {
		var r audit.Record
		err := json.Unmarshal([]byte(e.Record), &r)
		if r.Event == event {
			list = append(list, r)
		}
		return err
	}))
	return list
}

// What the page decides goes into the buffers of the editor that has the workspace open, and what is unsaved
// there stays. The record names both.
func TestTheEditorAppliesWhatThePageDecides(t *testing.T) {
	r, s := withEditor(t)
	s.Open("shop.go")
	s.TypeAt("shop.go", "package shop", "// typed\n")
	serves(t, s, "Neovim")
	if e := r.shown().Editor; !e.Open || e.Name != "Neovim" {
		t.Errorf("%+v", e)
	}
	var did decided
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"hunks": []string{"h1"}, "files": []string{"f2"}}, "reject": m{"hunks": []string{"h2"}}}), &did)
	if did.Way != "editor" || len(did.Sentences) != 3 {
		t.Errorf("%+v", did)
	}
	if got, want := s.Text("shop.go"), "// typed\n"+strings.Replace(files["shop.go"], "func Total", "func Add", 1); got != want {
		t.Errorf("the buffer: %s", got)
	}
	s.WantFile("shop.go", files["shop.go"])
	s.WantFile("notes.md", "# Notes\n\nTotal is Add.\n")
	s.WantHunks(1, "applied", "rejected")
	if a := records(t, s, audit.Approved); len(a) != 1 || a[0].Client != web.Client || a[0].Through != "Neovim" || a[0].Way != "web" {
		t.Errorf("%+v", a)
	}
	if a := records(t, s, audit.Rejected); len(a) != 1 || a[0].Client != web.Client || a[0].Through != "Neovim" {
		t.Errorf("%+v", a)
	}
}

// What was applied in a buffer is taken back there.
func TestTheEditorUndoes(t *testing.T) {
	r, s := withEditor(t)
	s.Open("shop.go")
	serves(t, s, "Neovim")
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"hunks": []string{"h1"}}}), &decided{})
	s.TypeAt("shop.go", "package shop", "// typed\n")
	var did decided
	r.ask("POST", "/api/undo", r.choice(nil), &did)
	if got, want := s.Text("shop.go"), "// typed\n"+files["shop.go"]; got != want || did.Way != "editor" {
		t.Errorf("%+v %s", did, got)
	}
}

// The editor's server judges by its own view: unsaved text, the plan as it is stored, its user's rules.
func TestTheEditorRefusesWhatThePageDecides(t *testing.T) {
	t.Run("unsaved text of the change", func(t *testing.T) {
		r, s := withEditor(t)
		s.Open("shop.go")
		s.Replace("shop.go", "func Total(a, b int)", "func Total(a, b, c int)")
		serves(t, s, "Neovim")
		r.refused("POST", "/api/decide", r.choice(m{"approve": m{"hunks": []string{"h1"}}}), 409, "its lines were changed since")
		if got := s.Text("shop.go"); strings.Contains(got, "Add") {
			t.Error(got)
		}
		s.WantHunks(1, "stale", "pending")
	})
	t.Run("a rule that only the page has", func(t *testing.T) {
		r, s := withEditor(t, func(o *web.Options) { o.Forbidden = view.Forbidden{view.ByPage: "The policy in P"} })
		serves(t, s, "Neovim")
		r.refused("POST", "/api/decide", r.all(), 422, "The policy in P")
		s.WantFile("shop.go", files["shop.go"])
	})
	t.Run("a rule", func(t *testing.T) {
		r, s := withEditor(t)
		s.With(func(o *agent.Options) { o.Forbidden = view.Forbidden{view.ByPage: "approval.ways in your settings"} })
		serves(t, s, "Neovim")
		r.refused("POST", "/api/decide", r.all(), 422, "approval.ways")
		s.WantFile("shop.go", files["shop.go"])
		s.WantHunks(1, "pending", "pending")
	})
}

// A decision that changes no file needs no editor.
func TestARejectionNeedsNoEditor(t *testing.T) {
	r, s := withEditor(t)
	end, err := s.Store.Serve(s.Key(), "Neovim") // it never answers
	s.Must(err)
	defer end()
	var did decided
	r.ask("POST", "/api/decide", r.choice(m{"reject": m{"hunks": []string{"h1"}}}), &did)
	if did.Way != "disk" {
		t.Errorf("%+v", did)
	}
}

// An editor that does not answer in time finds nothing to carry out when it wakes. The plan waits, also on disk.
func TestAnEditorThatDoesNotAnswer(t *testing.T) {
	r, s := withEditor(t, func(o *web.Options) { o.TakeWithin = 20 * time.Millisecond })
	end, err := s.Store.Serve(s.Key(), "Neovim")
	s.Must(err)
	defer end()
	r.refused("POST", "/api/decide", r.all(), 422, "Neovim did not answer: nothing is changed, and the plan waits.")
	serves(t, s, "Neovim")
	for id := int64(1); id < 3; id++ {
		if ok, err := s.Store.TakeHandover(s.Context(), id, "Neovim"); ok || err != nil {
			t.Errorf("%d can still be taken: %v", id, err)
		}
	}
	s.WantFile("shop.go", files["shop.go"])
	s.WantHunks(1, "pending", "pending")
	if len(s.Editor.Asked()) > 0 || len(records(t, s, audit.Approved)) > 0 {
		t.Error("it was carried out")
	}
}

// A server that was stopped after it took a decision applies nothing when it continues, once that is withdrawn.
func TestATakenDecisionIsWithdrawn(t *testing.T) {
	r, s := withEditor(t, func(o *web.Options) { o.TakeWithin = 20 * time.Millisecond }) // and 240 ms to begin
	end, err := s.Store.Serve(s.Key(), "Neovim")
	s.Must(err)
	defer end()
	taken := make(chan store.Handover, 1)
	go func() {
		for t.Context().Err() == nil {
			if list, err := s.Store.Handovers(t.Context(), s.Key()); err == nil && len(list) == 1 {
				if ok, err := s.Store.TakeHandover(t.Context(), list[0].ID, "Neovim"); ok && err == nil {
					taken <- list[0]
					return
				}
			}
		}
	}()
	r.refused("POST", "/api/decide", r.all(), 422, "did not answer")
	select {
	case h := <-taken:
		_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Revision: h.Revision, Hash: h.Hash, Way: view.ByPage, Handover: h.ID})
		if err == nil || !strings.Contains(err.Error(), "too late") {
			t.Errorf("%v", err)
		}
	default: // the machine was too slow to take it
	}
	s.WantFile("shop.go", files["shop.go"])
	s.WantHunks(1, "pending", "pending")
}

// Once no editor has the workspace open any more, the disk is changed: there is no buffer to go behind.
func TestAnEditorThatEndsMeanwhile(t *testing.T) {
	r, s := withEditor(t)
	end, err := s.Store.Serve(s.Key(), "Neovim")
	s.Must(err)
	go func() {
		for t.Context().Err() == nil {
			if list, err := s.Store.Handovers(t.Context(), s.Key()); err == nil && len(list) == 1 {
				end()
				return
			}
		}
	}()
	var did decided
	r.ask("POST", "/api/decide", r.all(), &did)
	if did.Way != "disk" {
		t.Errorf("%+v", did)
	}
	s.WantFile("notes.md", "# Notes\n\nTotal is Add.\n")
}

// A server that dies while it applies has applied what the files show, and nothing is applied twice.
func TestAnEditorThatDiesInTheMiddle(t *testing.T) {
	r, s := withEditor(t)
	reached, died := make(chan struct{}), make(chan struct{})
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		if c.Path == "notes.md" {
			close(reached)
			<-died
			return edits.Applied{}, true
		}
		return edits.Applied{}, false // on disk
	}
	serves(t, s, "Neovim")
	go func() {
		<-reached
		if p := r.shown().Decision; p == nil || p.By != "Neovim" {
			t.Errorf("the page does not show who applies: %+v", p)
		}
		s.Store.Close() // as the end of the process does, with what it held
		close(died)
	}()
	r.refused("POST", "/api/decide", r.choice(m{"approve": m{"files": []string{"f1", "f2"}}}), 422, "Neovim has ended before all was done")
	if got := r.Read("shop.go"); !strings.Contains(got, "func Add(") {
		t.Error(got)
	}
	r.WantFile("notes.md", files["notes.md"])
	r.WantHunks(1, "applied", "applied")
	if p := r.shown().Decision; p != nil {
		t.Errorf("%+v is still shown", p)
	}
}

// Of two editors, the one that has the plan's files open applies.
func TestTwoEditors(t *testing.T) {
	r, s := withEditor(t)
	other := s.Beside(s.Dir)
	other.Editor.OnApply = func(edits.Change) (edits.Applied, bool) {
		t.Error("the wrong editor applies")
		return edits.Applied{}, false
	}
	s.Open("shop.go")
	serves(t, other, "Helix")
	serves(t, s, "Neovim")
	if e := r.shown().Editor; e.Name != "Helix, Neovim" && e.Name != "Neovim, Helix" {
		t.Errorf("%+v", e)
	}
	r.ask("POST", "/api/decide", r.all(), &decided{})
	if got := s.Text("shop.go"); !strings.Contains(got, "func Add(") {
		t.Error(got)
	}
	if a := records(t, s, audit.Approved); len(a) != 1 || a[0].Through != "Neovim" {
		t.Errorf("%+v", a)
	}
}

// The review hears how the commands end that run in the editor's server.
func TestTheEditorRunsCommands(t *testing.T) {
	s := agenttest.New(t, files)
	s.Model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "New."), agenttest.Command("exit 3"))
	p := s.Plan("note")
	r := beside(t, s, p)
	serves(t, s, "Neovim")
	s.Model.Will(agenttest.Reply{Text: "It failed."})
	go r.Watch(t.Context())
	var did decided
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"files": []string{"f1"}}, "run": []string{"o2"}}), &did)
	if did.Way != "editor" || !slices.Equal(did.Sentences, []string{"Changes notes.md: 1 change.", "Runs exit 3."}) {
		t.Errorf("%+v", did)
	}
	until(t, "the command is over", func() bool { return r.Failed() != nil })
	if !strings.Contains(r.Failed().Error(), "exit") {
		t.Error(r.Failed())
	}
}
