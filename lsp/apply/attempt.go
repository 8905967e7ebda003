package apply

import (
	"iter"
	"slices"
	"strings"

	"redline/agent/state"
	"redline/edits"
	"redline/edits/landed"
	"redline/internal/phrase"
	"redline/workspace"
)

// attempt is one change in progress: the text that it was prepared for, and its result
// once known. A retry prepares the change again.
type attempt struct {
	change edits.Change
	uri    string // of the file as it is now
	onDisk bool   // the server makes it, not the client

	open    *workspace.Buffer // nil if the client does not have the file open
	existed bool              // the file existed
	before  string            // its text
	bom     bool              // the file had a byte order mark
	edits   []edits.Edit      // of that text; for a deletion, those that empty a text that is nowhere else
	already []int             // indices in change.Edits of the edits that text already has
	after   *string           // before with the edits made; set when first needed

	plan  int                  // of a review
	hunks []state.ProposedHunk // of a review: the hunks that the edits belong to

	answered *workspace.Buffer // the open text when the client had accepted the change
	witness  *witness          // of the texts since it was sent; nil if they are not followed
	resent   int               // how often it was sent again
	depth    int               // 0 for a change, 1 for the change that reverts what the editor made of it, and so on
	unmake   func()            // removes the folders made for it; nil if there are none

	finished bool
	result   edits.Applied
}

func (t *attempt) refuse(reason string) *attempt {
	t.finish(edits.Applied{Status: edits.Refused, Reason: phrase.OneSentence(reason)})
	return t
}

func (t *attempt) finish(r edits.Applied) {
	r.Path = t.change.Path
	t.finished, t.result = true, r
}

// path returns the file's path after the change.
func (t *attempt) path() string {
	if t.change.Kind == edits.Rename {
		return t.change.NewPath
	}
	return t.change.Path
}

// landing reports, from the text of file, whether the whole change landed: Landed if
// some of it is there and nothing is missing, Absent if none of it is there.
func (t *attempt) landing(file workspace.File) edits.Landing {
	switch t.change.Kind {
	case edits.Delete:
		if file.Exists {
			return edits.Absent
		}
		return edits.Landed
	case edits.Create, edits.Rename:
		if !file.Exists {
			return edits.Absent
		}
	}
	if len(t.edits) == 0 || t.change.Kind == edits.Create && t.change.Text == "" {
		return edits.Landed
	}
	if t.misplaced() != nil {
		return edits.Unclear
	}
	landings := t.landings(file.Text)
	landed, absent := tally(landings)
	switch {
	case landed > 0 && absent == 0:
		return edits.Landed
	case absent == len(landings):
		return edits.Absent
	case t.arrived():
		return edits.Landed
	}
	return edits.Unclear
}

// landings reports for each edit of the change whether it landed in text. Callers ask
// several times, mostly with exactly the text that was asked for.
func (t *attempt) landings(text string) []edits.Landing {
	if t.after == nil {
		after, err := edits.Apply(t.before, t.edits)
		if err != nil {
			return make([]edits.Landing, len(t.edits)) // unclear
		}
		t.after = &after
	}
	if text != *t.after {
		return landed.Of(t.before, t.edits, text)
	}
	return slices.Repeat([]edits.Landing{edits.Landed}, len(t.edits))
}

// tally counts the edits that landed and those that did not.
func tally(landings []edits.Landing) (landed, absent int) {
	for _, l := range landings {
		switch l {
		case edits.Landed:
			landed++
		case edits.Absent:
			absent++
		}
	}
	return landed, absent
}

// finishLanded records the text of file, in which at least part of the change landed.
func (t *attempt) finishLanded(file workspace.File) {
	r := edits.Applied{Status: edits.Done, Text: file.Text}
	if t.change.Kind != edits.Delete {
		r.Landings = landed.WithMade(t.landings(file.Text), t.already)
	}
	if t.landing(file) != edits.Landed {
		r.Status = edits.Half
		r.Reason = t.change.Path + " changed while the edit was made, so the edit may be incomplete or in the wrong lines: look at the file, and if so, undo the edit in the editor."
	}
	t.finish(r)
}

