package turn_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/outside"
	"redline/agent/state"
	"redline/workspace"
	"redline/workspace/network"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// askedFor begins a session with an outside agent mine, which is not allowed yet, and answers the question by
// Allow after meanwhile. It returns how many copies there were.
func askedFor(t *testing.T, s *agenttest.Session, program string, outcome runner.Outcome, meanwhile func()) (copies *int, asked *[]string) {
	t.Helper()
	copies, asked = new(int), new([]string)
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		*copies++
		left := []world.Entry{{Path: []byte(filepath.Join(c.Dir, "prices.go")), Kind: world.FileEntry, Mode: 0o644, Text: []byte("package store\n")}}
		if outcome.ExitCode != 0 {
			left = nil
		}
		o := agenttest.Leaves(c, left...)
		o.ExitCode, o.Network = outcome.ExitCode, outcome.Network
		return o
	})
	a := outside.Agent{Name: "mine", Command: []string{program}, Network: []string{"a.example"}, Memory: 100, Processes: 10, Timeout: 1e9}
	s.With(func(o *agent.Options) {
		o.Turns.OutsideAgents = []outside.Agent{a}
		o.Turns.OutsideAgent = func(string) (outside.Agent, error) { return a, nil }
	})
	s.Editor.OnAsk = func(_ context.Context, q state.Question) (state.EditorAnswer, error) {
		*asked = append(*asked, q.Text)
		meanwhile()
		return state.EditorAnswer{Choice: "Allow"}, nil
	}
	return copies, asked
}

// Consent covers what the question named: a change to the workspace or the program while it is open is
// not allowed by it, and there is no copy.
func TestConsentIsForWhatWasShown(t *testing.T) {
	link := func(t *testing.T, to, at string) {
		t.Helper()
		_ = os.Remove(at)
		if err := os.Symlink(to, at); err != nil {
			t.Skip("it needs symbolic links: allow them to this user")
		}
	}
	for name, change := range map[string]func(t *testing.T, s *agenttest.Session, dir string){
		"nothing": func(*testing.T, *agenttest.Session, string) {},
		"another folder": func(_ *testing.T, s *agenttest.Session, dir string) {
			s.Workspace.AddFolder(workspace.Folder{Dir: filepath.Join(dir, "other")})
		},
		"another program": func(t *testing.T, _ *agenttest.Session, dir string) { link(t, "/bin/cat", filepath.Join(dir, "agent")) },
		"another folder by its link": func(t *testing.T, _ *agenttest.Session, dir string) {
			link(t, filepath.Join(dir, "other"), filepath.Join(dir, "link"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"prices.go": "package shop\n"})
			dir := t.TempDir()
			s.Must(os.Mkdir(filepath.Join(dir, "other"), 0o755))
			link(t, "/bin/sh", filepath.Join(dir, "agent"))
			link(t, s.Dir, filepath.Join(dir, "link"))
			s.Workspace.SetFolders([]workspace.Folder{{Dir: filepath.Join(dir, "link")}})
			copies, asked := askedFor(t, s, filepath.Join(dir, "agent"), runner.Outcome{}, func() { change(t, s, dir) })
			for range 2 {
				s.Say(conversation.Message{Text: "call it store", Client: "test", With: "mine"})
				s.Editor.OnAsk = func(_ context.Context, q state.Question) (state.EditorAnswer, error) {
					*asked = append(*asked, q.Text)
					return state.EditorAnswer{Choice: "Not now"}, nil
				}
			}
			real, err := filepath.EvalSymlinks(s.Dir)
			s.Must(err)
			if name == "nothing" && (*copies != 2 || len(*asked) != 1 || !strings.Contains((*asked)[0], " works on a copy of "+real+", ")) {
				t.Errorf("%d copies, asked %q", *copies, *asked)
			}
			if name != "nothing" && (*copies != 0 || len(*asked) != 2) {
				t.Errorf("%d copies, asked %q", *copies, *asked)
			}
		})
	}
}

// What an agent reached is said once, also where nothing of its work is kept.
func TestReachIsSaid(t *testing.T) {
	report := network.Report{Reached: []network.Contact{{Peer: "a.example:443", Count: 1}}}
	for name, c := range map[string]struct {
		mode    string
		outcome runner.Outcome
	}{"a question": {"ask", runner.Outcome{Network: report}}, "a failure": {"", runner.Outcome{Network: report, ExitCode: 3}}, "a plan": {"", runner.Outcome{Network: report}}} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"prices.go": "package shop\n"})
			copies, _ := askedFor(t, s, "/bin/sh", c.outcome, func() {})
			turn := s.Say(conversation.Message{Text: "call it store", Client: "test", With: "mine", Mode: c.mode})
			said := ""
			for _, text := range []*string{turn.Answer, turn.Error} {
				if text != nil {
					said += *text
				}
			}
			if *copies != 1 || strings.Count(said, "It reached a.example:443.") != 1 {
				t.Errorf("%d copies, %q", *copies, said)
			}
		})
	}
}

// What a cancelled agent reached is a step of the turn.
func TestReachOfACancelledAgent(t *testing.T) {
	s := agenttest.New(t, map[string]string{"prices.go": "package shop\n"})
	began := make(chan struct{})
	a := outside.Agent{Name: "mine", Command: []string{"/bin/sh"}, Network: []string{"a.example"}, Memory: 100, Processes: 10, Timeout: 1e9}
	s.Trials = agenttest.FakeRuns(nil)
	s.Trials.Run = func(ctx context.Context, _ runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		close(began)
		<-ctx.Done()
		return runner.Outcome{End: runner.Cancelled, Network: network.Report{Reached: []network.Contact{{Peer: "a.example:443", Count: 1}}}}, nil
	}
	s.With(func(o *agent.Options) {
		o.Turns.OutsideAgents = []outside.Agent{a}
		o.Turns.OutsideAgent = func(string) (outside.Agent, error) { return a, nil }
	})
	_, err := s.Agent.Turns.Outsiders.Allow(s.Context(), "mine")
	s.Must(err)
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "call it store", Client: "test", With: "mine"})
	s.Must(err)
	<-began
	s.Agent.Conversations.Cancel(func(turn *conversation.Turn) bool { return turn.ID == id })
	if turn := s.Wait(id); turn.State != "cancelled" {
		t.Errorf("%+v", turn)
	}
	var steps []string
	for _, e := range s.Editor.Events(state.OutsideWorks) {
		if e.Step != nil {
			steps = append(steps, e.Step.Summary)
		}
	}
	if !slices.Contains(steps, "It reached a.example:443.") {
		t.Errorf("%q", steps)
	}
}
