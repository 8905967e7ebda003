package languages_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/language"
)

// A plan over two folders with a server each is shown to both: one may read the files of the other.
func TestBothFoldersAreShown(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	s.Write("b/root.x", "")
	check(t, s, view.TriedTexts{"a/a.x": {Text: "BAD\n"}, "b/b.x": {Text: "other\n"}})
	for _, one := range f.started {
		for name, want := range map[string]string{"a/a.x": "BAD\n", "b/b.x": "other\n"} {
			if got := one.shown[filepath.Join(s.Dir, name)]; got.Text != want {
				t.Errorf("the server in %s sees %+v in %s", filepath.Base(one.command.Dir), got, name)
			}
		}
	}
	s.Write("b/c.x", "new\n")
	check(t, s, view.TriedTexts{"a/a.x": {Text: "BAD 2\n"}})
	for _, one := range f.started {
		if filepath.Base(one.command.Dir) == "a" && !slices.Contains(one.changed, filepath.Join(s.Dir, "b/c.x")) {
			t.Errorf("the server in a has heard only of %q", one.changed)
		}
	}
}

// A server that may have read a file that cannot be read any more starts again, once: it would remember the old text.
func TestAFileBecomesUnreadable(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	check(t, s, bad)
	s.Write("c.bin", "\xff\xfe\x00")
	s.Write("a/b.x", "new\n")
	check(t, s, bad)
	if f.count() != 1 {
		t.Errorf("%d starts after changes that can be read, or are no matter", f.count())
	}
	s.Write("a/b.x", "caf\xe9\n")
	check(t, s, bad)
	check(t, s, bad)
	if f.count() != 2 {
		t.Errorf("%d starts", f.count())
	}
}

// After a fault of our own nobody knows what the server sees: it ends, and its report is not known.
func TestAPanicEndsTheServer(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	check(t, s, bad)
	live := f.started[0]
	live.wait = func(context.Context) error { panic("a fault") }
	if got := check(t, s, view.TriedTexts{"a/a.x": {Text: "BAD 2\n"}}); got != "x by xls: xls was ended after a fault in Redline" {
		t.Errorf("got %s", got)
	}
	live.awaitEnd(t)
}

// A server that has to start again for a reason that is no fault can do so at once.
func TestAServerStartsAgainAtOnce(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	check(t, s, bad)
	live := f.started[0]
	live.wait = func(context.Context) error {
		live.Close()
		return &language.StartAgainError{Why: "its database has changed"}
	}
	if got := check(t, s, view.TriedTexts{"a/a.x": {Text: "BAD 2\n"}}); got != "x by xls: xls: its database has changed" {
		t.Errorf("got %s", got)
	}
	if got := check(t, s, bad); got != "a/a.x:1:1 error bad; x by xls: checked" || f.count() != 2 {
		t.Errorf("got %s, %d starts", got, f.count())
	}
}

