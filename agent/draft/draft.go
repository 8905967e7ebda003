// Package draft is the revision under construction during a turn: a layer of operations over
// the workspace. Reading through it shows the files as they would be after the operations. It
// never touches the files themselves: nothing here can write.
//
// Code that rearranges operations stages them again ([Replay]), each as its tool call, and checks
// the result: [Without] takes operations out of a revision, [Draft.Lean] drops redundant ones and
// is the dry run of the whole plan, [Draft.Join] merges the forks of several specialists, and
// [Unpark] restores the draft of a turn that has waited for an answer. An operation whose result
// differs is refused, kept as it was, or returned to be reported.
//
// A patch is staged file by file: [Draft.Possible] returns the files that can be staged. The
// draft records the refused ones, as it does every refused call ([Draft.Refuse]), until something is
// staged that makes them good. Those left at the end of the turn become plan.Unfinished of the
// revision.
package draft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"redline/agent/plan"
	"redline/internal/phrase"
	"redline/workspace"
)

// Reader gives a draft the current text of a file. The error for a file that cannot be read
// is a [*workspace.Refusal].
type Reader interface {
	Read(path string) (workspace.File, error)
}

// Draft is a layer of operations over the workspace. Paths are cleaned workspace paths. Its
// methods may be called from any goroutine. A method that cannot stage its operation stages
// nothing and returns a [*Refusal], a [*match.Refusal] or a [*workspace.Refusal], whose text
// answers the model.
type Draft struct {
	mu      sync.Mutex
	guarded content // used by open
}

// open locks the draft and returns its content. done unlocks it.
func (draft *Draft) open() (d *content, done func()) {
	draft.mu.Lock()
	return &draft.guarded, draft.mu.Unlock
}

// content is the state of a draft. Its methods need exclusive access: it was returned by open,
// or the draft is not shared yet.
type content struct {
	layer
	operations []plan.Operation
	notes      []string        // set by Resume
	submission Submission      // set by Submit
	begun      int             // how many operations there were when the turn began
	ran        map[string]bool // ids of commands of the plan that have succeeded
	start      *content        // the content when the turn began; nil if it had no operations
	whole      bool            // no operation of the turn may be left out, see Lean
	touched    map[string]bool // files that this turn has changed in an earlier draft, see ContinueFrom
	refused    []refused       // calls that were refused and not made good since, see Refuse

	submittedNow bool // this turn has submitted the steps
}

// New returns an empty draft over the workspace.
func New(w Reader) *Draft {
	return &Draft{guarded: *newContent(w)}
}

func newContent(w Reader) *content {
	return &content{layer: layer{w: w, bases: map[string]base{}, files: map[string]*file{}}}
}

// Read returns a file as it is in the draft. The first look at a file pins its base: later
// changes in the workspace do not show.
func (draft *Draft) Read(path string) (text string, exists bool, err error) {
	d, done := draft.open()
	defer done()
	f, err := d.look(path)
	if err != nil {
		return "", false, err
	}
	return f.text, f.exists, nil
}

// Overlay returns the files of the operations, to be put over the workspace.
func (draft *Draft) Overlay() workspace.Overlay {
	d, done := draft.open()
	defer done()
	return d.overlay()
}

// Operations returns all staged operations in order. Those that are new in this
// revision have no ids yet.
func (draft *Draft) Operations() []plan.Operation {
	d, done := draft.open()
	defer done()
	return slices.Clone(d.operations)
}

