package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/blame"
	"redline/edits/match"
	"redline/edits/placeholder"
	"redline/internal/phrase"
)

// Edit replaces old with new, where it occurs once or, with all set, everywhere. If the file is
// empty or does not exist, old is "" and new is the whole text.
func (draft *Draft) Edit(path, old, new string, all bool, op plan.Operation) (Staged, error) {
	d, done := draft.open()
	defer done()
	if f, err := d.look(path); err == nil && old == "" && f.text == "" && new != "" {
		return d.write(path, new, op)
	}
	f, err := d.existing(path)
	if err != nil {
		return Staged{}, err
	}
	new, restored, err := placeholder.Resolve(path, old, new, placeholder.Part)
	if err != nil {
		return Staged{}, err
	}
	where := match.Where{All: all, Path: path}
	es, m, err := match.Replace(f.text, old, new, where)
	if err != nil && !all {
		if olds, news, left, ok := placeholder.Expand(path, f.text, old, new); ok {
			restored = left
			es, m, err = match.Replace(f.text, olds, news, where)
		}
	}
	if err != nil {
		return Staged{}, err
	}
	s, err := d.splice(path, f, es, slices.Repeat([]string{placeholder.Step(m.Step, len(restored) > 0)}, len(es)), m.Ends, op)
	if err == nil {
		s.addNote(placeholder.Restored(restored))
		if all {
			s.addNote(notePlaces(es, d.files[path].text))
		}
	}
	return s, err
}

// Splice makes one edit at a place given by line numbers, in the text returned by Read.
func (draft *Draft) Splice(path string, e edits.Edit, op plan.Operation) (Staged, error) {
	d, done := draft.open()
	defer done()
	f, err := d.existing(path)
	if err != nil {
		return Staged{}, err
	}
	new, restored, err := placeholder.Resolve(path, f.text[e.Start:e.End], e.New, placeholder.Part)
	if err != nil {
		return Staged{}, err
	}
	e.New = new
	e, ends := adapt.WithEnds(f.text, e)
	s, err := d.splice(path, f, []edits.Edit{e}, []string{placeholder.Step(stepLine, len(restored) > 0)}, ends, op)
	if err == nil {
		s.addNote(placeholder.Restored(restored))
	}
	return s, err
}

// splice stages edits of a file that are valid for [edits.Apply]. steps are the matching steps
// that found the places; ends is true if line ends were converted.
func (d *content) splice(path string, f *file, es []edits.Edit, steps []string, ends bool, op plan.Operation) (Staged, error) {
	next, s, err := d.edited(path, f, es, steps)
	if err == nil {
		if ends {
			s.Note = strings.TrimSpace(noteEnds + " " + s.Note)
		}
		d.stage(op, path, next)
	}
	return s, err
}

// edited returns the file after edits of f, and the result of the operation. It stages nothing.
func (d *content) edited(path string, f *file, es []edits.Edit, steps []string) (*file, Staged, error) {
	refused := func(err error) (*file, Staged, error) { return nil, Staged{}, err }
	size := len(f.text)
	for _, e := range es {
		size += len(e.New) - e.Len()
	}
	if err := d.fits(path, size); err != nil {
		return refused(err)
	}
	text, err := edits.Apply(f.text, es)
	if err != nil {
		return refused(refuse(path, "was not changed: %s", err))
	}
	if err := noNUL(path, text); err != nil {
		return refused(err)
	}
	if err := d.holds(f.origin, path, text, es...); err != nil {
		return refused(err)
	}
	es, text, dropped := withoutMark(es, text)
	if text == f.text {
		return refused(idle(path, "has that text already, so there is nothing to change"))
	}
	s := Staged{Path: path, Action: Update, Step: strings.Join(unique(steps), ", ")}
	if dropped && !d.hasBOM(f) {
		s.Note = noteNoMark
	}
	s.measure(f.text, text, es)
	next := &file{exists: true, text: text, origin: f.origin, mode: f.mode, bom: f.bom, operations: f.operations, movers: f.movers, covered: f.covered}
	if f.origin != "" {
		next.areas = f.areas.Edited(d.bases[f.origin].text, f.text, es, steps, len(d.operations), text)
	}
	return next, s, nil
}

