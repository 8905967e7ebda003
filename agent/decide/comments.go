package decide

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// Comments keep what reviewers say about lines of plans, until a rework sends it to the model. They
// decide nothing: a comment changes neither the plan's state nor its hash. Their methods may be
// called from any goroutine.
type Comments struct {
	session *session.Session
	board   *board.Board
}

// NewComments makes the comments of a session.
func NewComments(s *session.Session, b *board.Board) *Comments { return &Comments{s, b} }

// Limits of comments.
const (
	maxComments = 200      // of one plan, without those that a rework has sent
	maxSent     = 1000     // of those that a rework has sent; the oldest are dropped
	maxComment  = 8 << 10  // bytes of one
	maxFeedback = 48 << 10 // bytes of all that one rework sends
)

// Add stores a comment on a line of the plan's current revision, and returns its id.
func (cs *Comments) Add(ctx context.Context, n int, c plan.Comment) (id string, err error) {
	c.ID, c.Time, c.Done, c.Text = newCommentID(), cs.session.Now().UTC(), false, strings.TrimSpace(c.Text)
	if c.Side == "" {
		c.Side = plan.NewSide
	}
	err = cs.change(ctx, n, func(v *view.Plan, next *plan.Plan) error {
		f := v.File(c.Path)
		switch {
		case c.Revision != 0 && c.Revision != v.Revision.Number:
			return view.NotAsShown(n)
		case c.Text == "":
			return plan.Refuse(plan.Invalid, "The comment is empty.")
		case len(c.Text) > maxComment:
			return plan.Refuse(plan.Invalid, "The comment has %d bytes, and one may have %d.", len(c.Text), maxComment)
		case openIn(next) >= maxComments:
			return plan.Refuse(plan.Invalid, "Plan %d has %s already: ask for a rework, or remove some.", n, phrase.Count(maxComments, "comment"))
		case f == nil:
			return plan.Refuse(plan.Invalid, "Plan %d does not touch %s.", n, c.Path)
		case c.Side != plan.OldSide && c.Side != plan.NewSide:
			return plan.Refuse(plan.Invalid, "A line is on the side old or new, and %q is neither.", string(c.Side))
		}
		c.Path, c.Revision = f.Change.Path, v.Revision.Number
		if lines := edits.CountLines(sideOf(f, c.Side)); c.Line < 1 || c.Line > max(lines, 1) {
			return plan.Refuse(plan.Invalid, "%s has no line %d there: it has %s.", c.Path, c.Line, phrase.Count(lines, "line"))
		}
		next.Progress.Comments = append(withoutOldest(next.Progress.Comments), c)
		return nil
	})
	return c.ID, err
}

// Remove removes a comment.
func (cs *Comments) Remove(ctx context.Context, n int, id string) error {
	return cs.change(ctx, n, func(_ *view.Plan, next *plan.Plan) error {
		i := slices.IndexFunc(next.Progress.Comments, func(c plan.Comment) bool { return c.ID == id })
		if i < 0 {
			return plan.Refuse(plan.Invalid, "Plan %d has no comment %s.", n, id)
		}
		next.Progress.Comments = slices.Delete(next.Progress.Comments, i, i+1)
		return nil
	})
}

// Open returns the open comments of a plan as feedback for the model, "" if there is none, and their
// ids. The revision that answers them marks them as done, so that they stay open if none is made.
func (cs *Comments) Open(ctx context.Context, n int) (feedback string, ids []string, err error) {
	tx, err := cs.board.Open(ctx, n)
	if err != nil {
		return "", nil, err
	}
	defer tx.Unlock()
	v := cs.board.View(tx.Held)
	var parts []string
	for i := range v.Plan.Progress.Comments {
		if c := &v.Plan.Progress.Comments[i]; !c.Done {
			parts, ids = append(parts, about(v, c)), append(ids, c.ID)
		}
	}
	feedback = strings.Join(parts, "\n\n")
	if len(feedback) > maxFeedback {
		return "", nil, plan.Refuse(plan.Invalid, "All comments together have %d bytes, and a rework may send %d: remove some.", len(feedback), maxFeedback)
	}
	return feedback, ids, nil
}

// HasOpen reports whether a plan has a comment that no rework has answered yet.
func HasOpen(p *plan.Plan) bool { return openIn(p) > 0 }

// openIn counts the open comments of a plan.
func openIn(p *plan.Plan) (n int) {
	for _, c := range p.Progress.Comments {
		if !c.Done {
			n++
		}
	}
	return n
}

// withoutOldest removes the oldest comments that are done, beyond the limit.
func withoutOldest(all []plan.Comment) []plan.Comment {
	tooMany := -maxSent
	for _, c := range all {
		if c.Done {
			tooMany++
		}
	}
	return slices.DeleteFunc(all, func(c plan.Comment) bool {
		if !c.Done || tooMany <= 0 {
			return false
		}
		tooMany--
		return true
	})
}

// about says to a model what a comment is about.
func about(v *view.Plan, c *plan.Comment) string {
	line := ""
	if f := v.File(c.Path); f != nil && c.Revision == v.Revision.Number {
		lines := edits.NewLines(sideOf(f, c.Side))
		if c.Line <= lines.Count() {
			line = strings.TrimSpace(lines.Content(c.Line - 1).Of(lines.Text()))
		}
	}
	where := fmt.Sprintf("%s, line %d", c.Path, c.Line)
	if c.Side == plan.OldSide {
		where += " of the old text"
	}
	if line != "" {
		where += " (" + phrase.ClipBytes(line, maxQuoted) + ")"
	}
	return where + ":\n" + c.Text
}

// maxQuoted is how many bytes of a line a comment quotes for the model.
const maxQuoted = 200

// sideOf returns a side of a change.
func sideOf(f *view.File, side plan.CommentSide) string {
	if side == plan.OldSide {
		return f.Base
	}
	return f.Proposed
}

// newCommentID returns an id that no other comment has anywhere.
func newCommentID() string {
	random := make([]byte, 10)
	_, _ = rand.Read(random) // never fails
	return "c" + strings.ToLower(base32.StdEncoding.EncodeToString(random))
}

// change stores a change of a plan's comments.
func (cs *Comments) change(ctx context.Context, n int, change func(v *view.Plan, next *plan.Plan) error) error {
	tx, err := cs.board.Open(ctx, n)
	if err != nil {
		return err
	}
	defer tx.Unlock()
	next := tx.Held.Plan().Clone()
	if tx.Executing() || next.State == plan.Drafting {
		return plan.Refuse(plan.Busy, "Plan %d is being worked on: comment on it once that is done.", n)
	}
	if err := change(cs.board.View(tx.Held), next); err != nil {
		return err
	}
	if err := tx.Save(ctx, next, nil); err != nil {
		return err
	}
	cs.board.Announce(tx.Held, "")
	return nil
}
