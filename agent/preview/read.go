package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/agent/plan"
	"redline/edits/blame"
	"redline/internal/phrase"
)

// Problem is a line of a preview that cannot be read, or that asks for something
// impossible.
type Problem struct {
	Line   int    // line number, from 0
	Reason string // one sentence for the user
	Note   bool   // a note; nothing is wrong
}

// maxProblems is how many problems are reported at once.
const maxProblems = 50

// Edit is a user's changes to the preview of a revision.
type Edit struct {
	Description *string           // the new one; nil: unchanged
	Items       []Item            // the listed steps and operations, in order; nil: unchanged
	Commands    map[string]string // operation id to its new command line
	Files       []FileEdit        // the files with a changed diff

	note   string         // where it was made, "" for in the preview
	layout layout         // the lines of the page
	lines  map[string]int // the line of each operation, hunk and file in the preview
}

// Item is a step or an operation in the preview's list.
type Item struct {
	ID        string
	Operation bool
	Step      string // for an operation: the step that it is listed under, "" for none
	Ticked    bool   // without a tick it is left out, with everything under it
}

// FileEdit is a changed diff of a file.
type FileEdit struct {
	Path     string // index of the change in the revision
	Proposed string
	Areas    blame.Areas // the differences from base; a hunk of the revision has its ID
	Lost     []string    // the hunks of the revision that it changes or drops
}

// Empty reports whether nothing was changed.
func (e *Edit) Empty() bool {
	return e.Description == nil && e.Items == nil && len(e.Commands)+len(e.Files) == 0
}

// Read returns the user's changes to the preview of revision r of p, whose text is now
// edited. It compares the parts of edited with those of the rendering, so outdated
// statuses, trials, graphs and line numbers do not count, and neither does the form of line ends.
// It compares a preview from an earlier version of Redline, with the commands among the
// steps, with such a rendering. text returns the text of a blob. If there are problems,
// ordered by line, do not use the edit.
func Read(p *plan.Plan, r *plan.Revision, text func(plan.Blob) string, edited string) (Edit, []Problem) {
	rendered := Render(p, r, text, Beside{})
	if rendered == edited {
		return Edit{}, nil
	}
	now := readPage(edited)
	l := layoutOf(now, r)
	if l != named {
		rendered = l.render(p, r, text, Beside{})
	}
	rd := &reader{revision: r, text: text, was: readPage(rendered), now: now, names: &writer{revision: r, layout: l}}
	rd.edit.layout, rd.edit.lines = l, map[string]int{}
	rd.norm = func(line string) string { return line }
	if rd.now.trimsEnds(rd.was) {
		rd.norm = func(line string) string { return strings.TrimRight(line, " \t") }
	}
	rd.problems = rd.now.problems
	if i := slices.IndexFunc(rd.now.lines, func(line string) bool { return !utf8.ValidString(line) || strings.Contains(line, "\x00") }); i >= 0 {
		rd.problem(i, "This line has bytes that are not UTF-8 text: remove them.")
	}
	rd.rest(p)
	rd.description()
	rd.items()
	rd.files()
	return rd.edit, inOrder(rd.problems)
}

// inOrder returns the problems to report, ordered by line.
func inOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems[:min(len(problems), maxProblems)]
}

// reader reads one preview.
type reader struct {
	restorer
	revision *plan.Revision
	text     func(plan.Blob) string
	was, now *page
	edit     Edit
	problems []Problem
	searches int // how many blocks of diffs needed a search of the whole file
	names    *writer

	strangers int // how many items were never shown in their form
}

func (r *reader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Line: line, Reason: fmt.Sprintf(format, args...)})
}

// rest checks that all remaining lines were written by Redline.
func (r *reader) rest(p *plan.Plan) {
	if r.now.plan != p.Number || r.now.revision != r.revision.Number {
		r.problem(0, "The first line must be as it was: # Plan %d, revision %d.", p.Number, r.revision.Number)
	}
	known := map[string]bool{}
	for _, i := range r.was.rest {
		known[strings.TrimSpace(r.was.lines[i])] = true
	}
	for _, i := range r.now.rest {
		switch line := strings.TrimSpace(r.now.lines[i]); {
		case known[line], strings.HasPrefix(line, extentStart):
		case strings.HasPrefix(line, "hash: "):
			r.problem(i, "This is not the hash of revision %d: undo the change of this line.", r.revision.Number)
		default:
			r.problem(i, "This line cannot be read: what can be changed here is ticks, the order of items, the description, commands, and the lines of diffs.")
		}
	}
}

