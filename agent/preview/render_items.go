package preview

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

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
			w.step(w.revision.Steps[e.step], statusOf(string(steps[e.step])))
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
	return w.layout == apart && e.operation >= 0 && w.revision.Operations[e.operation].IsCommand()
}

func (w *writer) step(s plan.Step, status string) {
	w.line("- [x] %s %s%s", phrase.OneLine(s.ID), phrase.OneLine(s.Description), status)
	for _, note := range []struct{ name, text string }{
		{"Why", s.Rationale}, {"Risk", s.Risk}, {"With", s.Tool}, {"After", strings.Join(s.DependsOn, ", ")},
		{"When", conditionOf(&s)}, {"If it fails", w.afterFailure(s.ID)}, {"Commands", w.commandsOf(s.ID)},
		{"At the same time", w.besides(s.ID)},
	} {
		if note.text != "" {
			w.line("  %s: %s", note.name, phrase.OneLine(note.text))
		}
	}
}

// conditionOf returns when a step is carried out, "" for always.
func conditionOf(s *plan.Step) string {
	if s.When == nil {
		return ""
	}
	return s.When.String()
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
	return "the plan goes on, because of " + strings.Join(ids, ", ")
}

// besides names the commands of a step, and those of others, that run at the same time; "" for none.
func (w *writer) besides(step string) string {
	if !slices.ContainsFunc(w.revision.Operations, isCommand) {
		return ""
	}
	for _, group := range w.revision.Parallel() {
		for _, id := range group {
			if o, _ := w.revision.Operation(id); o.Step == step {
				return strings.Join(phrase.FirstOf(group, maxTargets, "other"), ", ")
			}
		}
	}
	return ""
}

// sameTime says which of all commands run at the same time, "" if none do.
func (w *writer) sameTime() (text string) {
	for _, group := range w.revision.Parallel() {
		text += fmt.Sprintf(" At the same time: %s.", strings.Join(phrase.FirstOf(group, maxTargets, "other"), ", "))
	}
	return text
}

// commandsOf names the commands of a step if they are listed apart.
func (w *writer) commandsOf(step string) string {
	var ids []string
	for i := range w.revision.Operations {
		if o := &w.revision.Operations[i]; w.layout == apart && o.IsCommand() && o.Step == step {
			ids = append(ids, o.ID)
		}
	}
	if more := len(ids) - maxTargets; more > 0 {
		ids = append(ids[:maxTargets], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(ids, ", ")
}

// operation writes an operation: its file, or its whole command.
func (w *writer) operation(indent string, o *plan.Operation, status string) {
	if !o.IsCommand() {
		w.line("%s- [x] %s %s %s%s", indent, o.ID, o.Tool, w.target(o), status)
		return
	}
	w.line("%s- [x] %s %s%s%s%s", indent, o.ID, o.Tool, commandNotes(o), w.stepNote(o), status)
	w.fenced(indent+"  ", "sh", shownCommand(o)+"\n")
}

// stepNote names the step of a command that is not listed below it.
func (w *writer) stepNote(o *plan.Operation) string {
	if _, ok := w.revision.Step(o.Step); !ok || w.layout != apart {
		return ""
	}
	return ", step " + phrase.OneLine(o.Step)
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
var statusForm = lazyregexp.New(statusMark + `(?:in progress|completed|failed|applying|applied|rejected|stale|unverified|waiting for save|running|succeeded|skipped)$`)

// statusOf returns a status as shown after an item, "" for pending.
func statusOf(status string) string {
	if status == "pending" || status == "" {
		return ""
	}
	return statusMark + strings.ReplaceAll(status, "_", " ")
}

// Larger graphs and labels do not help a reader.
const (
	maxGraph = 30 // operations
	maxLabel = 60 // characters
)

// order writes which operations must follow which, as a Mermaid flowchart with the fewest
// arrows, and the suggested order if it differs. It does not draw that edits of one file keep
// their order.
func (w *writer) order() {
	r := w.revision
	if len(r.Operations) < 2 || len(r.Operations) > maxGraph || len(r.Changes) == 1 && !slices.ContainsFunc(r.Operations, isCommand) {
		return
	}
	d := r.Dependencies()
	edges := d.Reduced()
	ids := make([]string, len(r.Operations))
	for i := range r.Operations {
		ids[i] = r.Operations[i].ID
	}
	suggested := d.Suggested()
	other := !slices.Equal(ids, suggested)
	if len(edges) == 0 && !other {
		return
	}
	w.line("## Order\n")
	if len(edges) > 0 {
		w.line("An arrow leads to what must come after; operations that no arrows lead between may change places.\n")
		w.fenced("", "mermaid", w.flowchart(edges))
		w.line("")
	}
	if other {
		w.line("Suggested order: %s\n", phrase.OneLine(strings.Join(suggested, ", ")))
	}
}

func isCommand(o plan.Operation) bool { return o.IsCommand() }

// flowchart returns the graph. It names nodes by their positions: text of a model or a
// file is only in labels.
func (w *writer) flowchart(edges []plan.Edge) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	node := map[string]int{}
	for i := range w.revision.Operations {
		o := &w.revision.Operations[i]
		node[o.ID] = i + 1
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i+1, label(o.ID+" "+w.doing(o)))
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", node[e.From], node[e.To])
	}
	return b.String()
}

// doing describes an operation in a few words.
func (w *writer) doing(o *plan.Operation) string {
	switch {
	case o.IsCommand():
		return plan.CommandIn(o.Command, o.Folder())
	case o.Path != "":
		return o.Tool + " " + o.Path
	}
	changes := w.revision.Concerns(o)
	if len(changes) == 0 {
		return o.Tool
	}
	text := o.Tool + " " + changes[0].Path
	if more := len(changes) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// label formats a text as the label of a node: on one line, with every character that is special
// in Mermaid, Markdown or HTML written as a number.
func label(s string) string {
	runes := []rune(phrase.OneLine(edits.VisibleLine(strings.TrimSpace(s))))
	if len(runes) > maxLabel {
		runes = append(runes[:maxLabel-1], '…')
	}
	var b strings.Builder
	for _, c := range runes {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(" ._-/,:…()+−⟨⟩", c) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "#%d;", c)
		}
	}
	return b.String()
}
