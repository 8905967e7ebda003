package orchestrator_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// builds is a project whose only check, `./gradlew --offline test`, is played by a function of the
// texts that the plan would leave.
type builds struct {
	mu  sync.Mutex
	ran []string // the commands, with "before: " if the plan's edits were not there
}

// trials returns the options of trials whose commands print what prints returns, and fail if that is
// not empty. texts are those that differ from the disk.
func (b *builds) trials(prints func(line string, texts map[string]string) string) trial.Options {
	return agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome {
		texts := map[string]string{}
		for _, change := range c.World.Changes {
			texts[baseName(change)] = string(change.Text)
		}
		line := c.Line
		if len(texts) == 0 {
			line = "before: " + line
		}
		b.mu.Lock()
		b.ran = append(b.ran, line)
		b.mu.Unlock()
		out := runner.Outcome{End: runner.Exited, Output: prints(c.Line, texts)}
		if out.Output != "" {
			out.ExitCode = 1
		}
		return out
	})
}

func baseName(c world.Change) string { return c.Path[strings.LastIndexAny(c.Path, `/\`)+1:] }

const gradle, maven = "./gradlew --offline test", "./mvnw -o test"

// checkedSession is a session of a project whose check is gradle.
func checkedSession(t *testing.T, o trial.Options) (*agenttest.Session, *agenttest.Cast) {
	return agenttest.Specialists(t, map[string]string{"gradlew": "", "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"},
		func(all *agent.Options) { all.Trials = o })
}

// planOf returns the plan that a request makes.
func planOf(s *agenttest.Session, turn state.Turn) state.Plan {
	s.T.Helper()
	return s.PlanNow(s.Agent.Conversations.PlanOf(turn.Turn))
}

// timesAsked returns how often a specialist was asked.
func timesAsked(c *agenttest.Cast, name string) int {
	return len(c.Part(name).Asked())
}

// After the last specialist the project's checks are tried once on all that is staged. A failure
// goes to the specialist in whose files it is, who works once more and no oftener.
func TestFailedChecksGoToWhoseFilesTheyAreIn(t *testing.T) {
	stage := func(c *agenttest.Cast) {
		c.Plans(`["code","tests","docs"]`, "figures")
		c.Stages("code", "One is 1.", agenttest.Edit("a.txt", "one", "1"))
		c.Stages("tests", "Two is 2.", agenttest.Edit("b.txt", "two", "2"))
		c.Stages("docs", "Three is 3.", agenttest.Edit("c.txt", "three", "3"))
	}
	for name, c := range map[string]struct {
		prints string // while b.txt is "2"
		again  string // who works once more
	}{
		"in its file":         {"b.txt:1: not two", "tests"},
		"in an earlier file":  {"src/a.txt:1: one\na.txt:3: one\nb.txt:1: two", "code"},
		"in files of several": {"a.txt:1: one\nc.txt:1: three", "docs"},
		"in no file":          {"1 failed", "docs"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builds{}
			s, model := checkedSession(t, b.trials(func(_ string, texts map[string]string) string {
				if texts["b.txt"] == "2\n" {
					return c.prints + "\n"
				}
				return ""
			}))
			stage(model)
			model.Part(c.again).Will(agenttest.Reply{Text: "It is not mine."})
			turn := s.AskSpecialists("figures")
			p := planOf(s, turn)
			for _, who := range []string{"code", "tests", "docs"} {
				want := 2
				if who == c.again {
					want = 3
				}
				if got := timesAsked(model, who); got != want {
					t.Errorf("%s was asked %d times, want %d", who, got, want)
				}
			}
			asked := model.Part(c.again).Asked()[2].Messages[1].Content
			if !strings.Contains(asked, "[What fails]\n") || !strings.Contains(asked, gradle+": exit code 1") || !strings.Contains(asked, c.prints) || !strings.Contains(asked, "+3") {
				t.Errorf("%s reads\n%s", c.again, asked)
			}
			if want := []string{gradle, "before: " + gradle}; !slices.Equal(b.ran, want) {
				t.Errorf("ran %q, want %q: nothing has changed since", b.ran, want)
			}
			if len(p.Trials) != 1 || p.Trials[0].Result != "fails now" || !p.Trials[0].Current || !strings.HasSuffix(agenttest.Answer(turn), "**"+c.again+"**, after the checks: It is not mine.") {
				t.Errorf("trials %+v, answer %q", p.Trials, agenttest.Answer(turn))
			}
		})
	}
}

// What fails in files of two specialists goes to each of them, and is tried once more when both
// have worked. What they stage then is in their steps.
func TestFailedChecksOfSeveral(t *testing.T) {
	b := &builds{}
	s, c := checkedSession(t, b.trials(func(line string, texts map[string]string) string {
		switch {
		case line == gradle && texts["a.txt"] == "1\n":
			return "a.txt:1: wrong\n"
		case line == maven && texts["b.txt"] == "2\n":
			return "b.txt:1: wrong\n"
		}
		return ""
	}))
	s.Write("mvnw", "")
	c.Plans(`["code","tests"]`, "figures")
	c.Stages("code", "One is 1.", agenttest.Edit("a.txt", "one", "1"))
	c.Stages("tests", "Two is 2.", agenttest.Edit("b.txt", "two", "2"))
	c.Stages("code", "One is I.", agenttest.Edit("a.txt", "1", "I"))
	c.Stages("tests", "Two is II.", agenttest.Edit("b.txt", "2", "II"), agenttest.Try(maven))
	turn := s.AskSpecialists("figures")
	p := planOf(s, turn)
	s.WantTrials(p.Plan, "t1 "+gradle+": fails now, of an earlier text", "t2 "+maven+": fails now, of an earlier text", "t3 "+maven+": passed", "t4 "+gradle+": passed")
	for _, o := range p.Operations {
		if want := map[string]string{"a.txt": "s1", "b.txt": "s2"}[o.Path]; o.Step != want {
			t.Errorf("%s is in step %s, want %s", o.Path, o.Step, want)
		}
	}
	if got := c.Part("tests").Asked()[2].Messages[1].Content; !strings.Contains(got, "+I\n") {
		t.Errorf("the second does not see what the first has fixed:\n%s", got)
	}
}

// Nothing is tried, and nobody works once more, where the user does not allow trials, where one
// specialist works alone, where nothing is staged, and where nobody who worked may try commands. A
// failure from before the plan is nobody's, and what was tried on the same texts is not tried again.
func TestChecksAreNotTried(t *testing.T) {
	two := func(c *agenttest.Cast) {
		c.Plans(`["code","docs"]`, "figures")
		c.Stages("code", "One is 1.", agenttest.Edit("a.txt", "one", "1"))
		c.Stages("docs", "Three is 3.", agenttest.Edit("c.txt", "three", "3"))
	}
	fails := func(string, map[string]string) string { return "a.txt:1: wrong\n" }
	before := func(string, map[string]string) string { return "lib/z.txt:1: wrong\n" }
	for name, c := range map[string]struct {
		prints func(string, map[string]string) string
		mode   trial.Mode
		plays  func(*agenttest.Cast)
		want   []string // what is run
	}{
		"not allowed":   {fails, trial.Ask, two, nil},
		"switched off":  {fails, trial.Off, two, nil},
		"failed before": {before, trial.On, two, []string{gradle, "before: " + gradle}},
		"nothing staged": {fails, trial.On, func(c *agenttest.Cast) {
			c.Plans(`["code","docs"]`, "figures")
			c.Part("code").Will(agenttest.Reply{Text: "No."})
			c.Part("docs").Will(agenttest.Reply{Text: "No."})
		}, nil},
		"alone": {fails, trial.On, func(c *agenttest.Cast) {
			c.Part("planner").Will(agenttest.Reply{Text: `{"priorityOrder":["code"]}`})
			c.Stages("code", "One is 1.", agenttest.Edit("a.txt", "one", "1"))
		}, nil},
		"tried by the last": {func(string, map[string]string) string { return "" }, trial.On, func(c *agenttest.Cast) {
			two(c)
			p := c.Part("docs")
			p.Insert(1, agenttest.Reply{Calls: []model.Call{agenttest.Try(gradle)}})
		}, []string{gradle}},
		"at the limit": {func(string, map[string]string) string { return "" }, trial.On, func(c *agenttest.Cast) {
			two(c)
			p := c.Part("docs")
			p.Insert(1, agenttest.Reply{Calls: []model.Call{agenttest.Try("make")}})
		}, []string{"make"}},
		"by whom it was denied": {fails, trial.On, func(c *agenttest.Cast) {
			c.Plans(`["agents","review"]`, "figures")
			c.Stages("agents", "One is 1.", agenttest.Edit("a.txt", "one", "1"))
			c.Part("review").Will(agenttest.Reply{Text: "Fine."})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builds{}
			o := b.trials(c.prints)
			o.Mode = c.mode
			if name == "at the limit" {
				o.Most = 1
			}
			s, parts := checkedSession(t, o)
			c.plays(parts)
			turn := s.Say(conversation.Message{Text: "figures", Client: "test", Mode: "heap"})
			if turn.State != "done" || !slices.Equal(b.ran, c.want) {
				t.Errorf("the turn is %s (%v); ran %q, want %q", turn.State, turn.Error, b.ran, c.want)
			}
			for _, e := range s.Editor.Events(state.ToolCalled) {
				if line, ok := strings.CutPrefix(e.Summary, "trying `"); ok && !slices.Contains(b.ran, strings.TrimSuffix(line, "`")) {
					t.Errorf("the user is told %q, but it was not run", e.Summary)
				}
			}
			if strings.Contains(agenttest.Answer(turn), "after the checks") {
				t.Errorf("somebody worked once more: %s", agenttest.Answer(turn))
			}
		})
	}
}
