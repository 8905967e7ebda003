package agent_test

import (
	"context"
	"slices"
	"testing"

	"redline/agent/decision"
	"redline/workspace/runner"
)

// Commands run with the list of Redline's own paths and with the setting that says how
// to protect them.
func TestCommandsAreKeptFromOwnFiles(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.commands.Own, s.commands.OwnFolders, s.commands.Namespaces = []string{"/own/config.toml"}, []string{"/own"}, runner.NamespacesOff
	var got runner.Command
	s.commands.Run = func(_ context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		got = c
		return runner.Outcome{End: runner.Exited, Confined: true}, nil
	}
	s.restart()
	s.model.stages(command("make"))
	p := s.plan("build")
	s.wait(s.approve(decision.Request{Plan: 1, Hash: p.Hash, AllowCommands: true}).Turn)
	if !slices.Equal(got.Own, s.commands.Own) || !slices.Equal(got.OwnFolders, s.commands.OwnFolders) || got.Namespaces != runner.NamespacesOff {
		t.Errorf("%+v", got)
	}
}