// description reads the quotation at the start.
func (r *reader) description() {
	quoted := func(p *page, i int) string {
		line := strings.TrimPrefix(p.lines[i], ">")
		return strings.TrimRight(strings.TrimPrefix(line, " "), " \t")
	}
	var now []shown
	for _, i := range r.now.quote {
		now = append(now, shown{line: i, text: quoted(r.now, i)})
	}
	if slices.EqualFunc(r.was.quote, now, func(i int, s shown) bool { return quoted(r.was, i) == s.text }) {
		return
	}
	was := ""
	if len(r.was.quote) > 0 {
		was = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimSpace(r.revision.Description))
	}
	if len(was) > maxDescription {
		r.problem(r.now.first(), "The description is too long to be changed here, since not all of it is shown.")
		return
	}
	var rows []string
	for _, line := range rowsOf(was) {
		rows = append(rows, strings.TrimRight(line, " \t\n")+"\n")
	}
	lines, problems := r.restore(now, rows, nil, "\n")
	r.problems = append(r.problems, problems...)
	text := strings.TrimSpace(strings.Join(lines, ""))
	r.edit.Description = &text
}

// first returns the first line of the description, or else of the page.
func (p *page) first() int {
	if len(p.quote) > 0 {
		return p.quote[0]
	}
	return 0
}

// items reads the list of steps and operations.
func (r *reader) items() {
	all, _ := r.edit.layout.entries(r.revision)
	if len(r.was.items) != len(all) {
		r.problem(0, "This preview cannot be read back: change the plan with `redline plans stage`.")
		return
	}
	unused := map[string][]int{} // text to the indices of all items with it
	for i, it := range r.was.items {
		unused[it.text] = append(unused[it.text], i)
	}
	found := make([]bool, len(all))
	var order []int
	ticked := true
	step := ""
	var list []Item
	for k := range r.now.items {
		it := &r.now.items[k]
		same := unused[it.text]
		if len(same) == 0 {
			r.strange(it, all)
			continue
		}
		i := same[0]
		unused[it.text], found[i] = same[1:], true
		order = append(order, i)
		ticked = ticked && it.ticked
		if e := all[i]; e.operation < 0 {
			step = r.revision.Steps[e.step].ID
			list = append(list, Item{ID: step, Ticked: it.ticked})
			if it.fence != nil {
				r.problem(it.fence.line, "This block belongs to nothing: only a command has one.")
			}
		} else {
			o := &r.revision.Operations[e.operation]
			under := ""
			switch {
			case r.edit.layout.sections() && o.IsCommand():
				under = r.under(e)
			case it.inner:
				under = step
			}
			list = append(list, Item{ID: o.ID, Operation: true, Step: under, Ticked: it.ticked})
			r.edit.lines[o.ID] = it.line
			r.command(o, it, r.was.items[i].fence)
			ticked = ticked && under == r.under(e)
		}
	}
	for i, e := range all {
		if found[i] {
			continue
		}
		r.problem(r.listed(), "The line of %s is not in the list any more: put it back, and untick it to leave it out.", r.names.itemName(e))
	}
	if !ticked || !slices.IsSorted(order) {
		r.edit.Items = list
	}
}

// under returns the step under which an item was shown.
func (r *reader) under(e entry) string {
	if e.inStep {
		return r.revision.Operations[e.operation].Step
	}
	return ""
}

// listed returns the line where the list begins.
func (r *reader) listed() int {
	for i, line := range r.now.lines {
		if strings.TrimSpace(line) == "## Steps" {
			return i
		}
	}
	return 0
}

// strange reports what is wrong with an item that was never shown in this form.
func (r *reader) strange(it *item, all []entry) {
	if r.strangers++; r.strangers > maxProblems {
		return // the first ones are reported
	}
	for k, e := range all {
		switch was := r.was.items[k].text; {
		case was == it.text:
			r.problem(it.line, "This item is here twice: remove one of the two.")
			return
		case r.names.begins(it.text, e):
			r.problem(it.line, "Only the tick and the place of this item can be changed: it was %q.", phrase.StartBytes(was, 80))
			return
		}
	}
	r.problem(it.line, "Nothing can be added to this list: ask for it with /rework.")
}

// command reads the command line below an operation.
func (r *reader) command(o *plan.Operation, it *item, was *codeBlock) {
	switch {
	case !o.IsCommand() && it.fence != nil:
		r.problem(it.fence.line, "This block belongs to nothing: %s is no command.", r.names.operationName(o.ID))
		return
	case !o.IsCommand() || was == nil:
		return
	case it.fence == nil:
		r.problem(it.line, "The command line of %s is gone: put it back, and untick it to leave it out.", r.names.operationName(o.ID))
		return
	}
	old, now := r.was.within(was), r.now.within(it.fence)
	if slices.EqualFunc(old, now, func(a, b string) bool { return r.norm(a) == r.norm(b) }) {
		return
	}
	var lines []shown
	for i, line := range now {
		lines = append(lines, shown{line: it.fence.first + i, text: r.norm(line)})
	}
	rows, problems := r.restore(lines, rowsOf(shownCommand(o)+"\n"), nil, "\n")
	r.problems = append(r.problems, problems...)
	command := strings.TrimRight(strings.Join(rows, ""), "\r\n")
	if strings.TrimSpace(command) == "" {
		r.problem(it.fence.line, "The command is empty: untick it to leave it out.")
		return
	}
	if r.edit.Commands == nil {
		r.edit.Commands = map[string]string{}
	}
	r.edit.Commands[o.ID] = command
}
