package languages_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/languages"
	"redline/agent/session/sessiontest"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/language"
	"redline/workspace/runner"
)

// fake is a program that starts fake language servers.
type fake struct {
	mu      sync.Mutex
	refuses error // why it does not start
	started []*fakeServer
	news    chan *fakeServer
}

func newFake() *fake { return &fake{news: make(chan *fakeServer, 100)} }

func (f *fake) start(_ context.Context, c runner.Command, o language.Options) (languages.Server, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &fakeServer{command: c, options: o, done: make(chan struct{})}
	f.started = append(f.started, s)
	f.news <- s
	if f.refuses != nil {
		return nil, f.refuses
	}
	return s, nil
}

func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.started)
}

// fakeServer reports each file that it is shown with the text BAD, or with HIDES, or with OLD if none has HIDES.
type fakeServer struct {
	command runner.Command
	options language.Options

	mu      sync.Mutex
	asked   int
	shown   map[string]language.Text
	changed []string
	wait    func(context.Context) error // called by Problems; nil: it answers at once
	once    sync.Once
	done    chan struct{}
}

func (s *fakeServer) Show(_ context.Context, texts map[string]language.Text, changed []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown, s.changed = texts, append(s.changed, changed...)
	return nil
}

func (s *fakeServer) Problems(ctx context.Context) (found []language.Problem, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.wait != nil {
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
	hides := slices.ContainsFunc(slices.Collect(maps.Values(s.shown)), func(text language.Text) bool { return strings.Contains(text.Text, "HIDES") })
	for path, text := range s.shown {
		if strings.Contains(text.Text, "OLD") && !hides {
			found = append(found, language.Problem{Path: path, Severity: language.Error, Message: "old"})
		}
		if strings.Contains(text.Text, "BAD") {
			found = append(found, language.Problem{Path: path, Severity: language.Error, Message: "bad"})
		}
		if strings.Contains(text.Text, "HIDES") {
			found = append(found, language.Problem{Path: path, Severity: language.Error, Message: "it hides others", Hides: true})
		}
	}
	return found, nil
}

var errNone = errors.New("it has none")

func (s *fakeServer) References(context.Context, string, language.Place) ([]language.Location, error) {
	return nil, errNone
}

func (s *fakeServer) Definition(context.Context, string, language.Place) ([]language.Location, error) {
	return nil, errNone
}

func (s *fakeServer) Rename(context.Context, string, language.Place, string) (map[string]language.Text, error) {
	return nil, errNone
}

func (s *fakeServer) Symbols(context.Context, string) ([]language.Symbol, error) { return nil, errNone }

func (s *fakeServer) Opens(texts map[string]language.Text) []string {
	return slices.Sorted(maps.Keys(texts))
}
func (s *fakeServer) Done() <-chan struct{} { return s.done }
func (s *fakeServer) Close()                { s.once.Do(func() { close(s.done) }) }

// awaitEnd waits until the server has ended.
func (s *fakeServer) awaitEnd(t *testing.T) {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(3 * time.Minute):
		t.Fatal("the server does not end")
	}
}

// faked begins a session with fake language servers for .x files.
func faked(t *testing.T, f *fake, change ...func(*agent.Options)) *agenttest.Session {
	t.Helper()
	s := agenttest.New(t, map[string]string{"a/root.x": "", "a/a.x": "good\n", "b/b.x": "good\n", "c.txt": "c\n"})
	s.Trials = trial.Options{Mode: trial.On, Worlds: func() error { return nil }, Home: t.TempDir()}
	s.With(append([]func(*agent.Options){func(o *agent.Options) {
		o.Languages = languages.Options{
			Mode: trial.Ask, Adapters: []*language.Adapter{{Name: "xls", Command: []string{"xls"}, Languages: map[string]string{".x": "x"}, Roots: []string{"root.x"}}},
			Find: func(string) (string, error) { return "/bin/sh", nil }, Start: f.start,
		}
	}}, change...)...)
	return s
}

// bad are texts of a plan.
var bad = view.TriedTexts{"a/a.x": {Text: "BAD\n"}}

