package preview

import (
	"fmt"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/modeline"
	"redline/internal/phrase"
)

// Limits of a preview. A preview says what it leaves out.
const (
	maxDiffs       = 2 << 20  // bytes of diffs
	maxDescription = 64 << 10 // bytes
	maxItems       = 20_000   // steps and edits, each a few lines; all commands are shown
	contextLines   = 3
)

// Beside is what a preview shows besides the plan. Read skips each of these parts.
type Beside struct {
	Trials   []state.Trial     // the plan's trials; only some of them are shown
	Problems *plan.Problems    // what language servers report, nil if it is not known
	Unparsed map[string]string // why a proposed file does not parse, by the path before the change

	OtherNames map[string]int // how many other names a file has on disk, by the path before the change
}

// Render returns the preview of a revision of p. text returns the text of a blob. The result
// depends on nothing else; decisions only show in the status after each item. Its first line
// names plan and revision, its last one the approval hash; its lines end with "\n", except where
// a changed file's do not.
//
// No text of a model or a file can pass for a part of the preview: such text is quoted,
// on one line, or in a fence, with invisible characters written out. Nor can it set an option
// of an editor: the first and the last five lines are Redline's own, see [modeline.Foot].
func Render(p *plan.Plan, r *plan.Revision, text func(plan.Blob) string, b Beside) string {
	return named.render(p, r, text, b)
}

// render does what Render does, in a layout.
func (l layout) render(p *plan.Plan, r *plan.Revision, text func(plan.Blob) string, b Beside) string {
	return l.status(p, r, b) + fixed(p.Number, r, text)
}

// status returns the beginning of a preview, with the statuses and what is beside the plan.
func (l layout) status(p *plan.Plan, r *plan.Revision, b Beside) string {
	w := &writer{plan: p, revision: r, layout: l}
	w.header()
	writeShared(w)
	w.tried(b.Trials)
	w.failed()
	w.problems(b.Problems)
	w.unparsed(b.Unparsed)
	w.otherNames(b.OtherNames)
	w.items()
	return edits.Visible(w.b.String())
}

// fixed returns the rest of a preview, which stays the same whatever becomes of its revision.
func fixed(number int, r *plan.Revision, text func(plan.Blob) string) string {
	w := &writer{revision: r, text: text}
	w.predicted()
	w.files(number)
	w.order() // after the changes, which come first
	return edits.Visible(w.b.String()) + modeline.Foot(
		fmt.Sprintf("This is the end of plan %d, revision %d.", number, r.Number), edits.Visible("hash: "+r.Hash))
}

// layout is where a preview lists the commands of a plan, and how it names steps and operations.
// Redline writes the first; Read still accepts those of earlier versions.
type layout int

const (
	named layout = iota // all commands in a section of their own; names for people
	apart               // the same; ids
	among               // commands among the other operations, in their steps; ids
)

// byID reports whether steps and operations are named by their ids.
func (l layout) byID() bool { return l != named }

// sections reports whether the commands have a section of their own.
func (l layout) sections() bool { return l != among }

// commandsHeading begins the section of the commands.
const commandsHeading = "## Commands"

// entry is an item of a list of steps and operations, by its index in the revision.
type entry struct {
	step, operation int // the index of the other kind is -1
	inStep          bool
}

// entries returns the items of a revision in the order in which they are shown, and how many
// steps and edits are not shown. If commands have their own section, all of them are shown.
func (l layout) entries(r *plan.Revision) (shown []entry, left int) {
	known := make(map[string]bool, len(r.Steps))
	for i := range r.Steps {
		known[r.Steps[i].ID] = true
	}
	inSteps := map[string][]int{} // the operations of each step
	var loose, commands []int     // the operations without a step, and the separate commands
	for k := range r.Operations {
		o := &r.Operations[k]
		switch {
		case l.sections() && o.IsCommand():
			commands = append(commands, k)
		case known[o.Step]:
			inSteps[o.Step] = append(inSteps[o.Step], k)
		default:
			loose = append(loose, k)
		}
	}
	for i := range r.Steps {
		id := r.Steps[i].ID
		shown = append(shown, entry{step: i, operation: -1})
		for _, k := range inSteps[id] {
			shown = append(shown, entry{step: -1, operation: k, inStep: true})
		}
		delete(inSteps, id) // if two steps have the same name, the first has them
	}
	for _, k := range loose {
		shown = append(shown, entry{step: -1, operation: k})
	}
	if left = len(shown) - l.most(); left > 0 {
		shown = shown[:l.most()]
	}
	for _, k := range commands {
		shown = append(shown, entry{step: -1, operation: k, inStep: known[r.Operations[k].Step]})
	}
	return shown, max(left, 0)
}