// FilesOf returns the paths of the files that operations of a step have made what they are, sorted.
func (draft *Draft) FilesOf(step string) (paths []string) {
	d, done := draft.open()
	defer done()
	for path, f := range d.files {
		if slices.ContainsFunc(f.operations, func(i int) bool { return d.operations[i].Step == step }) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Paths returns the paths of the operations, sorted.
func (draft *Draft) Paths() []string {
	d, done := draft.open()
	defer done()
	return slices.Sorted(maps.Keys(d.files))
}

// Looked returns the paths that were looked at or changed, in no order.
func (draft *Draft) Looked() []string {
	d, done := draft.open()
	defer done()
	return slices.Collect(maps.Keys(d.bases))
}

// asBegun reports whether f, the file at path, has not changed since the turn began, so that
// line numbers that the model knows are still right.
func (d *content) asBegun(path string, f *file) bool {
	return !d.touched[path] && !slices.ContainsFunc(f.operations, func(i int) bool { return i >= d.begun })
}

// stage adds an operation whose result is the file f at path.
func (d *content) stage(op plan.Operation, path string, f *file) {
	before, _, _ := d.now(path)
	d.place(op, path, f)
	d.settle(doing{path: path, tool: op.Tool, removed: before, added: f.text, gone: !f.exists})
}

// place does what stage does, and leaves the refusals as they are.
func (d *content) place(op plan.Operation, path string, f *file) {
	op.Path = path
	f.operations = append(slices.Clip(f.operations), len(d.operations))
	d.add(op)
	d.files[path] = f
}

func (d *content) add(op plan.Operation) { d.operations = append(d.operations, op) }

// Missing returns a sentence that there is no file at a path, and which files may have been
// meant. The caller adds what to do.
func (draft *Draft) Missing(path string) string {
	d, done := draft.open()
	defer done()
	return d.missing(path)
}

// Before returns the text of a file when the draft first looked at it. ok is false if
// the draft has not looked at it, or there was no file.
func (draft *Draft) Before(path string) (text string, ok bool) {
	d, done := draft.open()
	defer done()
	b, ok := d.bases[path]
	return b.text, ok && b.exists
}

// Texts returns the text of a file in the draft, and its text before the draft's operations, ""
// if there was none. ok is false if no operation concerns the file or the file is gone.
func (draft *Draft) Texts(path string) (before, now string, ok bool) {
	d, done := draft.open()
	defer done()
	f, ok := d.files[path]
	if !ok || !f.exists {
		return "", "", false
	}
	return d.bases[cmp.Or(f.origin, path)].text, f.text, true
}

// Fork returns an independent copy of the draft for a specialist who works beside others and
// knows no line numbers yet. [Draft.Join] joins the work of several.
func (draft *Draft) Fork() *Draft {
	f := copyOf(draft)
	f.begun, f.touched = len(f.operations), nil
	f.start = f.clone()
	return &Draft{guarded: *f}
}

// copyOf returns a copy of a draft's content.
func copyOf(draft *Draft) *content {
	d, done := draft.open()
	defer done()
	return d.clone()
}

// clone returns a copy. The values of the maps are shared, because they are never changed in
// place.
func (d *content) clone() *content {
	return &content{
		layer:      layer{w: d.w, bases: maps.Clone(d.bases), files: maps.Clone(d.files)},
		touched:    maps.Clone(d.touched),
		operations: slices.Clone(d.operations), notes: slices.Clone(d.notes), begun: d.begun,
		submission: d.submission, submittedNow: d.submittedNow, refused: d.refused, ran: d.ran,
	}
}

// become replaces the content with that of other, except for when the turn began.
func (d *content) become(other *content) {
	d.bases, d.files, d.operations, d.notes = other.bases, other.files, other.operations, other.notes
}

// Submission is a model's plan without its operations.
type Submission struct {
	Goal  string      `json:"goal"` // one line; "" if there is none yet
	Steps []plan.Step `json:"steps"`

	Report bool     `json:"report,omitempty"` // see [plan.Revision]
	Calls  []string `json:"calls,omitempty"`  // ids of the steps that AddStep has added
}

func (s Submission) clone() Submission {
	s.Steps, s.Calls = slices.Clone(s.Steps), slices.Clone(s.Calls)
	return s
}

// Submitted returns the steps that operations can belong to. There are none before a plan was
// submitted, unless one is reworked. now reports whether this turn has submitted them.
func (draft *Draft) Submitted() (s Submission, now bool) {
	d, done := draft.open()
	defer done()
	return d.submission.clone(), d.submittedNow
}

// Submit makes s, with checked steps, the plan of the draft. Steps that have operations must
// stay. Operations staged before there were steps move to the first one; note says so. The
// error is a [*Refusal] if the plan is not possible; then nothing changes.
func (draft *Draft) Submit(s Submission) (note string, err error) {
	d, done := draft.open()
	defer done()
	operations := slices.Clone(d.operations)
	moved := 0
	for i := range operations {
		o := &operations[i]
		if hasStep(s.Steps, o.Step) {
			continue
		}
		if hasStep(d.submission.Steps, o.Step) && !slices.Contains(d.submission.Calls, o.Step) {
			return "", refuse("", "step %s has operations already (%s): keep it in the plan", o.Step, o.Named())
		}
		o.Step = plan.FirstStep(s.Steps)
		moved++
	}
	if err := plan.CheckConditions(&plan.Revision{Steps: s.Steps, Operations: operations}); err != nil {
		return "", refuse("", "%s", err)
	}
	d.submission, d.submittedNow, d.operations = s, true, operations
	if moved > 0 {
		note = fmt.Sprintf("What was staged before belongs to step %s.", plan.FirstStep(s.Steps))
	}
	return note, nil
}

// AddStep adds a step for a call that is a step by itself, and returns its id; "" if the model has
// submitted its own steps in this turn, or the plan already has the most steps. drop removes the
// step again, unless it has operations, and reports whether it did.
func (draft *Draft) AddStep(description string, most int) (id string, drop func() bool) {
	d, done := draft.open()
	defer done()
	s := d.submission.clone()
	if d.submittedNow && len(s.Calls) == 0 || len(s.Steps) >= most {
		return "", nil
	}
	for n := len(s.Steps) + 1; id == "" || hasStep(s.Steps, id); n++ {
		id = fmt.Sprintf("s%d", n)
	}
	s.Steps, s.Calls = append(s.Steps, plan.Step{ID: id, Description: description}), append(s.Calls, id)
	d.submission, d.submittedNow = s, true
	return id, func() bool {
		d, done := draft.open()
		defer done()
		if d.hasIn(id) {
			return false
		}
		s := d.submission.clone()
		s.Steps = slices.DeleteFunc(s.Steps, func(step plan.Step) bool { return step.ID == id })
		s.Calls = slices.DeleteFunc(s.Calls, func(call string) bool { return call == id })
		d.submission, d.submittedNow = s, len(s.Calls) > 0
		return true
	}
}

// hasIn reports whether a step has operations.
func (d *content) hasIn(step string) bool {
	return slices.ContainsFunc(d.operations, func(o plan.Operation) bool { return o.Step == step })
}

func hasStep(steps []plan.Step, id string) bool {
	return slices.ContainsFunc(steps, func(s plan.Step) bool { return s.ID == id })
}

// MayStage refuses an operation of an unknown step, or one that cannot be in its step when the
// condition of the step is decided. command is true for an operation that runs something and
// changes no file itself.
func (draft *Draft) MayStage(step string, command bool) error {
	d, done := draft.open()
	defer done()
	steps := d.submission.Steps
	if len(steps) == 0 {
		return nil
	}
	i := slices.IndexFunc(steps, func(s plan.Step) bool { return s.ID == step })
	if i < 0 {
		return refuse("", "there is no step %q; the steps are\n%s\nsubmit_plan can change them", phrase.StartBytes(step, maxWords), listed(steps))
	}
	if c := steps[i].When; c != nil {
		switch {
		case !command:
			return refuse("", "step %s is carried out %s, and edits are made before any command has run: a step with a condition takes commands only. Stage the edit in a step without one, or leave it out: once the outcome is known, the user can have the plan reworked", step, c)
		case !d.hasIn(c.Step):
			return refuse("", "step %s is carried out %s: stage what step %s does first", step, c, c.Step)
		}
	}
	if !command {
		return nil
	}
	for k := range d.operations {
		o := &d.operations[k]
		if !o.IsCommand() {
			continue
		}
		if w := slices.IndexFunc(steps, func(s plan.Step) bool { return s.ID == o.Step && s.When != nil && s.When.Step == step }); w >= 0 {
			return refuse("", "step %s waits for the result of step %s, and has %s staged already: commands run in their order, so this one belongs to a step of its own", o.Step, step, o.Named())
		}
	}
	return nil
}

// listed lists the steps for the model, one per line.
func listed(steps []plan.Step) string {
	rows := make([]string, len(steps))
	for i, s := range steps {
		rows[i] = s.ID + ": " + phrase.StartBytes(phrase.OneLine(s.Description), maxWords)
	}
	return strings.Join(rows, "\n")
}

// maxWords is how many bytes of a model's words a refusal quotes.
const maxWords = 120