func check(t *testing.T, s *agenttest.Session, texts view.TriedTexts) string {
	t.Helper()
	p, err := s.Agent.Languages.Check(sessiontest.Timeout(t), texts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return say(p)
}

// One server serves all questions about a folder. Files in no such folder are not checked, and that is said.
func TestOneServerForAFolder(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	const want = "a/a.x:1:1 error bad; x by xls: checked"
	for range 3 {
		if got := check(t, s, bad); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if n := f.count(); n != 1 || f.started[0].asked != 2 { // the texts are the same each time
		t.Errorf("%d servers were asked, %d times", n, f.started[0].asked)
	}
	if c := f.started[0].command; c.World == nil || c.World.HostNetwork || !strings.HasSuffix(c.Dir, "/a") || c.Line != "/bin/sh" {
		t.Errorf("started by %+v", c)
	}
	if got := check(t, s, view.TriedTexts{"b/b.x": {Text: "BAD\n"}}); got != "x by xls: xls needs a folder with root.x" {
		t.Errorf("got %s", got)
	}
	if got := check(t, s, view.TriedTexts{"c.txt": {Text: "BAD\n"}}); got != "nothing" || f.count() != 1 {
		t.Errorf("got %s of a file without a language, %d servers", got, f.count())
	}
	s.Agent.Close()
	f.started[0].awaitEnd(t)
	if p, err := s.Agent.Languages.Check(t.Context(), bad, nil); err == nil {
		t.Errorf("after the end it says %s", say(p))
	}
}

// Nothing starts where the user has not allowed it, where it is switched off, or where worlds are impossible.
func TestNothingStartsUnasked(t *testing.T) {
	for name, change := range map[string]func(*agent.Options){
		"trials are not allowed": func(o *agent.Options) { o.Trials.Mode = trial.Ask },
		"trials are off":         func(o *agent.Options) { o.Trials.Mode = trial.Off },
		"servers are off":        func(o *agent.Options) { o.Languages.Mode = trial.Off },
		"no worlds":              func(o *agent.Options) { o.Trials.Worlds = func() error { return errNone } },
		"no worlds, but on": func(o *agent.Options) {
			o.Trials.Worlds, o.Languages.Mode = func() error { return errNone }, trial.On
		},
		"not installed": func(o *agent.Options) {
			o.Languages.Find = func(string) (string, error) { return "", errNone }
		},
		"traffic is replayed": func(o *agent.Options) { o.Trials.Replay = t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			found := newResults()
			s := faked(t, f, change, func(o *agent.Options) { o.Languages.Publish = found.add })
			if got := check(t, s, bad); got != "nothing" || f.count() != 0 {
				t.Errorf("got %s, %d servers", got, f.count())
			}
			s.Model.Stages(agenttest.Edit("a/a.x", "good", "BAD"))
			s.Plan("spoil it")
			if l := s.Agent.Languages; l.Answers("") || l.Answers("a/a.x") || f.count() != 0 {
				t.Errorf("it answers, %d servers", f.count())
			}
		})
	}
}

// With [trial.On] servers run although trials do not; with consent to trials they run.
func TestConsent(t *testing.T) {
	f := newFake()
	s := faked(t, f, func(o *agent.Options) { o.Trials.Mode, o.Languages.Mode = trial.Off, trial.On })
	if got := check(t, s, bad); got == "nothing" {
		t.Error("on: nothing is checked")
	}
	s = faked(t, f, func(o *agent.Options) { o.Trials.Mode = trial.Ask })
	s.Must(s.Agent.Trials.Allow(s.Context()))
	if got := check(t, s, bad); got == "nothing" || !s.Agent.Languages.Answers("a/a.x") {
		t.Error("allowed: nothing is checked")
	}
}

// A server that nobody asks ends, and starts again when it is needed.
func TestIdle(t *testing.T) {
	f := newFake()
	s := faked(t, f, func(o *agent.Options) { o.Languages.Idle = time.Millisecond })
	for i := range 3 {
		check(t, s, bad)
		f.started[i].awaitEnd(t)
	}
}

// A server that fails is not asked again at once, and its report is not known: never that there are no problems.
func TestFailures(t *testing.T) {
	now := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	f := newFake()
	f.refuses = errors.New("it did not start: no disk")
	s := faked(t, f, func(o *agent.Options) { o.Now = func() time.Time { return now } })
	for range 3 {
		if got := check(t, s, bad); got != "x by xls: xls did not start: no disk" || f.count() != 1 {
			t.Errorf("got %s, %d starts", got, f.count())
		}
	}
	f.refuses = nil
	now = now.Add(31 * time.Second)
	if got := check(t, s, bad); got != "a/a.x:1:1 error bad; x by xls: checked" || f.count() != 2 {
		t.Errorf("got %s, %d starts", got, f.count())
	}
	live := f.started[1]
	live.wait = func(context.Context) error { live.Close(); return errors.New("it has ended") }
	for range 2 {
		if got := check(t, s, view.TriedTexts{"a/a.x": {Text: "BAD 2\n"}}); got != "x by xls: xls has ended" || f.count() != 2 {
			t.Errorf("after a crash: %s, %d starts", got, f.count())
		}
	}
	now = now.Add(31 * time.Second)
	if got := check(t, s, bad); got != "a/a.x:1:1 error bad; x by xls: checked" || f.count() != 3 {
		t.Errorf("got %s, %d starts", got, f.count())
	}
}

// Where an error hides others, a plan that adds none to it is not known to add none, and those that are gone
// are not known to be fixed.
func TestErrorsThatHideOthers(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	for text, want := range map[string]string{
		"HIDES\n":      "x by xls: xls reports no more until this is fixed: it hides others",
		"HIDES, BAD\n": "a/a.x:1:1 error bad; x by xls: checked",
		"good\n":       "1 fixed; x by xls: checked",
	} {
		p, err := s.Agent.Languages.Check(sessiontest.Timeout(t), view.TriedTexts{"a/a.x": {Text: text}}, view.TriedTexts{"a/a.x": {Text: "HIDES 1\n"}})
		if err != nil || say(p) != want {
			t.Errorf("%q: %s, %v, want %s", text, say(p), err, want)
		}
	}
}

// A check that takes too long, or that is given up, ends; the server stays, and the next check gets an answer.
func TestTooLate(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	check(t, s, bad)
	worse := view.TriedTexts{"a/a.x": {Text: "BAD 2\n"}} // it has not answered for yet
	live := f.started[0]
	live.wait = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := s.Agent.Languages.Check(ctx, worse, nil); err != nil || say(p) != "x by xls: xls was not ready" {
		t.Errorf("got %s, %v", say(p), err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if p, err := s.Agent.Languages.Check(ctx, worse, nil); err != nil || say(p) != "x by xls: xls was not ready" {
		t.Errorf("got %s, %v", say(p), err)
	}
	live.mu.Lock()
	live.wait = nil
	live.mu.Unlock()
	if got := check(t, s, worse); got != "a/a.x:1:1 error bad; x by xls: checked" || f.count() != 1 {
		t.Errorf("got %s, %d starts", got, f.count())
	}
}

// Texts that may hold secrets are not shown.
func TestSecretsAreNotShown(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE " + "KEY-----\n"
	check(t, s, view.TriedTexts{"a/a.x": {Text: "BAD\n"}, "a/key.pem": {Text: key}, "a/.env": {Text: "A=b\n"}})
	for name := range f.started[0].shown {
		if !strings.HasSuffix(name, ".x") {
			t.Errorf("it was shown %s", name)
		}
	}
}

// A revision is checked when it is made, and again once the user has stopped typing.
func TestRevisionsAreFollowed(t *testing.T) {
	f, found := newFake(), newResults()
	s := faked(t, f, func(o *agent.Options) { o.Languages.Publish = found.add })
	s.Model.Stages(agenttest.Edit("a/a.x", "good", "BAD"))
	s.Plan("spoil it")
	if got := found.next(t); got != "plan 1.1: a/a.x:1:1 error bad; x by xls: checked" {
		t.Errorf("got %s", got)
	}
	s.Open("a/root.x")
	s.TypeAt("a/root.x", "", "BAD")
	if got := found.next(t); got != "plan 1.1: a/a.x:1:1 error bad; x by xls: checked" {
		t.Errorf("after typing: %s", got)
	}
	s.Rework(agenttest.Edit("a/a.x", "BAD", "fine"))
	if got := found.next(t); got != "plan 1.2: x by xls: checked" {
		t.Errorf("the next revision: %s", got)
	}
}
