package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/edits"
	"redline/edits/blame"
)

// Pieces returns the pieces of a change from base to proposed that can be decided on one
// by one. A create or delete is one piece, even for an empty file. Any other change has
// its areas, joined until each can be decided on by itself; without areas, the pieces of
// the plain difference.
func Pieces(action Action, base, proposed string, areas blame.Areas) blame.Areas {
	switch {
	case action == Create || action == Delete:
		return blame.Areas{{Old: edits.Span{End: len(base)}, New: edits.Span{End: len(proposed)}}}
	case base == proposed:
		return nil
	case areas == nil:
		return blame.AreasOf(edits.Diff(base, proposed), blame.Source{})
	}
	return areas.Separate(base, proposed)
}

// Hunks returns the pieces of a change as hunks, see [Pieces] and [HunksOf].
func Hunks(action Action, base, proposed string, areas blame.Areas) []Hunk {
	return HunksOf(Pieces(action, base, proposed, areas), base, proposed)
}

// HunksOf returns pieces of a change as hunks. They have the names of the pieces, and
// count as made by all of the change's operations.
func HunksOf(pieces blame.Areas, base, proposed string) []Hunk {
	hunks := make([]Hunk, len(pieces))
	for i, a := range pieces {
		hunks[i] = Hunk{
			ID: a.ID, Old: a.Old, New: a.New, Match: a.Step,
			Removed: edits.CountLines(base[a.Old.Start:a.Old.End]), Added: edits.CountLines(proposed[a.New.Start:a.New.End]),
		}
	}
	return hunks
}

// Edits returns the hunks of the change as edits of its base text. proposed is
// the other text.
func (c *Change) Edits(proposed string) []edits.Edit {
	es := make([]edits.Edit, len(c.Hunks))
	for i, h := range c.Hunks {
		es[i] = edits.Edit{Span: h.Old, New: proposed[h.New.Start:h.New.End]}
	}
	return es
}

// piece is the edit of a hunk and its file.
type piece struct {
	path     string
	action   Action
	old, new string
}

// nameHunks sets the ids of the hunks of r. A hunk that already has an id is the parent's
// hunk of that id, and keeps it with the decisions on it, if it does the same to the same
// file: only the maker of r can know this, since equal lines may be in many places. Any
// other hunk gets an id that the plan has never used. r gets its own copy of the changes,
// since they may belong to another revision too.
func (p *Plan) nameHunks(r *Revision, text func(Blob) string) {
	known := map[string]piece{} // by id
	if parent, ok := p.Revision(r.Parent); ok {
		eachPiece(parent, text, func(k piece, h *Hunk) { known[h.ID] = k })
	}
	r.Changes = slices.Clone(r.Changes)
	for i := range r.Changes {
		r.Changes[i].Hunks = slices.Clone(r.Changes[i].Hunks)
	}
	kept := map[*Hunk]bool{}
	eachPiece(r, text, func(k piece, h *Hunk) {
		if was, ok := known[h.ID]; ok && was == k {
			kept[h] = true
			delete(known, h.ID)
		}
	})
	for i := range r.Changes {
		for j := range r.Changes[i].Hunks {
			if h := &r.Changes[i].Hunks[j]; !kept[h] {
				p.NextHunk++
				h.ID = "h" + strconv.Itoa(p.NextHunk)
			}
		}
	}
}

// eachPiece calls yield for the hunks of a revision, except those whose texts are
// missing.
func eachPiece(r *Revision, text func(Blob) string, yield func(piece, *Hunk)) {
	for i := range r.Changes {
		c := &r.Changes[i]
		if len(c.Hunks) == 0 {
			continue
		}
		base, proposed := text(c.Base), text(c.Proposed)
		for j := range c.Hunks {
			h := &c.Hunks[j]
			was, ok1 := cut(base, h.Old)
			is, ok2 := cut(proposed, h.New)
			if ok1 && ok2 {
				yield(piece{c.Path, c.Action, was, is}, h)
			}
		}
	}
}

// cut returns the bytes of a span. It returns false if the text is too short for it.
func cut(text string, s edits.Span) (string, bool) {
	if s.Start < 0 || s.Start > s.End || s.End > len(text) {
		return "", false
	}
	return text[s.Start:s.End], true
}

// ModeAfter returns the permission bits of the file after the change, 0 if they are not known. A
// new file has those of [edits.NewMode], whatever the plan says.
func (c *Change) ModeAfter() uint32 {
	if c.Action == Create {
		return edits.NewMode(c.Mode)
	}
	return c.Mode
}

// MakesProgram reports whether the change creates a file that can be run.
func (c *Change) MakesProgram() bool {
	return c.Action == Create && c.ModeAfter()&0o111 != 0
}

// ModeShown returns the permission bits of the file as "0755", or "" for the usual 0644.
func (c *Change) ModeShown() string {
	if mode := c.ModeAfter(); mode != 0 && mode != 0o644 {
		return fmt.Sprintf("%04o", mode)
	}
	return ""
}

// Reference returns the text of a file with the applied part of the plan: base with the new
// lines of the applied hunks. pieces has, for each hunk, its whole lines in that text: its new
// ones if it is applied, else its old ones. The hunks must be those of base → proposed, by
// position.
//
// If nothing is applied it is base, if everything is applied it is proposed: of "a\n\nb\n" →
// "A\n\nB\n", with the first hunk applied, it is "A\n\nb\n".
func Reference(base, proposed string, hunks []Hunk, applied func(id string) bool) (text string, pieces []edits.Span) {
	var b strings.Builder
	pieces = make([]edits.Span, len(hunks))
	at := 0
	for i, h := range hunks {
		b.WriteString(base[at:h.Old.Start])
		pieces[i].Start = b.Len()
		if applied(h.ID) {
			b.WriteString(proposed[h.New.Start:h.New.End])
		} else {
			b.WriteString(base[h.Old.Start:h.Old.End])
		}
		pieces[i].End = b.Len()
		at = h.Old.End
	}
	b.WriteString(base[at:])
	return b.String(), pieces
}
