// Package virtual makes the documents of the scheme redline: the base and the proposed text of a
// file of a plan, and its text in each revision, for a client that compares them.

package pages

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/backend"
	"redline/workspace"
)

// Text is TextDocumentContentResult, with the stale hunks that the text leaves out. They are not
// in the text itself, since the user compares every line of it.
type VirtualText struct {
	Text  string   `json:"text"`
	Stale []string `json:"stale,omitempty"`
}

// Made records what the text of a virtual document was made from, and its checksum. The same
// parts make the same text.
type Made struct {
	name VirtualName
	sum  [sha256.Size]byte

	file  *view.File   // nil if the plan does not touch it now
	lines *edits.Lines // then the buffer's text, nil if it is not open
}

// Documents makes the texts of virtual documents.
type Virtual struct {
	backend   *backend.Backend
	shown     *Shown
	workspace *workspace.Workspace
}

// New returns the virtual documents of a connection.
func NewVirtual(b *backend.Backend, s *Shown, w *workspace.Workspace) *Virtual {
	return &Virtual{b, s, w}
}

// Text makes the current text of a virtual document. For a file that the plan no longer touches
// it returns the file's text, so that an open comparison shows no difference.
func (v *Virtual) Text(ctx context.Context, name VirtualName) (made Made, text VirtualText, err error) {
	made.name = name
	if name.revision != 0 {
		text, err = v.ofRevision(ctx, name)
		return made, text, err
	}
	p, f := name.in(v.backend.Snapshot())
	if p == nil {
		return made, text, &plan.Refusal{Kind: plan.NoSuchPlan, Reason: fmt.Sprintf("There is no plan %d at hand.", name.plan)}
	}
	v.shown.NoteView(p)
	switch made.file = f; {
	case f == nil:
		file, err := v.workspace.Read(name.path)
		if err != nil {
			return made, text, &plan.Refusal{Kind: plan.NotAllowed, Reason: phrase.OneSentence(err.Error())}
		}
		if text.Text = file.Text; file.Buffer != nil {
			made.lines = file.Buffer.Lines
		}
	case name.view == viewBase:
		text.Text = f.Base
	default:
		text.Text, text.Stale = f.ProposedNow()
	}
	made.sum = sha256.Sum256([]byte(strings.Join(append(text.Stale, text.Text), "\x00")))
	return made, text, nil
}

// ofRevision returns the text of a file in a revision. Showing it does not count as showing the
// plan: it may be an earlier revision, and one file of it.
func (v *Virtual) ofRevision(ctx context.Context, name VirtualName) (VirtualText, error) {
	a, err := v.backend.Ready(ctx)
	if err != nil {
		return VirtualText{}, err
	}
	var side plan.Side
	switch {
	case name.to != 0:
		side, _, err = a.Sides(ctx, name.plan, name.revision, name.to, name.path)
	case name.from != 0:
		_, side, err = a.Sides(ctx, name.plan, name.from, name.revision, name.path)
	default:
		side, err = a.InRevision(ctx, name.plan, name.revision, name.path)
	}
	if err == nil && !side.Exists {
		side.Text = ""
	}
	return VirtualText{Text: side.Text}, err
}

// Current reports whether a document would have the same text now. A revision does not change.
func (v *Virtual) Current(m Made) bool {
	if m.name.revision != 0 {
		return true
	}
	_, f := m.name.in(v.backend.Snapshot())
	switch {
	case f == m.file && f != nil:
		return true
	case f == nil && m.file == nil:
		var lines *edits.Lines
		if b, ok := v.workspace.Buffer(m.name.path); ok {
			lines = b.Lines
		}
		return lines == m.lines
	}
	again, _, err := v.Text(context.Background(), m.name)
	return err == nil && again.sum == m.sum
}