// withoutMark removes the byte order mark that edits would put at the start of a text: the file
// keeps its own, or none.
func withoutMark(es []edits.Edit, text string) ([]edits.Edit, string, bool) {
	if len(es) == 0 || es[0].Start > 0 || !strings.HasPrefix(es[0].New, edits.BOM) {
		return es, text, false
	}
	es = slices.Clone(es)
	es[0].New, _ = edits.CutBOM(es[0].New)
	text, _ = edits.CutBOM(text)
	return es, text, true
}

// Write replaces the whole text of a file, or creates the file. An existing file keeps its form,
// see [adapt.Whole]; Staged.Note says what was adapted.
func (draft *Draft) Write(path, content string, op plan.Operation) (Staged, error) {
	d, done := draft.open()
	defer done()
	return d.write(path, content, op)
}

// write implements [Draft.Write].
func (d *content) write(path, content string, op plan.Operation) (Staged, error) {
	f, err := d.vacant(path)
	if err != nil {
		return Staged{}, err
	}
	s := Staged{Path: path, Action: Create}
	next := &file{exists: true, mode: f.mode, bom: f.bom, operations: f.operations, movers: f.movers, covered: f.operations}
	text, bom := edits.CutBOM(content)
	text, wrapped := bare(path, f.text, text)
	if f.exists {
		s.Action, next.origin = Update, f.origin
		var kept adapt.Kept
		content, kept = adapt.Whole(f.text, text)
		if s.Note = noteKept(kept); bom && !d.hasBOM(f) {
			s.addNote(noteNoMark)
		}
	} else if content, next.bom = text, bom; bom {
		s.Note = noteMark
	}
	s.addNote(wrapped)
	content, restored, err := placeholder.Resolve(path, f.text, content, placeholder.Whole)
	if err != nil {
		return Staged{}, err
	}
	if len(restored) > 0 {
		return d.restore(path, f, content, s.Note, restored, op)
	}
	if err := d.fits(path, len(content)); err != nil {
		return Staged{}, err
	}
	if f.exists && content == f.text {
		return Staged{}, idle(path, "%s", strings.TrimSpace("has that text already, so there is nothing to change. "+s.Note))
	}
	if err := noNUL(path, content); err != nil {
		return Staged{}, err
	}
	if err := d.holds(next.origin, path, content, edits.Edit{New: content}); err != nil {
		return Staged{}, err
	}
	s.measure(f.text, content, []edits.Edit{{Span: edits.Span{End: len(f.text)}, New: content}})
	if f.exists && !d.asBegun(path, f) {
		s.addNote(noteInstead)
	}
	next.text = content
	if next.origin != "" {
		next.areas = blame.AreasOf(edits.Diff(d.bases[next.origin].text, content), blame.Source{Calls: []int{len(d.operations)}})
	}
	d.stage(op, path, next)
	return s, nil
}

// restore stages content as the whole text of f, the file at path, after placeholders were
// replaced by lines of f. It counts as an edit of f, so that these lines still belong to the
// operations that made them.
func (d *content) restore(path string, f *file, content, note string, restored []placeholder.Placeholder, op plan.Operation) (Staged, error) {
	es := edits.EditsOf(edits.Diff(f.text, content))
	if len(es) == 0 {
		return Staged{}, idle(path, "has that text already, so there is nothing to change. %s", placeholder.Restored(restored))
	}
	s, err := d.splice(path, f, es, slices.Repeat([]string{placeholder.Step("", len(restored) > 0)}, len(es)), false, op)
	if err == nil {
		s.addNote(note)
		s.addNote(placeholder.Restored(restored))
	}
	return s, err
}

