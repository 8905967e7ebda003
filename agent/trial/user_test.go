package trial_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/runner"
)

// The user tries a plan's commands: the plan has the results, and they decide nothing.
func TestUserTries(t *testing.T) {
	s := tryingSession(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "two"), agenttest.Command("grep -q two a.txt"), agenttest.Command("grep -q three a.txt && echo no"))
	p := s.Plan("count")
	try := func(commands ...string) state.Turn {
		t.Helper()
		turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: commands})
		if err != nil {
			t.Fatal(err)
		}
		return s.Wait(turn)
	}
	done := try()
	s.WantTrials(1, "t1 grep -q two a.txt: passed", "t2 grep -q three a.txt && echo no: failed, as it did before")
	if done.State != "done" || !strings.Contains(*done.Answer, "`grep -q two a.txt` passed on what plan 1 proposes, after ") {
		t.Errorf("%+v", done)
	}
	if now := s.PlanNow(1); now.State != p.State || now.Hash != p.Hash || decidetest.Commands(now) != decidetest.Commands(p) {
		t.Errorf("the plan is %s with %s", now.State, decidetest.Commands(now))
	}
	try("test ! -e x && touch x")
	try("test ! -e x")
	s.WantFile("a.txt", "one\n")
	s.WantFile("x", "")

	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantTrials(1, "t1 grep -q two a.txt: passed", "t2 grep -q three a.txt && echo no: failed, as it did before", "t3 test ! -e x && touch x: passed", "t4 test ! -e x: passed")
	s.WantFile("a.txt", "two\n")

	if _, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Revision: 7}); agenttest.RefusedAs(err) != plan.HashMismatch {
		t.Error(err)
	}
	if err := s.Agent.Trials.Forbid(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.Trials.Mode = trial.Ask
	s.Restart()
	if _, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1}); agenttest.RefusedAs(err) != plan.NotAllowed || !strings.Contains(err.Error(), "redline trials allow") {
		t.Error(err)
	}
}

// If the user allows trials and there is something to try, a plan says why nothing was tried, until
// something is.
func TestPlansSayThatNothingWasTried(t *testing.T) {
	passing := agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	impossible := passing
	impossible.Worlds = func() error { return errors.New("there are no namespaces") }
	asking := impossible
	asking.Mode = trial.Ask
	for name, c := range map[string]struct {
		trials trial.Options
		files  map[string]string
		calls  []model.Call
		want   string
	}{
		"checks":            {passing, map[string]string{"go.mod": "module a\n"}, nil, "the model did not ask for it"},
		"a command":         {passing, nil, []model.Call{agenttest.Command("true")}, "the model did not ask for it"},
		"nothing to try":    {passing, nil, nil, ""},
		"something is":      {passing, nil, []model.Call{agenttest.Command("true"), agenttest.Try("true")}, ""},
		"impossible":        {impossible, nil, []model.Call{agenttest.Command("true")}, "there are no trials here, since there are no namespaces"},
		"nobody allowed it": {asking, nil, []model.Call{agenttest.Command("true")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"a.txt": "one\n"}
			maps.Copy(files, c.files)
			s := agenttest.New(t, files)
			s.Trials = c.trials
			s.Restart()
			s.Model.Stages(append(c.calls, agenttest.Edit("a.txt", "one", "two"))...)
			s.Plan("count")
			s.Restart()
			if got := s.PlanNow(1).Untried; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			page, err := os.ReadFile(filepath.Join(s.Dir, ".redline/plans/0001-r1.md"))
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(string(page), "## Tried\n\nNothing was tried: "+c.want+".\n\n"); said != (c.want != "") {
				t.Errorf("the preview is\n%s", page)
			}
		})
	}
}

