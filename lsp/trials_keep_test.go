//go:build linux && (amd64 || arm64)

package lsp

import (
	"encoding/json"
	"testing"

	"redline/agent/state"
	"redline/agent/trial"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
)

// redline.try with keep makes a revision with what the command changes, in unsaved text too.
func TestTrialThatKeeps(t *testing.T) {
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	c := connectTrying(t, trial.Options{Mode: trial.On})
	c.plan(`replace "apple" with "pear"`)
	_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": "cat a.txt a.txt > b.txt", "keep": []string{"b.txt"}})
	c.must(err)
	c.await(lsptest.MessageContains("plan 1, revision 2, is ready"))
	raw, err := c.Execute(c.ctx, command.State, nil)
	c.must(err)
	var s state.State
	c.must(json.Unmarshal(raw, &s))
	if p := s.Plans[0]; p.Revision != 2 || len(p.Files) != 2 || len(p.Trials) != 1 || p.By != "cat" {
		t.Errorf("revision %d by %s with %d files and %d trials", p.Revision, p.By, len(p.Files), len(p.Trials))
	}
	_, err = c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": "true", "keep": []string{"["}})
	c.must(err) // at once; its turn fails
	c.await(lsptest.MessageContains("is not a valid glob"))
}
