package preview

import (
	"encoding/json"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/edits"
)

// What is shown of a plan that is huge. A preview says what it leaves out.
const (
	maxDiffs       = 2 << 20  // bytes of diffs
	maxDescription = 64 << 10 // bytes
	maxItems       = 2000     // steps and operations
	contextLines   = 3
)

// Render returns the preview of a revision of p. text returns the text of a
// blob. The result depends on nothing else; of what was decided only the status
// behind each item speaks. Its first line names plan and
// revision, its third the approval hash; its lines end with "\n", except where
// a changed file's do not.
//
// Nothing that a model or a file says can pass for a part of the preview: such
// text is quoted, on one line, or in a fence, and what a reader would not see
// of it is written out.
func Render(p *plan.Plan, r *plan.Revision, text func(plan.Blob) string) string {
	w := &writer{plan: p, revision: r, text: text}
	w.header()
	w.items()
	w.predicted()
	w.files()
	w.order() // last: what changes comes first
	return edits.Visible(w.b.String())
}

// writer writes one preview.
type writer struct {
	b        strings.Builder
	plan     *plan.Plan
	revision *plan.Revision
	text     func(plan.Blob) string
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// header writes what the preview is of, its extent, and how to decide on it.
func (w *writer) header() {
	p, r := w.plan, w.revision
	w.line("# Plan %d, revision %d\n", p.Number, r.Number)
	w.line("hash: %s\n", r.Hash)
	w.line("**Goal:** %s\n", oneLine(p.Goal))
	if d := strings.TrimSpace(r.Description); d != "" && d != strings.TrimSpace(p.Goal) {
		w.quote(d)
	}
	w.extent()
	w.drift()
	w.line("Decide with the code actions here, `/approve %d` in the chat, or `redline plans approve %d`.\n", p.Number, p.Number)
}

// extent writes how large the revision is: "2 files, +4 −1, 1 command".
func (w *writer) extent() {
	var parts []string
	if files := w.revision.Changes; len(files) > 0 {
		var added, removed int
		for i := range files {
			a, r := size(&files[i])
			added, removed = added+a, removed+r
		}
		parts = append(parts, count(len(files), "file"), fmt.Sprintf("+%d −%d", added, removed))
	}
	commands := 0
	for i := range w.revision.Operations {
		if w.revision.Operations[i].IsCommand() {
			commands++
		}
	}
	if commands > 0 {
		parts = append(parts, count(commands, "command"))
	}
	if len(parts) > 0 {
		w.line("**Changes:** %s\n", strings.Join(parts, ", "))
	} else if !w.revision.TextOnly {
		w.line("**Changes:** none, nothing is staged: rejecting the plan ends it.\n")
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// quote writes Markdown of somebody else's as a quotation, which ends where
// its last line does whatever is in it.
func (w *writer) quote(md string) {
	if len(md) > maxDescription {
		md = strings.ToValidUTF8(md[:maxDescription], "") + "\n\n(The rest of the description is left out.)"
	}
	md = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(md)
	for line := range strings.SplitSeq(md, "\n") {
		w.line("%s", strings.TrimRight("> "+line, " "))
	}
	w.line("")
}

// entry is an item of the list of steps and operations: one of them, by its
// index in the revision.
type entry struct {
	step, operation int // the other is -1
	inStep          bool
}

// entries returns the items of a revision in the order in which they are shown:
// the steps, each with its operations, and the operations that belong to no
// step. Those after the first [maxItems] are not shown.
func entries(r *plan.Revision) []entry {
	var out []entry
	known := map[string]bool{}
	for i := range r.Steps {
		id := r.Steps[i].ID
		out = append(out, entry{step: i, operation: -1})
		if known[id] {
			continue
		}
		known[id] = true
		for k := range r.Operations {
			if r.Operations[k].Step == id {
				out = append(out, entry{step: -1, operation: k, inStep: true})
			}
		}
	}
	for k := range r.Operations {
		if !known[r.Operations[k].Step] {
			out = append(out, entry{step: -1, operation: k})
		}
	}
	return out
}

// items writes the steps with their operations, and the operations that belong
// to no step, as items with a tick.
func (w *writer) items() {
	all := entries(w.revision)
	if len(all) == 0 {
		return
	}
	w.line("## Steps\n")
	operations := w.plan.Operations(w.revision)
	steps := w.plan.Steps(w.revision, operations)
	for _, e := range all[:min(len(all), maxItems)] {
		switch {
		case e.operation < 0:
			w.step(w.revision.Steps[e.step], statusOf(string(steps[e.step])))
		case e.inStep:
			w.operation("  ", &w.revision.Operations[e.operation], statusOf(operations[e.operation]))
		default:
			w.operation("", &w.revision.Operations[e.operation], statusOf(operations[e.operation]))
		}
	}
	if more := len(all) - maxItems; more > 0 {
		w.line("\n%d more steps and operations are left out here; `redline plans show %d` lists them.", more, w.plan.Number)
	}
	w.line("")
}

func (w *writer) step(s plan.Step, status string) {
	w.line("- [x] %s %s%s", oneLine(s.ID), oneLine(s.Description), status)
	for _, note := range []struct{ name, text string }{
		{"Why", s.Rationale}, {"Risk", s.Risk}, {"With", s.Tool}, {"After", strings.Join(s.DependsOn, ", ")},
		{"When", conditionOf(&s)}, {"If it fails", w.afterFailure(s.ID)},
	} {
		if note.text != "" {
			w.line("  %s: %s", note.name, oneLine(note.text))
		}
	}
}

// conditionOf says when a step is carried out, "" for in any case.
func conditionOf(s *plan.Step) string {
	if s.When == nil {
		return ""
	}
	return s.When.String()
}

// afterFailure says what follows from a failure of a step that others wait for.
func (w *writer) afterFailure(step string) string {
	var ids []string
	for _, s := range w.revision.Steps {
		if s.When != nil && s.When.Step == step && s.When.Outcome == plan.OutcomeFailed {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "the plan goes on, because of " + strings.Join(ids, ", ")
}

// operation writes an operation: its file, or all of its command.
func (w *writer) operation(indent string, o *plan.Operation, status string) {
	if !o.IsCommand() {
		w.line("%s- [x] %s %s %s%s", indent, o.ID, o.Tool, w.target(o), status)
		return
	}
	w.line("%s- [x] %s %s%s%s", indent, o.ID, o.Tool, commandNotes(o), status)
	w.fenced(indent+"  ", "sh", shownCommand(o)+"\n")
}

// shownCommand is the command line of an operation as it is shown.
func shownCommand(o *plan.Operation) string { return strings.TrimRight(o.Command, "\n") }

// maxTargets is how many files an operation is shown with.
const maxTargets = 8

// target returns the file that the operation concerns, or the files, where it
// goes if it is moved, and how many lines the operation adds and removes if it
// alone makes the file's change.
func (w *writer) target(o *plan.Operation) string {
	if o.Path != "" {
		c, _ := w.revision.Change(o.Path)
		return fileTarget(o, o.Path, c)
	}
	var targets []string
	changes := w.revision.Concerns(o)
	for _, c := range changes[:min(len(changes), maxTargets)] {
		targets = append(targets, fileTarget(o, c.Path, c))
	}
	if left := len(changes) - maxTargets; left > 0 {
		targets = append(targets, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(targets, ", ")
}

// fileTarget is target for one file and its change, nil if nothing has become
// of it.
func fileTarget(o *plan.Operation, path string, c *plan.Change) string {
	target := displayPath(path)
	if c == nil {
		return target
	}
	if c.Action == plan.Rename && (o.Tool == "rename_file" || len(c.Operations) == 1) {
		target += arrow + displayPath(c.NewPath)
	}
	if len(c.Operations) == 1 {
		if added, removed := size(c); added+removed > 0 {
			target += fmt.Sprintf(" (+%d −%d)", added, removed)
		}
	}
	return target
}

// commandNotes returns what besides the command line says how it will run.
func commandNotes(o *plan.Operation) string {
	var args struct {
		Cwd     string  `json:"cwd"`
		Timeout float64 `json:"timeout_seconds"`

		OnFailure string `json:"on_failure"`
	}
	if err := json.Unmarshal(o.Args, &args); err != nil {
		return " " + oneLine(string(o.Args)) // shown as it is
	}
	notes := ""
	if args.Cwd != "" {
		notes += ", in " + displayPath(args.Cwd)
	}
	if args.Timeout != 0 {
		notes += fmt.Sprintf(", at most %g s", args.Timeout)
	}
	if args.OnFailure == "continue" {
		notes += ", going on if it fails"
	}
	return notes
}

// predicted writes the files that a plan in words lets one expect.
func (w *writer) predicted() {
	r := w.revision
	if !r.TextOnly {
		return
	}
	w.line("No edits yet: approve this plan to have them worked out and shown before anything changes.\n")
	if len(r.Predicted) > 0 {
		w.line("## Expected files\n")
		for _, path := range r.Predicted[:min(len(r.Predicted), maxItems)] {
			w.line("- %s", displayPath(path))
		}
		w.line("")
	}
}

// fenced writes a text, which ends with a line end, in a fence that it cannot
// end.
func (w *writer) fenced(indent, language, text string) {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	w.line("%s%s%s", indent, fence, language)
	for line := range strings.Lines(text) {
		w.b.WriteString(indent + line)
	}
	w.line("%s%s", indent, fence)
}

func longestRun(s string, char byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != char {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// oneLine returns a text with every run of white space made one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