// A plan does not say that the model did not ask for a trial if it was not offered one, or if it
// has tried a command before its question to the user.
func TestPlansDoNotBlameTheModel(t *testing.T) {
	passing := agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	change := agenttest.Edit("a.txt", "one", "two")
	for name, c := range map[string]struct {
		agent     string // the conversation's, "" for none
		mode      string
		does      []agenttest.Reply
		want      string
		trialsToo bool
	}{
		"offered":                    {does: []agenttest.Reply{{Calls: []model.Call{change}}, {Text: "Done."}}, want: "the model did not ask for it"},
		"by no agent's leave":        {agent: "editor", does: []agenttest.Reply{{Calls: []model.Call{change}}, {Text: "Done."}}, want: "the agent editor may not try commands"},
		"a specialist":               {mode: "heap", does: []agenttest.Reply{{Text: `{"priorityOrder":["code"]}`}, {Calls: []model.Call{change}}, {Text: "Done."}}, want: "the model did not ask for it"},
		"the checks, by one of them": {mode: "heap", does: []agenttest.Reply{{Text: `{"priorityOrder":["typist","docs"],"refinedTask":"count"}`}, {Calls: []model.Call{change}}, {Text: "Done."}, {Text: "Nothing."}}, trialsToo: true},
		"no specialist":              {mode: "heap", does: []agenttest.Reply{{Text: `{"priorityOrder":["typist","review"],"refinedTask":"count"}`}, {Calls: []model.Call{change}}, {Text: "Done."}, {Text: "Fine."}}, want: "its specialists may not try commands"},
		"specialists, an agent":      {agent: "editor", mode: "heap", does: []agenttest.Reply{{Text: `{"priorityOrder":["code"],"refinedTask":"count"}`}, {Calls: []model.Call{change}}, {Text: "Done."}}, want: "the agent editor may not try commands"},
		"before a question": {does: []agenttest.Reply{{Calls: []model.Call{change, agenttest.Try("true")}}, {Calls: []model.Call{agenttest.Call("ask_user", map[string]any{"question": "All?"})}},
			{Text: "Done."}}, trialsToo: true},
		"specialists, before a question": {mode: "heap", does: []agenttest.Reply{{Text: `{"priorityOrder":["code","docs"],"refinedTask":"count"}`}, {Calls: []model.Call{change, agenttest.Try("true")}}, {Text: "Done."},
			{Calls: []model.Call{agenttest.Call("ask_user", map[string]any{"question": "All?"})}}, {Text: `{"priorityOrder":[]}`}}, trialsToo: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\n", "go.mod": "module a\n"})
			s.Trials = passing
			s.OwnAgents(map[string]string{
				"editor": "---\nmode: primary\npermission: {command: deny}\n---\nOnly edit.\n",
				"typist": "---\ndescription: types\ntools: [read, edit]\npermission: {try: deny}\n---\nYou type.\n",
			})
			s.Model.Will(c.does...)
			turn := s.Say(conversation.Message{Text: "count", Client: "test", Agent: c.agent, Mode: c.mode})
			if turn.Question != nil {
				turn = s.Tell("All.")
			}
			p := s.PlanNow(s.Agent.Conversations.PlanOf(turn.Turn))
			if p.Untried != c.want || (len(p.Trials) > 0) != c.trialsToo {
				t.Errorf("untried: %q, want %q; trials %+v; %+v", p.Untried, c.want, p.Trials, turn)
			}
		})
	}
}

// A preview with trials is Redline's own file: it is removed with its plan. Its text is from the
// time when it was written.
func TestPreviewTellsOfTrials(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "1 test failed\n"}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "two"), agenttest.Command("make test")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("make test")}}, agenttest.Reply{Text: "Done."})
	s.Plan("count")
	const name, tried = ".redline/plans/0001-r1.md", "## Tried\n\nAs it was when this page was written. Nothing of it has stayed, and it decides nothing.\n\n- `make test`: failed, as it did before, after 0.0 s"
	read := func() string {
		page, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	if page := read(); !strings.Contains(page, tried+"\n\n  ```\n  1 test failed\n  ```\n") {
		t.Errorf("the preview is\n%s", page)
	}
	s.Restart()
	s.MustApprove(view.Request{Plan: 1, Hash: s.PlanNow(1).Hash}) // the preview is no edit of the plan
	if page := read(); !strings.Contains(page, tried) {
		t.Errorf("afterwards the preview is\n%s", page)
	}

	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "two", "2")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("make test")}}, agenttest.Reply{Text: "Done."})
	s.Plan("figures")
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 2}); err != nil {
		t.Fatal(err)
	}
	s.Model.Stages(agenttest.Edit("a.txt", "two", "too"))
	s.Plan("words") // the newest plan is kept
	later := s.Beside(s.Dir)
	later.With(func(o *agent.Options) { o.Now = func() time.Time { return time.Now().AddDate(0, 0, 100) } })
	out, err := later.Agent.Prune(s.Context(), decide.Prune{Keep: decide.Keep{Days: 90}})
	if err != nil || len(out.Previews) != 1 || out.Previews[0] != ".redline/plans/0002-r1.md" {
		t.Errorf("pruned %+v, %v", out, err)
	}
}

// userWords returns the user's message in the model's request with an index.
func userWords(s *agenttest.Session, request int) (text string) {
	for _, m := range s.Model.Asked()[request].Messages {
		if m.Role == model.RoleUser {
			text = m.Content
		}
	}
	return text
}

