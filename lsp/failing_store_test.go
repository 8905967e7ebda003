//go:build unix

package lsp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/store/storetest"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// Whatever fails on the disk of the plan database, every command is answered with a result,
// or with an error that has a code, a kind and a sentence for the user.
func TestEveryCommandOnAFailingDisk(t *testing.T) {
	kinds := []string{
		string(plan.HashMismatch), string(plan.Stale), string(plan.WrongState), string(plan.NoSuchPlan), string(plan.ApplyFailed),
		string(plan.UnsavedPreview), string(plan.NotAllowed), string(plan.Busy), string(plan.Invalid),
	}
	args := map[string][]any{
		command.Approve:       {map[string]any{"plan": 1}, map[string]any{"plan": 1, "hunk": "h1"}, map[string]any{"plan": 9}},
		command.Reject:        {map[string]any{"plan": 1, "hunk": "h1"}, map[string]any{"plan": 1}},
		command.Rework:        {map[string]any{"plan": 1, "feedback": "other words"}},
		command.Stage:         {map[string]any{"plan": 1, "remove": []string{"o1"}}, map[string]any{"plan": 1, "clear": true}},
		command.Edit:          {map[string]any{"plan": 1, "revision": 1, "path": "a.txt", "text": "plum\n"}},
		command.Rollback:      {map[string]any{"plan": 1, "revision": 1}},
		command.Comment:       {map[string]any{"plan": 1, "path": "a.txt", "line": 1, "text": "why?"}},
		command.Rate:          {map[string]any{"plan": 1, "rating": 4}},
		command.Undo:          {map[string]any{"plan": 1}, map[string]any{"plan": 2}},
		command.Review:        {map[string]any{"plan": 1}},
		command.Cancel:        {map[string]any{}},
		command.Show:          {map[string]any{"plan": 1}, map[string]any{"plan": 1, "view": "chat"}, map[string]any{"view": "trace"}, map[string]any{"plan": 1, "view": "edit"}},
		command.State:         {map[string]any{}, map[string]any{"all": true}},
		command.Hunks:         {map[string]any{}},
		command.Try:           {map[string]any{"plan": 1, "command": "true"}, map[string]any{"plan": 9}},
		command.Conversations: {map[string]any{}, map[string]any{"conversation": "1"}},
		command.Complete:      {map[string]any{"text": "/"}},
		command.Chat:          {"/try 1 true", "/approve 1", "/reject 1", "/status", "/undo 2", "/revisions 1", "what is this?"},

		command.AllowTrials: {map[string]any{}, map[string]any{"forbid": true}},
	}
	for name, f := range storetest.Each {
		for _, called := range command.Names() {
			t.Run(name+"/"+called, func(t *testing.T) {
				t.Parallel()
				given, ok := args[called]
				if !ok {
					t.Fatal("the test has no argument for this command")
				}
				disk, status := storetest.New(), t.TempDir()
				dir := t.TempDir()
				write(t, dir+"/a.txt", twoFruits)
				c := connectTo(t, lsptest.Honest(), dir, Options{NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
					kept := store.NewOn(disk.Name, status)
					t.Cleanup(func() { kept.Close() })
					return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{})}), nil
				}})
				c.must(c.Open("a.txt"))
				c.plan(`replace "apple" with "pear"`)
				disk.Fail(f)
				for _, argument := range given {
					_, err := c.Execute(c.ctx, called, argument)
					var refused *lsptest.Refusal
					switch {
					case err == nil:
					case !errors.As(err, &refused):
						t.Errorf("%v: %v", argument, err)
					case refused.Code != -32803 && refused.Code != -32602 || !slices.Contains(kinds, refused.Kind):
						t.Errorf("%v: %v", argument, refused)
					case strings.Contains(refused.Message, "SQL"), refused.Kind == string(plan.ApplyFailed) && !strings.HasSuffix(refused.Message, "."):
						t.Errorf("%v: %q is no sentence for a user", argument, refused.Message)
					}
				}
				disk.Repair()
				if _, err := c.Execute(c.ctx, command.State, nil); err != nil {
					t.Errorf("with the disk repaired: %v", err)
				}
			})
		}
	}
}
