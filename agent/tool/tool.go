// Package tool has the tools that a model may call: what each is called, what
// arguments it takes, and what it does. A tool either looks at the workspace
// now, seen through the draft of the turn, or stages an operation in that
// draft. Nothing that a tool can reach writes anything else, so that nothing
// happens before the user has approved it.
package tool

import (
	"context"
	"encoding/json"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/workspace"
)

// Tool is something that a model may call.
type Tool struct {
	Name        string
	Description string          // for the model
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Buffered    bool            // a call stages an operation, it has no effect by itself

	params params
	run    func(context.Context, *Env, call) Result
}

// Env is what tools work on in one turn.
type Env struct {
	Draft     *draft.Draft
	Workspace Workspace
	Named     func(path string) bool                                 // tells whether the user named the file: secret ones are shown only then; nil: none was
	Fetch     func(ctx context.Context, url string) (Fetched, error) // gets a text from a host that the user's settings allow; nil: they allow none
	Editor    Editor                                                 // nil: nobody looks
	Step      string                                                 // the step that operations belong to when a call names none

	shown int // how often something was shown
}

// Workspace is what tools can reach of the user's files besides the draft. It
// has no way to write.
type Workspace interface {
	Clean(name string) (path string, err error)
	Secret(path string) bool
	List(ctx context.Context, dir, glob string, overlay workspace.Overlay, limit int) (paths []string, left int, err error)
	Search(ctx context.Context, q workspace.Query, overlay workspace.Overlay) (hits []workspace.Hit, left int, err error)
	Outline(name, text string) []workspace.Symbol
}

// Result is the answer to a call.
type Result struct {
	Text    string         // for the model, at most [MaxResult] bytes
	IsError bool           // the call was not possible; Text says why, and what to do
	Summary string         // for the user, one line: "edit a.go +2 −1"
	Staged  []draft.Staged // what the call has staged, a file each; nil if nothing
	Asked   *Question      // what the user is to be asked, which ends the turn; nil for nothing
}

// call is one call of a tool.
type call struct {
	args
	raw  json.RawMessage // the arguments as the model gave them
	tool string          // the name that the model called it by
}

// Run runs one call. Arguments that do not fit are answered, as is everything
// else that the model can put right. When ctx ends, the answer is an error
// that says so.
func (t Tool) Run(ctx context.Context, env *Env, raw json.RawMessage) Result {
	parsed, err := t.params.parse(raw)
	if err != nil {
		return failure(t.Name, err)
	}
	return t.run(ctx, env, call{args: parsed, raw: raw, tool: t.Name})
}

// operation is the operation that a buffered call stages.
func (c call) operation(env *Env) plan.Operation {
	step := c.text("step")
	if step == "" {
		step = env.Step
	}
	return plan.Operation{Step: step, Tool: c.tool, Args: c.raw}
}
