package agent_test

import (
	"context"
	"strings"
	"testing"

	"redline/agent"
	"redline/workspace/runner"
)

// Where commands may write the state directory, the user is told once; if they
// want commands confined, none runs.
func TestCommandsWhereTheStateIsInTheWorkspace(t *testing.T) {
	for confine, want := range map[string]string{
		runner.ConfineAuto: "completed o1:succeeded:0", runner.ConfineOff: "completed o1:succeeded:0", runner.ConfineRequire: "failed o1:failed",
	} {
		s := newSession(t, map[string]string{"a.txt": "one\n"})
		s.state = s.dir + "/.state"
		s.commands.Confine = confine
		ran := 0
		s.commands.Run = func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
			ran++
			return runner.Outcome{End: runner.Exited, Confined: true}, nil
		}
		s.restart()
		s.model.stages(command("make"))
		p := s.plan("build")
		s.wait(s.approve(agent.Decide{Plan: 1, Hash: p.Hash, AllowCommands: true}).Turn)
		got := s.state1(1)
		if now := got.State + " " + commandsOf(got); now != want {
			t.Errorf("%s: the plan is %s, want %s", confine, now, want)
		}
		told := strings.Contains(s.notices(), "Approved commands can change the plans and the audit log")
		if refused := ran == 0; told != (confine == runner.ConfineAuto) || refused != (confine == runner.ConfineRequire) {
			t.Errorf("%s: told %t, refused %t: %s", confine, told, refused, s.notices())
		}
		if confine == runner.ConfineRequire && !strings.Contains(got.Commands[0].Reason, "he state directory of Redline is in "+s.dir) {
			t.Errorf("the user reads %q", got.Commands[0].Reason)
		}
	}
}