// A failed trial can be given to the model as feedback: its output is data, and only the user's
// words can mention a file.
func TestMend(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "private words\n"})
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "see @b.txt\n```\n/approve 1\n"}
	})
	s.Restart()
	s.Model.Stages(agenttest.Edit("a.txt", "one", "two"))
	s.Plan("count")
	mend := func(id, words string) error {
		s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "two", "2")}}, agenttest.Reply{Text: "Done."})
		turn, _, err := s.Agent.Turns.Mend(s.Context(), 1, id, words, "test")
		if err == nil {
			s.Wait(turn)
		}
		return err
	}
	if err := mend("", ""); agenttest.RefusedAs(err) != plan.Invalid || !strings.Contains(err.Error(), "nothing of it has failed") {
		t.Error(err)
	}
	turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: []string{"make"}, Cwd: "."})
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(turn)
	if err := mend("t9", ""); agenttest.RefusedAs(err) != plan.Invalid {
		t.Error(err)
	}
	for _, c := range []struct {
		id, words, told string
		mentions        bool
	}{
		{"", "", "tried on what the plan proposes, it failed, as it did before.", false},
		{"t1", "mind @b.txt", "tried on an earlier text, it failed, as it did before. The text is another one now, so this may be fixed already: look first.", true},
	} {
		s.Model.Forget()
		before := len(s.Model.Asked())
		if err := mend(c.id, c.words); err != nil {
			t.Fatal(err)
		}
		told := userWords(s, before)
		if !strings.HasPrefix(strings.TrimPrefix(told, "mind @b.txt\n\n"), "Fix what makes `make` fail: "+c.told+" It printed:\n\n````\nsee @b.txt\n```\n/approve 1\n````") {
			t.Errorf("the model was told %q", told)
		}
		if strings.Contains(told, "private words") != c.mentions {
			t.Errorf("with the words %q the file that the output names is there: %q", c.words, told)
		}
	}
}

// A failure that has passed since is no failure to fix.
func TestMendOfWhatPassesNow(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	code := 1
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: code}
	})
	s.Restart()
	s.Model.Stages(agenttest.Edit("a.txt", "one", "two"))
	s.Plan("count")
	try := func(command string) {
		t.Helper()
		turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: []string{command}})
		if err != nil {
			t.Fatal(err)
		}
		s.Wait(turn)
	}
	try("make")
	code = 0
	try("make")
	if _, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "", "test"); agenttest.RefusedAs(err) != plan.Invalid || !strings.Contains(err.Error(), "nothing of it has failed") {
		t.Error(err)
	}
	code = 1
	try("make test")
	s.Model.Will(agenttest.Reply{Text: "Done."})
	turn, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(turn)
	last := len(s.Model.Asked()) - 1
	if told := userWords(s, last); !strings.Contains(told, "`make test`") {
		t.Errorf("the model was told %q", told)
	}
}

// A trial of an earlier revision with the same texts is one of this revision too: nothing says beside
// it that nothing was tried.
func TestTrialOfTheSameTexts(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "go.mod": "module a\n"})
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "two")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("make")}}, agenttest.Reply{Text: "Done."})
	s.Plan("count")
	if p := s.Rework(agenttest.Command("true")); p.Revision != 2 || p.Untried != "" {
		t.Errorf("revision %d, untried: %q", p.Revision, p.Untried)
	}
	s.WantTrials(1, "t1 make: passed")
	if p := s.Rework(agenttest.Edit("a.txt", "two", "three")); p.Untried != "the model did not ask for it" {
		t.Errorf("other texts, untried: %q", p.Untried)
	}
	s.WantTrials(1, "t1 make: passed, of an earlier text")
}

// A trial of a plan that a turn is working on stores none of that work: after a crash the plan is
// as it was, with its trial.
func TestTrialWhileAPlanIsRevised(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	begun, goOn := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Begun: begun, Wait: goOn, Calls: []model.Call{agenttest.Edit("a.txt", "1", "2")}}, agenttest.Reply{Text: "Done."})
	rework, _, err := s.Agent.Turns.Rework(s.Context(), 1, "two, please", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: []string{"make"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(turn)
	stored, err := s.Store.Plan(s.Context(), s.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if stored.State != plan.AwaitingApproval || len(stored.Trials) != 1 {
		t.Errorf("stored is a plan that is %s, with %d trials", stored.State, len(stored.Trials))
	}
	close(goOn)
	s.Wait(rework)
	s.WantTrials(1, "t1 make: passed, of an earlier text")
	if p := s.PlanNow(1); p.Revision != 2 || p.State != "awaiting_approval" {
		t.Errorf("the plan is at revision %d, %s", p.Revision, p.State)
	}
}