// Delete deletes a file.
func (draft *Draft) Delete(path string, op plan.Operation) (Staged, error) {
	d, done := draft.open()
	defer done()
	f, err := d.existing(path)
	if err != nil {
		return Staged{}, err
	}
	if err := d.mayLeave(path, f); err != nil {
		return Staged{}, err
	}
	s := Staged{Path: path, Action: Delete, Removed: edits.CountLines(f.text)}
	d.leave(path, f)
	d.stage(op, path, &file{operations: broughtBy(path, f)})
	return s, nil
}

// broughtBy returns the operations that moved f, a file to be deleted, to its path. It returns
// none if the file was there from the beginning, or if the draft made it.
func broughtBy(path string, f *file) []int {
	if f.origin == "" || f.origin == path {
		return nil
	}
	return f.operations
}

// leave records that the operation to be added removes f from path: a file that came
// from elsewhere is gone from there too.
func (d *content) leave(path string, f *file) {
	if from, ok := d.files[f.origin]; ok && f.origin != path {
		gone := *from
		gone.operations, gone.kept = append(slices.Clip(from.operations), len(d.operations)), nil
		d.files[f.origin] = &gone
	}
}

// Rename moves a file to a path without one.
func (draft *Draft) Rename(path, newPath string, op plan.Operation) (Staged, error) {
	d, done := draft.open()
	defer done()
	f, err := d.existing(path)
	if err != nil {
		return Staged{}, err
	}
	if err := d.mayLeave(path, f); err != nil {
		return Staged{}, err
	}
	if path == newPath {
		return Staged{}, idle(path, "has that name already, so there is nothing to change")
	}
	d.respell(path, newPath)
	target, err := d.vacant(newPath)
	if err != nil {
		return Staged{}, err
	}
	if target.exists {
		return Staged{}, refuse(newPath, "exists already; delete it first or choose another name")
	}
	if strings.HasPrefix(newPath, path+"/") {
		return Staged{}, refuse(newPath, "cannot be created: %s is a file", path)
	}
	if err := d.holds(f.origin, newPath, f.text); err != nil {
		return Staged{}, err
	}
	moved := *f
	moved.kept, moved.operations = nil, d.with(union(f.operations, target.operations))
	moved.movers = d.with(f.movers)
	d.files[newPath] = &moved
	d.place(op, path, &file{operations: f.operations})
	d.settle(doing{path: newPath, added: f.text})
	d.settle(doing{path: path, gone: true, movedTo: newPath})
	return Staged{Path: path, NewPath: newPath, Action: Rename}, nil
}

// Command stages a command line to run after approval, in the workspace folder cwd ("" for
// the first one).
func (draft *Draft) Command(command, cwd string, op plan.Operation) (Staged, error) {
	if strings.TrimSpace(command) == "" {
		return Staged{}, refuse("", "the command is empty; give the command line to run")
	}
	if strings.IndexByte(command, 0) >= 0 {
		return Staged{}, refuse("", "the command holds a NUL byte; leave it out")
	}
	d, done := draft.open()
	defer done()
	op.Command = command
	s := Staged{Path: cwd, Action: Command}
	if n := len(d.operations); n > d.begun && sameCommand(&d.operations[n-1], &op) {
		s.Note = noteTwice
	} else if id := d.waits(&op); id != "" {
		s.Note = fmt.Sprintf(noteWaits, id)
	}
	d.add(op)
	return s, nil
}

// Staged is the result of a staged operation.
type Staged struct {
	Path           string
	NewPath        string // of a rename
	Action         Action
	Step           string // how the place was found: "exact", "line"; "" if the operation has no place
	Lines          [2]int // first and last line, from 1, of the new text in the draft; for a deletion, the line that followed the deleted text; {0, 0} for none
	Added, Removed int    // counts of lines
	Note           string // further information for the model and the user, one sentence
}

