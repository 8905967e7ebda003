// Package tool has the tools that a model may call: what each is called, what
// arguments it takes, and what it does. A tool either looks at the workspace
// now, seen through the draft of the turn, or stages an operation in that
// draft. Nothing that a tool can reach writes anything else, so that nothing
// happens before the user has approved it.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

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

	commands bool // what it stages is carried out as a command, and changes no file by itself
	params   params
	run      func(context.Context, *Env, call) Result
}

// Env is the environment of the tools in one turn.
type Env struct {
	Draft     *draft.Draft
	Workspace Workspace
	Named     func(path string) bool                                 // reports whether the user named the file: only then is a secret one shown; nil: no file was named
	Fetch     func(ctx context.Context, url string) (Fetched, error) // gets a text from a host that the user's settings allow; nil: they allow none
	Editor    Editor                                                 // nil: nobody looks
	Step      string                                                 // the step that operations belong to when a call names none and no plan was submitted
	Fixed     bool                                                   // all operations belong to Step, whatever a call names, because the model does not make the steps
	Asks      bool                                                   // the message is a question: edits in words that answer it are examples
	Develops  bool                                                   // the message asks for a change of files
	Again     bool                                                   // operations are staged again: a patch is all or nothing, and refused parts are not recorded
	MaxSteps  int                                                    // of a plan that is submitted; 0 for 15

	shown   int    // how often something was shown
	current string // the step that was named last, of a plan that was submitted
}

// Workspace is what tools can reach of the user's files besides the draft. It
// has no way to write.
type Workspace interface {
	Clean(name string) (path string, err error)
	WorkFolder(name string) (path string, err error)
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

	Refused   int  // how many files of a patch were refused, whether others are staged or not
	TakenBack bool // the call has taken operations out of the draft
	Submitted bool // the call has given the plan its steps
}

// call is one call of a tool.
type call struct {
	args
	raw  json.RawMessage // the arguments as the model gave them
	step string          // of a tool that stages: the step that its operation belongs to
	said string          // a note to the model on the step, because the call named none
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
	c := call{args: parsed, raw: raw, tool: t.Name}
	if t.Stages() && !(t.Name == textEditorName && c.text("command") == "view") {
		if c.step, err = env.stepOf(c.text("step"), t.commands); err != nil {
			return failure(t.Name, err)
		}
		if env.current != "" && c.text("step") == "" {
			c.said = "It belongs to step " + c.step + ", since the call names none."
		}
	}
	return t.run(ctx, env, c)
}

// Stages tells whether the tool stages operations: a plan that is submitted is
// none.
func (t Tool) Stages() bool { return t.Buffered && t.Name != submitPlanName }

// Edits tells whether the tool stages operations that change files by themselves: no
// commands.
func (t Tool) Edits() bool { return t.Stages() && !t.commands }

// stepOf returns the step that an operation belongs to: the one that is named, or
// the one that was named last. command tells what kind of operation it is.
func (env *Env) stepOf(named string, command bool) (string, error) {
	if env.Fixed {
		return env.Step, nil
	}
	submitted, _ := env.Draft.Submitted()
	if len(submitted.Steps) == 0 {
		return cmp.Or(named, env.Step), nil // it counts as a step, and is in the plan's only one in the end
	}
	step := named
	if step == "" {
		step = env.current
	}
	if step == "" {
		step = plan.FirstStep(submitted.Steps)
	}
	if err := env.Draft.MayStage(step, command); err != nil {
		return "", err
	}
	env.current = step
	return step, nil
}

// operation is the operation that a buffered call stages.
func (c call) operation() plan.Operation {
	return plan.Operation{Step: c.step, Tool: c.tool, Args: c.raw}
}

// All returns every tool, those that look first.
func All() []Tool {
	return []Tool{
		readFile, listFiles, search, outline,
		openLocation, showView, setDiffMode, submitPlan,
		editFile, applyPatch, writeFile, deleteFile, renameFile, textEditor, runCommand,
		askUser,
	}
}

// Reading returns the tools that stage nothing.
func Reading() []Tool {
	return slices.DeleteFunc(All(), func(t Tool) bool { return t.Buffered })
}

// aliases are other names that models know tools by.
var aliases = map[string]string{
	"str_replace_based_edit_tool": textEditor.Name,
}

// Find returns the tool of the set that a model calls by name, which may be an
// alias.
func Find(set []Tool, name string) (Tool, bool) {
	if real, ok := aliases[name]; ok {
		name = real
	}
	for _, t := range set {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
