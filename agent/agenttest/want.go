package agenttest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/brief"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trial"
	"redline/workspace"
	"redline/workspace/git"
	"redline/workspace/runner"
)

// Numbers are the files of a small workspace.
var Numbers = map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"}

// Specialists begins a session whose model is a cast.
func Specialists(t *testing.T, files map[string]string, change ...func(*agent.Options)) (*Session, *Cast) {
	t.Helper()
	s, c := New(t, files), &Cast{}
	s.With(append([]func(*agent.Options){func(o *agent.Options) { o.Model = c }}, change...)...)
	return s, c
}

// FakeRuns returns trial options with a runner that checks what it is to run.
func FakeRuns(run func(c runner.Command, tell func(runner.Stream, string)) runner.Outcome) trial.Options {
	return trial.Options{
		Mode: trial.On, Worlds: func() error { return nil },
		Home: os.DevNull, // no home folder, and so no user settings
		Run: func(_ context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
			return run(c, tell), nil
		},
	}
}

// KnownFacts are gathered before each request, from a repository that is always the same.
var KnownFacts = brief.ProjectOptions{
	Within: 3 * time.Minute,
	Git: func(context.Context, string) (git.Status, error) {
		return git.Status{Branch: "main", Commit: "0123456789", Changed: []git.Changed{{Path: "a.txt", Kind: git.Modified}}}, nil
	},
	Machine: brief.Machine{Program: func(string) bool { return true }, File: func(string) bool { return false }},
}

// OnPiDay is a clock that stands still.
func OnPiDay() time.Time { return time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC) }

// Benchmarked returns an agent on a workspace folder and a folder of the store.
func Benchmarked(b *testing.B, dir, state string) *agent.Agent {
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
	s := store.New(state)
	a := agent.New(agent.Options{Workspace: ws, Store: s, Model: &Script{}})
	a.Session.Attach(&sessiontest.Editor{Disk: workspace.NewDisk(ws)})
	b.Cleanup(func() { a.Close(); s.Close() })
	return a
}

// CommitAll makes the workspace a repository with all its files in the first commit.
func (s *Session) CommitAll() {
	s.T.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		s.T.Skip("git is not installed: install it to run this test")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "first"}} {
		c := exec.Command("git", args...)
		c.Dir = s.Dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := c.CombinedOutput(); err != nil {
			s.T.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}

// AwaitRevision waits for a revision of plan 1 and returns the plan.
func (s *Session) AwaitRevision(n int) state.Plan {
	s.T.Helper()
	var p state.Plan
	s.Until("a revision", func() bool {
		var err error
		p, err = s.Board.PlanState(s.Context(), 1)
		return err == nil && p.Revision >= n
	})
	return p
}

// LastRequest returns the last request that the model got.
func (s *Session) LastRequest() model.Request {
	s.T.Helper()
	asked := s.Model.Asked()
	if len(asked) == 0 {
		s.T.Fatal("the model was not asked")
	}
	return asked[len(asked)-1]
}

// LastAsked returns the messages of the last request of a turn to the model.
func (s *Session) LastAsked() []model.Message {
	s.T.Helper()
	for _, r := range slices.Backward(s.Model.Asked()) {
		if r.Schema == nil { // not a request beside the turn
			return r.Messages
		}
	}
	s.T.Fatal("the model was not asked")
	return nil
}

// LastMessage returns the end of the last request: what the user wrote, or the answer of a tool.
func (s *Session) LastMessage() string {
	s.T.Helper()
	messages := s.LastRequest().Messages
	return messages[len(messages)-1].Content
}

// UserMessages returns what the last request of a turn says as the user: also what Redline adds about
// the plans.
func (s *Session) UserMessages() string {
	s.T.Helper()
	var b strings.Builder
	for _, m := range s.LastAsked() {
		if m.Role == model.RoleUser {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String()
}

// Complaints returns the notices with errors, one per line.
func (s *Session) Complaints() string {
	var out []string
	for _, e := range s.Editor.Events(state.Noticed) {
		if e.Error != "" {
			out = append(out, e.Error)
		}
	}
	return strings.Join(out, "\n")
}

// TrialsOf returns the trials of a plan: "t1 go test: passed".
func (s *Session) TrialsOf(n int) []string {
	s.T.Helper()
	var all []string
	for _, one := range s.PlanNow(n).Trials {
		text := one.ID + " " + one.Command + ": " + one.Result
		if !one.Current {
			text += ", of an earlier text"
		}
		all = append(all, text)
	}
	return all
}

// WantTrials checks the trials of a plan, see [Session.TrialsOf].
func (s *Session) WantTrials(n int, want ...string) {
	s.T.Helper()
	if got := s.TrialsOf(n); strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.T.Errorf("the trials of plan %d are\n%s\nwant\n%s", n, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Answer returns the answer of a turn, "" if it has none.
func Answer(t state.Turn) string {
	if t.Answer == nil {
		return ""
	}
	return *t.Answer
}

// Tools returns the names of the tools of a request in alphabetical order.
func Tools(r model.Request) string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// RefusedAs returns the kind of a refusal, "" for another error.
func RefusedAs(err error) plan.RefusalKind {
	if r, ok := plan.RefusalOf(err); ok {
		return r.Kind
	}
	return ""
}
