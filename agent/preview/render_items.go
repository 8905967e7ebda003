package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// items writes the steps with their operations, and the operations without a step, as
// items with a tick; then the commands.
func (w *writer) items() {
	all, left := w.layout.entries(w.revision)
	operations := w.plan.Operations(w.revision)
	steps := w.plan.Steps(w.revision, operations)
	commands := slices.IndexFunc(all, w.isApart)
	if commands < 0 {
		commands = len(all)
	}
	if commands > 0 {
		w.line("## Steps\n")
	}
	for _, e := range all[:commands] {
		switch {
		case e.operation < 0:
			w.step(e.step, statusOf(string(steps[e.step])))
		case e.inStep:
			w.operation("  ", &w.revision.Operations[e.operation], statusOf(operations[e.operation]))
		default:
			w.operation("", &w.revision.Operations[e.operation], statusOf(operations[e.operation]))
		}
	}
	if left > 0 {
		w.line("\n%d more steps and operations are left out here; `redline plans show %d` lists them.", left, w.plan.Number)
	}
	if commands > 0 {
		w.line("")
	}
	if commands == len(all) {
		return
	}
	w.line(commandsHeading + "\n")
	w.line("They run in this order, after the edits that are approved with them.%s\n", w.sameTime())
	for _, e := range all[commands:] {
		w.operation("", &w.revision.Operations[e.operation], statusOf(operations[e.operation]))
	}
	w.line("")
}

// isApart reports whether an entry is listed in the section of the commands.
func (w *writer) isApart(e entry) bool {
	return w.layout.sections() && e.operation >= 0 && w.revision.Operations[e.operation].IsCommand()
}

func (w *writer) step(i int, status string) {
	s := &w.revision.Steps[i]
	if w.layout.byID() {
		w.line("- [x] %s %s%s", phrase.OneLine(s.ID), phrase.OneLine(s.Description), status)
	} else {
		w.line("- [x] Step %d: %s%s", i+1, phrase.OneLine(s.Description), status)
	}
	for _, note := range []struct{ name, text string }{
		{"Why", s.Rationale}, {"Risk", s.Risk}, {"With", s.Tool}, {"After", w.stepNames(s.DependsOn)},
		{"When", w.conditionOf(s)}, {"If it fails", w.afterFailure(s.ID)}, {"Commands", w.commandsOf(s.ID)},
		{"At the same time", w.besides(s.ID)},
	} {
		if note.text != "" {
			w.line("  %s: %s", note.name, phrase.OneLine(note.text))
		}
	}
}

// conditionOf returns when a step is carried out, "" for always.
func (w *writer) conditionOf(s *plan.Step) string {
	if s.When == nil {
		return ""
	}
	c := *s.When
	c.Step = strings.TrimPrefix(w.stepName(c.Step), "step ")
	return c.String()
}

// afterFailure returns what follows if a step that others wait for fails.
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
	if w.layout.byID() {
		return "the plan goes on, because of " + strings.Join(ids, ", ")
	}
	return "the plan continues with " + w.stepNames(ids)
}

// besides names the commands of a step, and those of others, that run at the same time; "" for none.
func (w *writer) besides(step string) string {
	if !slices.ContainsFunc(w.revision.Operations, isCommand) {
		return ""
	}
	for _, group := range w.revision.Parallel() {
		for _, id := range group {
			if o, _ := w.revision.Operation(id); o.Step == step {
				return strings.Join(phrase.FirstOf(w.operationNames(group), maxTargets, "other"), ", ")
			}
		}
	}
	return ""
}

// sameTime says which of all commands run at the same time, "" if none do.
func (w *writer) sameTime() (text string) {
	for _, group := range w.revision.Parallel() {
		text += fmt.Sprintf(" At the same time: %s.", strings.Join(phrase.FirstOf(w.operationNames(group), maxTargets, "other"), ", "))
	}
	return text
}

