package toolset

import (
	"context"
	"errors"
	"fmt"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/workspace"
)

// Replay stages operations again by their tool calls. No model sees the results, so files with
// secrets need not be named again.
func Replay(ctx context.Context, ws *workspace.Workspace) draft.Replay {
	tools := tool.All()
	return func(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
		if o.CallsServer() {
			if !showsCall(o.Command, o.Tool, o.Args) {
				return nil, fmt.Errorf("%s is not the call that it shows", o.ID)
			}
			s, err := d.Command(o.Command, "", plan.Operation{Tool: o.Tool, Args: o.Args})
			return []draft.Staged{s}, err
		}
		t, ok := tool.Find(tools, o.Tool)
		if !ok || !t.Stages() {
			return nil, fmt.Errorf("there is no tool %s", o.Tool)
		}
		r := t.Run(ctx, &tool.Env{Draft: d, Workspace: ws, Named: func(string) bool { return true }, Step: o.Step, Fixed: true, Again: true}, o.Args)
		if r.IsError {
			return nil, errors.New(r.Text)
		}
		return r.Staged, nil
	}
}
