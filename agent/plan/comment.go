package plan

import (
	"slices"
	"time"
)

// CommentSide is a side of a change.
type CommentSide string

// The sides of a change.
const (
	OldSide CommentSide = "old" // the text that the change was made from
	NewSide CommentSide = "new" // the text that the plan proposes
)

// Comment is what a reviewer says about a line of a plan, for the next rework.
type Comment struct {
	ID       string      `json:"id"`       // unique everywhere
	Revision int         `json:"revision"` // the revision whose line it is about
	Path     string      `json:"path"`     // the file, by its path before a rename
	Line     int         `json:"line"`     // the line, from 1
	Side     CommentSide `json:"side"`     // the text that has the line: `old` or `new`
	Text     string      `json:"text"`     // what it says
	Author   string      `json:"author"`   // `user`, or who wrote it
	Time     time.Time   `json:"time"`     // when, in UTC (RFC 3339)
	Done     bool        `json:"done"`     // a rework has sent it to the model, which has made a revision
}

// Answer marks comments as done.
func (p *Plan) Answer(comments []string) {
	for i := range p.Progress.Comments {
		if c := &p.Progress.Comments[i]; slices.Contains(comments, c.ID) {
			c.Done = true
		}
	}
}