// commandsOf names the commands of a step if they are listed apart.
func (w *writer) commandsOf(step string) string {
	var ids []string
	for i := range w.revision.Operations {
		if o := &w.revision.Operations[i]; w.layout.sections() && o.IsCommand() && o.Step == step {
			ids = append(ids, o.ID)
		}
	}
	more := len(ids) - maxTargets
	if more > 0 {
		ids = ids[:maxTargets]
	}
	ids = slices.Clone(w.operationNames(ids))
	for i := range ids {
		ids[i] = strings.TrimPrefix(ids[i], "command ")
	}
	if more > 0 {
		ids = append(ids, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(ids, ", ")
}

// operation writes an operation: its file, or its whole command.
func (w *writer) operation(indent string, o *plan.Operation, status string) {
	switch {
	case !o.IsCommand() && w.layout.byID():
		w.line("%s- [x] %s %s %s%s", indent, o.ID, o.Tool, w.target(o), status)
		return
	case !o.IsCommand():
		w.line("%s- [x] %s%s", indent, w.operationName(o.ID), status)
		return
	case w.layout.byID():
		w.line("%s- [x] %s %s%s%s%s", indent, o.ID, o.Tool, commandNotes(o), w.stepNote(o), status)
	default:
		w.line("%s- [x] %s%s%s%s", indent, capital(w.operationName(o.ID)), commandNotes(o), w.stepNote(o), status)
	}
	w.fenced(indent+"  ", "sh", shownCommand(o)+"\n")
}

// stepNote names the step of a command that is not listed below it.
func (w *writer) stepNote(o *plan.Operation) string {
	if _, ok := w.revision.Step(o.Step); !ok || !w.layout.sections() {
		return ""
	}
	if w.layout.byID() {
		return ", step " + phrase.OneLine(o.Step)
	}
	if len(w.revision.Steps) == 1 {
		return ""
	}
	return ", for " + w.stepName(o.Step)
}

// shownCommand returns the command line of an operation as it is shown.
func shownCommand(o *plan.Operation) string {
	return edits.VisibleCommand(strings.TrimRight(o.Command, "\n"))
}

// maxTargets is how many files an operation is shown with.
const maxTargets = 8

// target returns the file or files that the operation concerns, the new path of a moved
// file, and the numbers of lines that the operation adds and removes if it alone makes
// the file's change.
func (w *writer) target(o *plan.Operation) string {
	w.index()
	if o.Path != "" {
		return fileTarget(o, o.Path, w.byPath[o.Path])
	}
	var targets []string
	changes := w.byOperation[o.ID]
	for _, c := range changes[:min(len(changes), maxTargets)] {
		targets = append(targets, fileTarget(o, c.Path, c))
	}
	if left := len(changes) - maxTargets; left > 0 {
		targets = append(targets, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(targets, ", ")
}

// index indexes the changes by their paths and by the operations that made them: a plan
// may have thousands of both.
func (w *writer) index() {
	if w.byPath != nil {
		return
	}
	w.byPath, w.byOperation = map[string]*plan.Change{}, map[string][]*plan.Change{}
	for i := range w.revision.Changes {
		c := &w.revision.Changes[i]
		for _, path := range []string{c.Path, c.NewPath} {
			if w.byPath[path] == nil && path != "" {
				w.byPath[path] = c
			}
		}
		for _, id := range slices.Compact(slices.Sorted(slices.Values(c.Operations))) {
			w.byOperation[id] = append(w.byOperation[id], c)
		}
	}
}

// fileTarget is target for one file and its change, nil if it has none.
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

// commandNotes returns how a command will run, apart from its command line. It reads the
// arguments like the code that runs the command.
func commandNotes(o *plan.Operation) string {
	args, err := plan.ReadCommandArgs(o.Args)
	if err != nil {
		return " " + phrase.OneLine(string(o.Args)) // show it as it is
	}
	notes := ""
	if in := plan.InFolder(o.Folder()); in != "" {
		notes += "," + in
	}
	if args.Timeout > 0 {
		notes += fmt.Sprintf(", at most %g s", args.Timeout.Seconds())
	}
	if args.Continues {
		notes += ", going on if it fails"
	}
	return notes
}

// statusMark begins the status of an item, after its text.
const statusMark = " · "

// statusForm matches the mark and the status of a step or an operation. Read ignores it:
// the status is not part of the plan.
var statusForm = lazyregexp.New(statusWords + `$`)

const statusWords = statusMark + `(?:in progress|completed|failed|applying|applied|rejected|stale|unverified|waiting for save|running|succeeded|skipped)`

// statusOf returns a status as shown after an item, "" for pending.
func statusOf(status string) string {
	if status == "pending" || status == "" {
		return ""
	}
	return statusMark + strings.ReplaceAll(status, "_", " ")
}

// Longer lists and names do not help a reader.
const (
	maxOrdered = 30 // operations
	maxName    = 60 // characters
)

// order lists which operations must come after which, without what follows from the rest of the list, and the
// suggested order if it differs. Edits of one file keep their order, of course.
func (w *writer) order() {
	r := w.revision
	if len(r.Operations) < 2 || len(r.Operations) > maxOrdered || len(r.Changes) == 1 && !slices.ContainsFunc(r.Operations, isCommand) {
		return
	}
	d := r.Dependencies()
	before, names := map[string][]string{}, map[string]string{}
	for i := range r.Operations {
		names[r.Operations[i].ID] = w.doing(&r.Operations[i])
	}
	for _, e := range d.Reduced() {
		if from := names[e.From]; from != names[e.To] && !slices.Contains(before[e.To], from) {
			before[e.To] = append(before[e.To], from)
		}
	}
	var ids, suggested []string
	for i := range r.Operations {
		ids = append(ids, r.Operations[i].ID)
	}
	for _, id := range d.Suggested() {
		suggested = append(suggested, names[id])
	}
	other := !slices.Equal(ids, d.Suggested())
	if len(before) == 0 && !other {
		return
	}
	w.line("## Order\n")
	if len(before) > 0 {
		w.line("What must come after something else; the rest may change places.\n")
		for _, id := range ids {
			if first := before[id]; len(first) > 0 {
				w.line("- %s, after: %s", names[id], strings.Join(first, "; "))
			}
		}
		w.line("")
	}
	if other {
		w.line("Suggested order: %s\n", strings.Join(suggested, "; "))
	}
}

func isCommand(o plan.Operation) bool { return o.IsCommand() }

// verbs are the words for the tools of operations.
var verbs = map[string]string{
	"edit_file": "edit", "apply_patch": "edit", "text_editor": "edit", "write_file": "write", "delete_file": "delete", "rename_file": "move", "rename_symbol": "rename",
}

// doing describes an operation in a few words on one line.
func (w *writer) doing(o *plan.Operation) string {
	name := func(s string) string {
		return phrase.Clip(phrase.OneLine(edits.VisibleLine(strings.TrimSpace(s))), maxName)
	}
	if o.IsCommand() {
		return "run " + name(plan.CommandIn(o.Command, o.Folder()))
	}
	text := name(cmp.Or(verbs[o.Tool], o.Tool))
	if o.Path != "" {
		return text + " " + name(o.Path)
	}
	changes := w.revision.Concerns(o)
	if len(changes) == 0 {
		return text
	}
	text += " " + name(changes[0].Path)
	if more := len(changes) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