// finishHalf records that part of the change is in the text, but no hunk is where it
// belongs.
func (t *attempt) finishHalf(reason string) {
	t.finish(edits.Applied{Status: edits.Half, Reason: reason,
		Landings: slices.Repeat([]edits.Landing{edits.Absent}, len(t.change.Edits))})
}

// made returns the edits of the change that are in text.
func (t *attempt) made(text string) []edits.Edit {
	if text == t.before {
		return nil
	}
	var made []edits.Edit
	for i, l := range t.landings(text) {
		if e := t.edits[i]; l == edits.Landed && t.before[e.Start:e.End] != e.New {
			made = append(made, e)
		}
	}
	return made
}

// madeInPart reports whether text differs from before only by some of the change's
// edits: nobody typed into it, and the client left the other edits out.
func (t *attempt) madeInPart(text string) bool {
	made := t.made(text)
	is, err := edits.Apply(t.before, made)
	return err == nil && is == text && len(made) > 0
}

func finishAll(batch []*attempt, status edits.Status, reason string) {
	for _, t := range batch {
		t.finish(edits.Applied{Status: status, Reason: reason})
	}
}

// anyFailed reports whether some change was not made as a whole, so that no other may
// begin.
func anyFailed(batch []*attempt) bool {
	return slices.ContainsFunc(batch, func(t *attempt) bool { return t.finished && t.result.Status != edits.Done })
}

func unfinished(batch []*attempt) []*attempt {
	var out []*attempt
	for _, t := range batch {
		if !t.finished {
			out = append(out, t)
		}
	}
	return out
}

// results returns the result of each change. A change that was sent but never verified
// is Unknown.
func results(batch []*attempt) []edits.Applied {
	out := make([]edits.Applied, len(batch))
	for i, t := range batch {
		out[i] = t.result
		if !t.finished {
			out[i] = edits.Applied{Path: t.change.Path, Status: edits.Unknown,
				Reason: "The editor has exited: the text of the file will show whether the change was made."}
		}
	}
	return out
}

// explained reports whether a text without the change shows no sign that the editor
// put part of it elsewhere: no new line occurs more often than before, and if some of
// the edits only remove lines, no lines are gone.
func (t *attempt) explained(text string) bool {
	more, removes := map[string]int{}, false
	for _, e := range t.edits {
		blank := true
		for line := range contents(e.New) {
			more[line], blank = 0, false
		}
		removes = removes || blank
	}
	count := func(text string, by int) {
		for line := range contents(text) {
			if n, put := more[line]; put {
				more[line] = n + by
			}
		}
	}
	count(text, 1)
	count(t.before, -1)
	for _, n := range more {
		if n > 0 {
			return false
		}
	}
	return !removes || !slices.ContainsFunc(edits.Diff(t.before, text), func(h edits.Hunk) bool { return h.Removed > h.Added })
}

// contents yields the lines of text that are not blank, without their line ends.
func contents(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) != "" && !yield(line) {
				return
			}
		}
	}
}

// progress reports the changes of an Apply whose texts have them, in order.
type progress struct {
	tell     func(n int) // nil once nothing is to be reported
	together bool        // the changes were made in one request: they are reported at once
	told     int
}

// look reports the changes that have landed since the last call, up to the first that has not.
// It waits for nothing. begun has the changes that were begun so far.
func (p *progress) look(f files, begun []*attempt) {
	if p.tell == nil {
		return
	}
	n := p.told
	for ; n < len(begun) && begun[n].seen(f); n++ {
		if !p.together {
			p.tell(n + 1)
		}
	}
	if p.together && n > p.told {
		p.tell(n)
	}
	p.told = n
}

// seen reports whether the change was verified, or an open text has all of it now. It reads no
// file.
func (t *attempt) seen(f files) bool {
	if t.finished || t.change.Kind != edits.Update {
		return t.finished && t.result.Status == edits.Done
	}
	b, open := f.workspace.Buffer(t.path())
	return open && t.landing(workspace.File{Path: t.path(), Exists: true, Text: b.Lines.Text(), Buffer: b}) == edits.Landed
}
