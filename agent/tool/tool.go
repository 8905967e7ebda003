// Package tool has the tools that a model may call, with their names, arguments and effects. A
// tool either reads the workspace through the draft of the turn, or stages an operation in that
// draft. Tools have no other way to write, so nothing happens before the user has approved it.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/workspace"
)

// Tool is a function that a model may call.
type Tool struct {
	Name        string
	Description string          // for the model
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Buffered    bool            // a call stages an operation and has no effect by itself
	OfServer    bool            // it is a tool server's, see [Remote]
	Unoffered   bool            // not listed in requests, to save tokens; the model may call it all the same

	git      bool // it needs a Git repository
	language bool // it needs a language server
	commands bool // its operations run as commands and change no files themselves
	params   params
	prepare  func(given) error // converts arguments of other programs' tools into this tool's; nil for none
	run      func(context.Context, *Env, call) Result
}

// Env is the environment of the tools in one turn.
type Env struct {
	Draft     *draft.Draft
	Workspace Workspace
	Named     func(path string) bool                                 // reports whether the user named the file, since only then is a secret shown; nil: no file was named
	Fetch     func(ctx context.Context, url string) (Fetched, error) // fetches a text from a host that the user's settings allow; nil: they allow none
	Saw       func(path, text string, first, last int)               // notes that a reading tool has shown lines of a file with a text, counted from 1; nil: nobody wants to know
	Try       Trying                                                 // runs a command that changes nothing but the draft; nil: commands cannot be tried
	Git       Git                                                    // nil: there is no repository
	Languages Languages                                              // nil: no language server can be asked
	Editor    Editor                                                 // nil: no editor
	Step      string                                                 // the step of operations whose call names none, if no plan was submitted
	Fixed     bool                                                   // all operations belong to Step, even if a call names another, because the model does not make the steps
	Edits     bool                                                   // the turn can stage changes to files
	Asks      bool                                                   // the message is a question, so edits in its answer are examples
	Changes   bool                                                   // the turn may change files, so a call of a tool that it does not have is left undone
	Develops  bool                                                   // the message asks for a change to files
	Again     bool                                                   // operations are being staged again: a patch is all or nothing, and refusals are not recorded
	InAnswer  bool                                                   // the running call was made of edits in an answer
	Together  bool                                                   // [Env.Verdict] tells of the errors that several calls add, so their own answers do not
	MaxSteps  int                                                    // how many steps a submitted plan may have; 0 for 15

	// Forbidden returns why the turn may not use a tool with a name, "" if it is not forbidden;
	// nil: nothing is forbidden.
	Forbidden func(tool string) string

	shown    int             // how often a tool has shown something
	own      string          // the step that the running call itself is, see [Tool.RunAsStep]
	current  string          // the step of the submitted plan that a call named last
	unparsed map[string]bool // files with syntax errors that the model knows of
	checking *checking       // nil until the first check, see problems.go
	prepared map[string]bool // the files for which language servers were prepared
}

// Workspace is the tools' read-only access to the user's files besides the draft.
type Workspace interface {
	Clean(name string) (path string, err error)
	WorkFolder(name string) (path string, err error)
	Secret(path string) bool
	HidesAll() error // why all files count as secret, nil if they do not
	Stat(path string) (exists, isDir bool, err error)
	Decoded(path string, data []byte) (workspace.File, error)
	Content(path, text string, bom bool) []byte
	Alike(ctx context.Context, missing string, overlay workspace.Overlay) []string
	AlikeFolders(ctx context.Context, missing string, overlay workspace.Overlay) []string
	OffLimits(path string) error
	List(ctx context.Context, dir, glob string, overlay workspace.Overlay, limit int) (paths []string, left int, err error)
	Ignored(ctx context.Context, dir string) (n int, more bool, err error)
	Search(ctx context.Context, q workspace.Query, overlay workspace.Overlay) (workspace.Matches, error)
	Outline(name, text string) []workspace.Symbol
}

// Result is the answer to a call.
type Result struct {
	Text    string         // for the model, at most [MaxResult] bytes
	IsError bool           // the call was not possible; Text says why, and what to do
	Summary string         // for the user, one line: "edit a.go +2 −1"
	Staged  []draft.Staged // the staged operation, one entry per file; nil if nothing was staged
	Asked   *Question      // a question to the user, which ends the turn; nil for none

	Refused   int  // the number of refused files of a patch, even if others are staged
	TakenBack bool // the call took operations out of the draft
	Submitted bool // the call submitted the plan's steps

	Wants string // what the message wants instead of work, which ends the run: one of [Wants]; "" for none

	idle bool // the call was refused because there is nothing to change
}