// Action is what an operation does.
type Action string

// The actions.
const (
	Create  Action = "create"
	Update  Action = "update"
	Delete  Action = "delete"
	Rename  Action = "rename"
	Command Action = "command"
)

// stepLine is the step of a place given by its line number.
const stepLine = "line"

// measure sets Lines, Added and Removed for the edits es, which turned before into after.
func (s *Staged) measure(before, after string, es []edits.Edit) {
	first, last := es[0].Start, es[len(es)-1].End
	// Only whole lines around the edits can differ.
	start := strings.LastIndexByte(before[:first], '\n') + 1
	tail := strings.IndexByte(before[last:], '\n') + 1
	tail = cmp.Or(tail, len(before)-last)
	hunks := edits.Diff(before[start:last+tail], after[start:last+tail+len(after)-len(before)])
	for _, h := range hunks {
		s.Added += h.Added
		s.Removed += h.Removed
	}
	if len(hunks) == 0 || after == "" {
		return
	}
	from, to := start+hunks[0].New.Start, start+hunks[len(hunks)-1].New.End
	line := edits.LineOf(after, from) // index of the first line
	s.Lines = [2]int{line + 1, line + edits.LineOf(after[from:], max(to-1-from, 0)) + 1}
}

// addNote adds a sentence to the note; "" adds nothing.
func (s *Staged) addNote(sentence string) { s.Note = strings.TrimSpace(s.Note + " " + sentence) }

// noNUL refuses a text that would make a file binary.
func noNUL(path, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return refuse(path, "would hold a NUL byte, which no text file has; leave it out")
	}
	return nil
}

// noteEnds is the note on an edit whose line ends were converted.
const noteEnds = "Its line ends were made those of the lines around them."

// Notes on a byte order mark written by the model: it is not part of a text, and only a new
// file gets one.
const (
	noteMark   = "It starts with a byte order mark."
	noteNoMark = "The byte order mark was left out, since the file has none."
)

// Notes on an operation that is redundant, or that makes another one redundant, see
// [Draft.Lean].
const (
	noteInstead = "It takes the place of what was staged for the file before."
	noteWaits   = "The plan has this command already, as %s, and runs it when the user approves: it is not staged twice."
	noteTwice   = "It is the command before once more, with nothing between: the plan has it once."
)

// noteKept returns the note on a whole text that was adapted to the form of the file, "" if it
// was not adapted.
func noteKept(k adapt.Kept) string {
	var what []string
	if k.Ends {
		what = append(what, "its own line ends")
	}
	if k.Last {
		what = append(what, "the line end of its last line, which edit_file can take away")
	}
	if len(what) == 0 {
		return ""
	}
	return "The file keeps " + strings.Join(what, " and ") + "."
}

// maxPlaces is how many places of one edit a note names.
const maxPlaces = 10

// notePlaces returns the note on edits that replaced a text at every place: how many places, and
// on which lines of text, the text after the edits.
func notePlaces(es []edits.Edit, text string) string {
	index := edits.NewLines(text)
	var lines []string
	moved := 0
	for _, e := range es {
		line := strconv.Itoa(index.LineOf(min(e.Start+moved, len(text))) + 1)
		moved += len(e.New) - e.Len()
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	if more := len(lines) - maxPlaces; more > 0 {
		lines = append(lines[:maxPlaces:maxPlaces], fmt.Sprintf("%d more", more))
	}
	named := phrase.And(lines)
	if len(lines) == 1 {
		return fmt.Sprintf("It was replaced in %s, on line %s.", phrase.Count(len(es), "place"), named)
	}
	return fmt.Sprintf("It was replaced in %s, which are now on lines %s.", phrase.Count(len(es), "place"), named)
}

// unique returns the steps without "" and repetitions.
func unique(steps []string) []string {
	var out []string
	for _, s := range steps {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// union returns the indices that are in a or b, ascending.
func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
