package draft

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/internal/phrase"
)

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
	if tail == 0 {
		tail = len(before) - last
	}
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