// call is one call of a tool.
type call struct {
	args
	raw  json.RawMessage // the arguments under the tool's own names, to be recorded
	step string          // for a tool that stages: the step that the operation belongs to
	said string          // tells the model which step was taken, if the call named none
	tool string          // the name that the model used
}

// Run runs one call. Errors that the model can correct, such as wrong arguments, become answers.
// If ctx ends, the answer is an error that says so.
//
// A refused call that was to change something is recorded in the draft, see [draft.Draft.Refuse].
func (t Tool) Run(ctx context.Context, env *Env, raw json.RawMessage) Result {
	r := t.call(ctx, env, raw)
	t.recordRefusal(ctx, env, raw, r)
	return r
}

// call implements Run.
func (t Tool) call(ctx context.Context, env *Env, raw json.RawMessage) Result {
	parsed, err := t.parse(raw, env.Again)
	if err != nil {
		return failure(t.Name, err)
	}
	c := call{args: parsed.args, raw: parsed.raw, tool: t.Name}
	if t.Stages() && !(t.Name == textEditorName && c.text("command") == "view") {
		if c.step, err = env.stepOf(c.text("step"), t.commands); err != nil {
			return failure(t.Name, err)
		}
		if env.current != "" && c.text("step") == "" && env.own == "" && env.severalSteps() {
			c.said = "It belongs to step " + c.step + ", since the call names none."
		}
	}
	var before workspace.Overlay
	if env.Languages != nil && t.Edits() {
		before = env.Draft.Overlay()
	}
	r := t.run(ctx, env, c)
	env.Prepare()
	if len(r.Staged) > 0 && !env.Again {
		r.Text += env.parsing(r.Staged)
		if env.watches(r.Staged) && t.Name != renameSymbol.Name { // which checks itself
			env.checks().staged(before, r.Staged, t.Edits())
			if !env.Together {
				r.Text += env.Verdict(ctx)
			}
		}
	}
	if r.TakenBack {
		env.checks().leaveOpen()
	}
	if !env.Again && (len(r.Staged) > 0 || r.Submitted || r.TakenBack) {
		env.Draft.Did(t.Name, c.text("command"))
	}
	return r.without(parsed.unused)
}

// RunAsStep runs one call that is itself a step of the plan, described by step. The call makes
// no step if it stages nothing, names one of the plan's steps, the model has submitted its own
// steps in this turn, or the plan has the most steps already. With step "" it does what Run
// does.
func (t Tool) RunAsStep(ctx context.Context, env *Env, step string, raw json.RawMessage) Result {
	if step == "" || env.Fixed || !t.Stages() {
		return t.Run(ctx, env, raw)
	}
	id, drop := env.Draft.AddStep(step, cmp.Or(env.MaxSteps, maxSteps))
	if id == "" {
		return t.Run(ctx, env, raw)
	}
	before := env.current
	env.own = id
	r := t.Run(ctx, env, raw)
	env.own = ""
	if drop() { // nothing was staged in it
		env.current = before
	}
	return r
}

// Noted adds the model's reason for a call to its arguments, as [plan.NoteArg]. It returns them
// unchanged if they have one, or belong to another program's tool.
func (t Tool) Noted(raw json.RawMessage, note string) json.RawMessage {
	var as given
	if note = strings.TrimSpace(note); note == "" || t.params == nil || json.Unmarshal(raw, &as) != nil || as == nil {
		return raw
	}
	if slices.ContainsFunc(as.names(), func(name string) bool { return slices.Contains(noteNames, folded(name)) }) {
		return raw
	}
	as.set(plan.NoteArg, note)
	noted, err := as.encode()
	if err != nil {
		return raw
	}
	return noted
}

// Stages reports whether the tool stages operations; submit_plan does not.
func (t Tool) Stages() bool { return t.Buffered && t.Name != SubmitPlan }

// Edits reports whether the tool stages operations that change files themselves, unlike
// commands.
func (t Tool) Edits() bool { return t.Stages() && !t.commands }

// OfRepository reports whether the tool reads the repository's history.
func (t Tool) OfRepository() bool { return t.git }