// most returns how many steps and operations are listed at most, not counting separate commands.
func (l layout) most() int {
	if l == among {
		return 2000
	}
	return maxItems
}

// writer writes one part of a preview.
type writer struct {
	b        strings.Builder
	plan     *plan.Plan // nil for the part that is fixed
	revision *plan.Revision
	text     func(plan.Blob) string // of that part
	layout   layout
	names    *labels // made on first use

	byPath      map[string]*plan.Change   // made on first use
	byOperation map[string][]*plan.Change // also made on first use
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// header writes the plan and revision, their extent, and how to decide on it.
func (w *writer) header() {
	p, r := w.plan, w.revision
	w.line("# Plan %d, revision %d\n", p.Number, r.Number)
	w.extent()
	w.line("Decide with the code actions here, `/approve %d` in the chat, or `redline plans approve %d`.\n", p.Number, p.Number)
	// So far everything is Redline's own, since editors read options in the first lines.
	w.line("**Goal:** %s\n", phrase.OneLine(p.Goal))
	if d := strings.TrimSpace(r.Description); d != "" && d != strings.TrimSpace(p.Goal) {
		w.quote(d)
	}
	w.drift()
}

const (
	extentStart  = "**Changes:** " // begins the line on how large the revision is
	programsWord = "new executable file"
)

// extent writes how large the revision is: "2 files, +4 −1, 1 command".
func (w *writer) extent() {
	var parts []string
	if files := w.revision.Changes; len(files) > 0 {
		var added, removed, programs int
		for i := range files {
			if files[i].MakesProgram() {
				programs++
			}
			a, r := size(&files[i])
			added, removed = added+a, removed+r
		}
		parts = append(parts, phrase.Count(len(files), "file"), fmt.Sprintf("+%d −%d", added, removed))
		if programs > 0 {
			parts = append(parts, phrase.Count(programs, programsWord))
		}
	}
	commands := 0
	for i := range w.revision.Operations {
		if w.revision.Operations[i].IsCommand() {
			commands++
		}
	}
	if commands > 0 {
		parts = append(parts, phrase.Count(commands, "command"))
		if w.revision.Report {
			parts = append(parts, "then a report on the results")
		}
	}
	if len(parts) > 0 {
		w.line(extentStart+"%s\n", strings.Join(parts, ", "))
	} else if w.revision.TextOnly {
		w.line(extentStart + "none yet: this is a plan in words.\n")
	} else {
		w.line(extentStart + "none: nothing is staged. Reject the plan to close it.\n")
	}
}

// drift writes how the files of a plan differ from those that were expected from the plan in
// words.
func (w *writer) drift() {
	d, ok := w.plan.Drift(w.revision)
	if !ok {
		return
	}
	w.line("**Files:** %s\n", plan.Drift{Unexpected: displayed(d.Unexpected), Untouched: displayed(d.Untouched)})
}

func displayed(paths []string) []string {
	var out []string
	for _, path := range paths {
		out = append(out, displayPath(path))
	}
	return out
}

// quote writes another author's Markdown as a quotation, which nothing in it can end early.
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

// predicted writes the files that a plan in words is expected to change.
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

// fenced writes a text, which ends with a line end, in a fence that the text cannot
// close.
func (w *writer) fenced(indent, language, text string) {
	marks := fence.Around(text)
	w.line("%s%s%s", indent, marks, language)
	for line := range strings.Lines(text) {
		w.b.WriteString(indent + line)
	}
	w.line("%s%s", indent, marks)
}

// files writes a section for each file of the plan with the number, with its unified diff.
func (w *writer) files(number int) {
	if len(w.revision.Changes) == 0 {
		return
	}
	w.line("## Files\n")
	left := maxDiffs
	for i := range w.revision.Changes {
		c := &w.revision.Changes[i]
		added, removed := size(c)
		name := displayPath(c.Path)
		if c.Action == plan.Rename {
			name += arrow + displayPath(c.NewPath)
		}
		program := ""
		if c.MakesProgram() {
			program = programWord
		}
		w.line("### %s (%s%s, +%d −%d)\n", name, c.Action, program, added, removed)
		w.diff(number, c, &left)
	}
}

// diff writes the diff of a file, unless it is longer than the bytes left.
func (w *writer) diff(number int, c *plan.Change, left *int) {
	base, proposed := w.text(c.Base), w.text(c.Proposed)
	oldName, newName := "a/"+c.Path, "b/"+c.Path
	switch c.Action {
	case plan.Create:
		oldName = "/dev/null"
	case plan.Delete:
		newName = "/dev/null"
	case plan.Rename:
		newName = "b/" + c.NewPath
	}
	// A diff is at least as long as the text that it adds and removes, so a huge one can
	// be left out without making it.
	least := 0
	for _, h := range c.Hunks {
		least += h.Old.Len() + h.New.Len()
	}
	diff := ""
	if least <= *left {
		diff = edits.UnifiedOf(diffName(oldName), diffName(newName), base, c.Edits(proposed), contextLines)
	}
	switch {
	case least > *left || len(diff) > *left:
		w.line("The diff of this file is left out, since all diffs here would be longer than %d MiB;", maxDiffs>>20)
		w.line("`redline plans diff %d` prints it.\n", number)
	case diff != "":
		*left -= len(diff)
		w.fenced("", "diff", nameBlocks(diff, base, c.Hunks))
		w.line("")
	case c.Action == plan.Rename:
		w.line("Its text stays as it is.\n")
	default:
		w.line("The file is empty.\n")
	}
}

var blockForm = lazyregexp.New(`^@@ -([0-9]+)(?:,([0-9]+))? \+[0-9]+(?:,[0-9]+)? @@$`)

// nameBlocks adds, after the "@@" of each block of a unified diff, the ids of its hunks,
// and how their places were found if not exactly. Hunks that are close together share a
// block.
func nameBlocks(diff, base string, hunks []plan.Hunk) string {
	// The line of base, counted from 1, where each hunk begins. Unified diffs count only
	// lines that end with "\n".
	first := make([]int, len(hunks))
	line, counted := 1, 0
	for i, h := range hunks {
		line += strings.Count(base[counted:h.Old.Start], "\n")
		first[i], counted = line, h.Old.Start
	}
	var b strings.Builder
	for row := range strings.Lines(diff) {
		m := blockForm().FindStringSubmatch(strings.TrimSuffix(row, "\n"))
		if m == nil {
			b.WriteString(row)
			continue
		}
		from, _ := strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		b.WriteString(strings.TrimSuffix(row, "\n"))
		last := from + count
		if count == 0 {
			last++ // a range without lines names the line before it
		}
		for len(hunks) > 0 && first[0] <= last {
			b.WriteString(" " + hunks[0].ID)
			if step := hunks[0].Loosely(); step != "" {
				b.WriteString(" (" + step + ")")
			}
			hunks, first = hunks[1:], first[1:]
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// diffName returns a name for the header of a unified diff: like git, a string literal if
// it would not be one line.
func diffName(name string) string {
	if quoted := strconv.Quote(name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}

func size(c *plan.Change) (added, removed int) {
	for _, h := range c.Hunks {
		added += h.Added
		removed += h.Removed
	}
	return added, removed
}
