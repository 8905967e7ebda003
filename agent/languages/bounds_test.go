package languages_test

import (
	"context"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/languages"
	"redline/agent/view"
	"redline/workspace/language"
	"redline/workspace/runner"
)

// If a file of a plan is not shown to the server, nobody knows whether the plan adds problems.
func TestWhatIsNotShownIsNotChecked(t *testing.T) {
	f := newFake()
	s := faked(t, f, func(o *agent.Options) {
		o.Languages.Adapters = []*language.Adapter{{Name: "xls", Command: []string{"xls"}, Languages: map[string]string{".py": "python"}, Anywhere: true}}
	})
	if got := check(t, s, view.TriedTexts{"a/local_settings.py": {Text: "BAD\n"}}); got == "python by xls: checked" {
		t.Errorf("not shown, but: %s", got)
	}
}

// A plan is checked although the user types while the server starts.
func TestTypingWhileAServerStarts(t *testing.T) {
	f, found := newFake(), newResults()
	gate, begun := make(chan struct{}), make(chan struct{}, 10)
	s := faked(t, f, func(o *agent.Options) {
		o.Languages.Publish = found.add
		o.Languages.Start = func(ctx context.Context, c runner.Command, lo language.Options) (languages.Server, error) {
			begun <- struct{}{}
			<-gate
			return f.start(ctx, c, lo)
		}
	})
	s.Model.Stages(agenttest.Edit("a/a.x", "good", "BAD"))
	s.Plan("spoil it")
	<-begun
	s.Open("a/root.x")
	s.TypeAt("a/root.x", "", "x")
	time.Sleep(time.Second) // the texts are looked at, and that nothing comes of it has no sign
	close(gate)
	select {
	case <-found.all:
	case <-time.After(3 * time.Minute):
		t.Error("it is never checked")
	}
}

// A plan over many modules runs few servers at a time.
func TestFewServersRun(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	texts := view.TriedTexts{}
	for i := range 40 {
		dir := "m" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		texts[dir+"/root.x"] = view.TriedText{Text: "x\n"}
		texts[dir+"/a.x"] = view.TriedText{Text: "BAD\n"}
	}
	check(t, s, texts)
	run := 0
	for _, one := range f.started {
		select {
		case <-one.done:
		default:
			run++
		}
	}
	if run > 4 {
		t.Errorf("%d servers run, each with up to %d MiB", run, f.started[0].command.World.Memory>>20)
	}
}

// A server ends when a file comes that its world does not hide.
func TestLaterSecretsAreHidden(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	check(t, s, bad)
	s.Write("a/.env.local", "KEY=hunter2\n")
	check(t, s, bad)
	if f.count() != 2 {
		t.Errorf("%d starts", f.count())
	}
}

// A check that is given up as its answer comes returns without a race.
func TestACheckIsGivenUp(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	check(t, s, bad)
	live := f.started[0]
	for range 30 {
		ctx, cancel := context.WithCancel(t.Context())
		live.mu.Lock()
		live.wait = func(context.Context) error { cancel(); return nil } // the answer comes as the check is given up
		live.mu.Unlock()
		_, _ = s.Agent.Languages.Check(ctx, bad, nil)
		time.Sleep(time.Millisecond)
	}
}