// Stepless returns tools whose schema names no step, for a model whose operations all belong to
// one step, see [Env.Fixed]. A call may still name one.
func Stepless(tools []Tool) []Tool {
	out := slices.Clone(tools)
	for i, t := range out {
		if t.Stages() && slices.ContainsFunc(t.params, func(p param) bool { return p.name == stepParam.name }) {
			shown := slices.DeleteFunc(slices.Clone(t.params), func(p param) bool { return p.name == stepParam.name })
			out[i].Schema = shown.schema()
		}
	}
	return out
}

// stepOf returns the step of an operation: the one that the call names, or the one named last.
// command is true for a command.
func (env *Env) stepOf(named string, command bool) (string, error) {
	if env.Fixed {
		return env.Step, nil
	}
	submitted, _ := env.Draft.Submitted()
	if len(submitted.Steps) == 0 {
		return cmp.Or(named, env.Step), nil // it counts as a step, and is later moved to the plan's only one
	}
	step := named
	if env.own != "" && !slices.ContainsFunc(submitted.Steps, func(s plan.Step) bool { return s.ID == named }) {
		step = env.own
	}
	step = cmp.Or(step, env.current)
	if step == "" {
		step = plan.FirstStep(submitted.Steps)
	}
	if err := env.Draft.MayStage(step, command); err != nil {
		return "", err
	}
	env.current = step
	return step, nil
}

// severalSteps reports whether a call's step says something: the plan has more than one.
func (env *Env) severalSteps() bool {
	submitted, _ := env.Draft.Submitted()
	return len(submitted.Steps) > 1
}

// operation returns the operation that a buffered call stages.
func (c call) operation() plan.Operation {
	return plan.Operation{Step: c.step, Tool: c.tool, Args: c.raw}
}

// All returns every tool, those that read first.
func All() []Tool {
	return []Tool{
		readFile, listFiles, search, outline, references, definition, gitLog, gitDiff, gitBlame,
		openLocation, showView, setDiffMode, submitPlan,
		editFile, applyPatch, writeFile, deleteFile, renameFile, renameSymbol, textEditor, runCommand,
		askUser,
	}
}

// Reading returns the tools that stage nothing.
func Reading() []Tool {
	return slices.DeleteFunc(All(), func(t Tool) bool { return t.Buffered })
}

// OfFiles returns the tools that only read the workspace's files and their history.
func OfFiles() []Tool {
	return []Tool{readFile, listFiles, search, outline, references, definition, gitLog, gitDiff, gitBlame}
}

// Reporting returns the tools for reporting the results of a plan's commands: those that read
// files, and the one that shows a place in them.
func Reporting() []Tool { return append(OfFiles(), openLocation) }

// aliases are other programs' names for these tools.
var aliases = map[string]string{
	"str_replace_based_edit_tool": textEditor.Name,
	"str_replace_editor":          textEditor.Name,
	"textEditor":                  textEditor.Name,
	"http_get":                    fetchURL.Name,
}

// Find returns the tool of a set with a name. An alias is accepted unless a tool has that very
// name.
func Find(set []Tool, name string) (Tool, bool) {
	if t, ok := byName(set, name); ok {
		return t, true
	}
	if strings.HasPrefix(name, textEditor.Name+"_2") { // names with a date, such as text_editor_20241022
		return byName(set, textEditor.Name)
	}
	real, ok := aliases[name]
	if !ok {
		return Tool{}, false
	}
	return byName(set, real)
}

func byName(set []Tool, name string) (Tool, bool) {
	i := slices.IndexFunc(set, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return set[i], true
}

// pathNames are other names of the argument path.
var pathNames = []string{
	"file_path", "file", "filename", "file_name", "path_str", "target_file", "relative_path", "absolute_path",
	"relative_workspace_path", "notebook_path", "uri",
}

// folderNames are further names of it in tools that take a folder.
var folderNames = []string{
	"dir", "directory", "folder", "dir_path", "directory_path", "folder_path", "target_directory", "search_path", "search_directory", "root", "in", "subdir",
}

// pathParam is the argument of a tool that works on one file.
var pathParam = param{name: "path", kind: stringKind, required: true, also: pathNames}

// cwdParam is the folder of a command.
var cwdParam = param{name: "cwd", kind: stringKind, also: []string{"workdir", "working_directory", "work_dir", "directory", "dir"}}
