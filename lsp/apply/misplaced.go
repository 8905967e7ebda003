package apply

import (
	"context"
	"iter"
	"slices"
	"strings"

	"redline/edits"
)

// maxDepth is how often taking back may itself have to be taken back.
const maxDepth = 3

// conclude finds out what became of a change that the client has accepted. What
// it has put into the wrong lines is taken back; that, and what it has left out
// for a newer text, is sent again, at most three times. Nothing is ever sent on
// top of what cannot be explained.
func (a *Applier) conclude(ctx context.Context, s *sending) {
	for !s.settled {
		file := a.see(s)
		wrong := s.misplaced()
		switch {
		case wrong != nil:
			if !a.putRight(ctx, s, wrong) {
				return
			}
		case !a.leftOut(s, file) || s.explained(file.Text) && s.resent == maxResends:
			a.verify(ctx, s)
			return
		case !s.explained(file.Text):
			s.settleHalf("The editor says that it changed " + s.change.Path + ", but the new lines are not where they belong, and it cannot be told where it put them: look at the file, and undo that in the editor.")
			return
		}
		if s.resent == maxResends {
			s.refuse("The editor put the change into the wrong lines each time, because the text was changed under it, so that it was taken back: approve it again")
			return
		}
		if a.again(s); s.settled {
			return
		}
		if err := a.send(ctx, []*sending{s}); err != nil || s.settled {
			return
		}
		a.awaitVerified(ctx, s)
	}
}

// again makes a change ready for the text of now, to be sent once more.
func (a *Applier) again(s *sending) {
	a.unwatch(s)
	next := a.prepare(s.change)
	next.unmake, next.resent, next.depth = s.unmake, s.resent+1, s.depth
	*s = *next
}

// awaitVerified is await for as long as a text may take to be seen.
func (a *Applier) awaitVerified(ctx context.Context, s *sending) {
	ctx, cancel := context.WithTimeout(ctx, a.timeouts.Verify)
	defer cancel()
	a.await(ctx, s)
}

// putRight takes back what the editor put into the wrong lines, around all that
// was typed since. If that does not work the change is settled with what is
// where, and it returns false.
func (a *Applier) putRight(ctx context.Context, s *sending, wrong *misplacement) bool {
	ok := a.takeOut(ctx, s, edits.Change{
		Path: s.change.Path, Base: wrong.after, Edits: edits.EditsOf(edits.Diff(wrong.after, wrong.before)),
	})
	if !ok {
		s.settleMisplaced("and it could not be taken back")
	}
	return ok
}

// takeOut makes a change that takes back what the editor has made of another,
// and tells whether it is out of the text.
func (a *Applier) takeOut(ctx context.Context, of *sending, c edits.Change) bool {
	if of.depth == maxDepth {
		return false
	}
	back := a.prepare(c)
	back.depth = of.depth + 1
	defer func() { a.unwatch(back) }()
	if !back.settled && a.send(ctx, []*sending{back}) == nil && !back.settled {
		a.awaitVerified(ctx, back)
		a.conclude(ctx, back)
	}
	return back.settled && back.result.Status == edits.Done
}

// settleMisplaced records that the editor put the change into the wrong lines
// and that it is still there.
func (s *sending) settleMisplaced(besides string) {
	s.settleHalf("The editor put the change into the wrong lines of " + s.change.Path +
		", because the text was changed while it was on its way, " + besides + ": undo it in the editor.")
}

// settleHalf records that something of the change is in the text and that no
// hunk is where it belongs.
func (s *sending) settleHalf(reason string) {
	s.settle(edits.Applied{Status: edits.Half, Reason: reason,
		Landings: slices.Repeat([]edits.Landing{edits.Absent}, len(s.change.Edits))})
}

// explained tells whether nothing in a text that has not got the change looks as
// if the editor had put some of it elsewhere: no new line is there more often
// than before, and, if some of the edits only take lines away, none went.
func (s *sending) explained(text string) bool {
	more, takes := map[string]int{}, false
	for _, e := range s.edits {
		blank := true
		for line := range contents(e.New) {
			more[line], blank = 0, false
		}
		takes = takes || blank
	}
	for line := range contents(text) {
		if n, put := more[line]; put {
			more[line] = n + 1
		}
	}
	for line := range contents(s.before) {
		if n, put := more[line]; put {
			more[line] = n - 1
		}
	}
	for _, n := range more {
		if n > 0 {
			return false
		}
	}
	return !takes || !slices.ContainsFunc(edits.Diff(s.before, text), func(h edits.Hunk) bool { return h.Removed > h.Added })
}

// contents calls yield for the lines of a text that are not blank, without
// their line ends.
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