// A server ends as soon as the user forbids trials, also while it is asked, and also if that is said to another
// process.
func TestForbiddenServersEnd(t *testing.T) {
	for name, forbid := range map[string]func(s *agenttest.Session) error{
		"here": func(s *agenttest.Session) error { return s.Agent.Trials.Forbid(s.Context()) },
		"elsewhere": func(s *agenttest.Session) error {
			name, owner := workspace.OwnerOf(s.Dir)
			return s.Store.SetTrialFolder(s.Context(), name, store.TrialFolder{Owner: owner})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			s := faked(t, f, func(o *agent.Options) {
				o.Trials.Mode = trial.Ask
				if o.Languages.Consent = time.Hour; name == "elsewhere" {
					o.Languages.Consent = time.Millisecond
				}
			})
			s.Must(s.Agent.Trials.Allow(s.Context()))
			check(t, s, bad)
			live := f.started[0]
			asked := make(chan struct{})
			live.wait = func(ctx context.Context) error {
				close(asked)
				select {
				case <-live.done:
					return errNone
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			var asks sync.WaitGroup
			asks.Go(func() {
				if p, err := s.Agent.Languages.Check(sessiontest.Timeout(t), view.TriedTexts{"a/a.x": {Text: "BAD 2\n"}}, nil); err != nil || len(p.Added) > 0 {
					t.Errorf("the check that it ends says %s, %v", say(p), err)
				}
			})
			<-asked
			s.Must(forbid(s))
			live.awaitEnd(t)
			asks.Wait()
			if s.Agent.Languages.Answers("a/a.x") {
				t.Error("it answers")
			}
			if got := check(t, s, bad); got != "nothing" || f.count() != 1 {
				t.Errorf("afterwards: %s, %d starts", got, f.count())
			}
		})
	}
}

// What errors have hidden that a plan fixes is not added by it. What its own lines do is.
func TestHiddenProblemsAreOld(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	old := view.TriedText{Text: "OLD\n"} // not saved yet
	without := view.TriedTexts{"a/a.x": {Text: "HIDES\n"}, "a/old.x": old}
	for text, want := range map[string]string{
		"good\n": "1 fixed; x by xls: xls reported no more before this was fixed: it hides others",
		"BAD\n":  "a/a.x:1:1 error bad; 1 fixed; x by xls: xls reported no more before this was fixed: it hides others",
	} {
		p, err := s.Agent.Languages.Check(sessiontest.Timeout(t), view.TriedTexts{"a/a.x": {Text: text}, "a/old.x": old}, without)
		if err != nil || say(p) != want {
			t.Errorf("%q: %s, %v, want %s", text, say(p), err, want)
		}
	}
}

// A log that is written again and again keeps no report from being current; a file of the language that is does not
// end the check that runs.
func TestALogDelaysNothing(t *testing.T) {
	f, ended := newFake(), make(chan struct{}, 100)
	s := faked(t, f)
	s.Observe(func(e state.Event) {
		if e.Kind == state.ProblemsFound {
			ended <- struct{}{}
		}
	})
	s.Model.Stages(agenttest.Edit("a/a.x", "good", "BAD"))
	s.Plan("spoil it")
	if !s.Agent.Languages.Await(sessiontest.Timeout(t), 1) {
		t.Fatal("it is not checked")
	}
	<-ended
	live := f.started[0]
	var given error
	live.mu.Lock()
	live.wait = func(ctx context.Context) error {
		live.wait = nil
		for range 2 {
			s.Agent.OnDisk([]string{"a/gen.x", "a/build.log"})
			select {
			case <-ctx.Done(): // and that it does not come has no sign
				given = ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
		}
		return given
	}
	live.mu.Unlock()
	s.Open("a/root.x")
	s.TypeAt("a/root.x", "", "x")
	for range 2 { // the second one is of the disk as it is now
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("there is no report")
		}
	}
	if given != nil {
		t.Error("the check was given up")
	}
	s.Agent.OnDisk([]string{"a/build.log"})
	await(t, func() bool {
		return s.Workspace.ChangedSince(time.Time{}, func(path string) bool { return path == "a/build.log" })
	})
	if s.PlanNow(1).Problems == nil {
		t.Error("the report is not current")
	}
	s.Agent.OnDisk([]string{"a/other.x"})
	await(t, func() bool { return s.PlanNow(1).Problems == nil })
}

// await waits until something is so that has no event.
func await(t *testing.T, is func() bool) {
	t.Helper()
	for ctx := sessiontest.Timeout(t); !is(); {
		if ctx.Err() != nil {
			t.Fatal("it does not happen")
		}
		time.Sleep(time.Millisecond)
	}
}

// Clients hear that nothing is known any more once the user has typed, before there is another report.
func TestTypingTakesAReportBack(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	news := make(chan bool, 1000)
	s.Model.Stages(agenttest.Edit("a/a.x", "good", "BAD"))
	s.Plan("spoil it")
	if !s.Agent.Languages.Await(sessiontest.Timeout(t), 1) {
		t.Fatal("it is not checked")
	}
	answer := make(chan struct{})
	f.started[0].mu.Lock()
	f.started[0].wait = func(ctx context.Context) error { <-answer; return nil }
	f.started[0].mu.Unlock()
	s.Open("a/root.x")
	s.Editor.OnEvent = func(e state.Event) {
		if e.Plan != nil {
			news <- e.Plan.Problems != nil
		}
	}
	next := func(want bool) {
		t.Helper()
		for {
			select {
			case known := <-news:
				if known == want {
					return
				}
			case <-time.After(time.Minute):
				t.Fatalf("there is no event with known problems: %v", want)
			}
		}
	}
	s.TypeAt("a/root.x", "", "x")
	next(false)
	close(answer)
	next(true)
}

// A revision is checked again once a server that did not start may start again, although nobody asks for that.
func TestARevisionIsCheckedAgainAfterAFailure(t *testing.T) {
	f, found := newFake(), newResults()
	f.refuses = errors.New("it did not start: no disk")
	var later atomic.Int64
	s := faked(t, f, func(o *agent.Options) {
		o.Now = func() time.Time { return agenttest.OnPiDay().Add(time.Duration(later.Load())) }
		o.Languages.Retry = time.Millisecond
		o.Languages.Publish = func(ctx context.Context, v *view.Plan, texts view.TriedTexts, began time.Time, p *plan.Problems) error {
			later.Store(int64(31 * time.Second))
			f.mu.Lock()
			f.refuses = nil
			f.mu.Unlock()
			return found.add(ctx, v, texts, began, p)
		}
	})
	s.Model.Stages(agenttest.Edit("a/a.x", "good", "BAD"))
	s.Plan("spoil it")
	for _, want := range []string{"plan 1.1: x by xls: xls did not start: no disk", "plan 1.1: a/a.x:1:1 error bad; x by xls: checked"} {
		if got := found.next(t); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if f.count() != 2 {
		t.Errorf("%d starts", f.count())
	}
}

// A server that has failed is no reason to check the plans again that do not need it.
func TestAFailureOfAnotherServer(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	s.Write("b/root.x", "")
	f.refuses = errors.New("it did not start: no disk")
	other := view.TriedTexts{"b/b.x": {Text: "BAD\n"}}
	check(t, s, other)
	f.mu.Lock()
	f.refuses = nil
	f.mu.Unlock()
	check(t, s, bad)
	if !s.Agent.Languages.AnyFailed(other) || s.Agent.Languages.AnyFailed(bad) {
		t.Error("it is not the plan with the failed server that is checked again")
	}
}
