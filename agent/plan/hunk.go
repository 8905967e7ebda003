package plan

import (
	"slices"
	"strconv"

	"redline/edits"
)

// Hunks returns the pieces, without ids, that a change of base to proposed can
// be decided in. A create or delete is one piece, even of a file with no
// content. Any other has those areas of which each can be decided on by itself;
// without areas, the pieces of the plain difference.
func Hunks(action Action, base, proposed string, areas edits.Areas) []Hunk {
	switch {
	case action == Create || action == Delete:
		areas = edits.Areas{{Old: edits.Span{End: len(base)}, New: edits.Span{End: len(proposed)}}}
	case base == proposed:
		areas = nil
	case areas == nil:
		areas = edits.AreasOf(edits.Diff(base, proposed), "")
	default:
		areas = areas.Separate(base, proposed)
	}
	hunks := make([]Hunk, len(areas))
	for i, a := range areas {
		hunks[i] = Hunk{
			Old: a.Old, New: a.New, Match: a.Step,
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

// piece is what makes two hunks the same in two revisions: what they do, and
// which among equals they are.
type piece struct {
	path     string
	action   Action
	old, new string
	ordinal  int
}

// nameHunks gives the hunks of r their ids. A hunk that r's parent has too
// keeps its id, and with it what was decided about it; any other gets one
// that the plan has never used. r gets changes of its own, since those it
// came with may belong to another revision.
func (p *Plan) nameHunks(r *Revision, text func(Blob) string) {
	known := map[piece]string{}
	if parent, ok := p.Revision(r.Parent); ok {
		eachPiece(parent, text, func(k piece, whole bool, h *Hunk) {
			if whole {
				known[k] = h.ID
			}
		})
	}
	r.Changes = slices.Clone(r.Changes)
	for i := range r.Changes {
		r.Changes[i].Hunks = slices.Clone(r.Changes[i].Hunks)
	}
	eachPiece(r, text, func(k piece, whole bool, h *Hunk) {
		if id, ok := known[k]; ok && whole {
			h.ID = id
			return
		}
		p.NextHunk++
		h.ID = "h" + strconv.Itoa(p.NextHunk)
	})
}

// eachPiece calls yield for the hunks of a revision. whole is false for one
// whose texts are not there, which is like no other.
func eachPiece(r *Revision, text func(Blob) string, yield func(k piece, whole bool, h *Hunk)) {
	seen := map[piece]int{}
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
			k := piece{path: c.Path, action: c.Action, old: was, new: is}
			n := seen[k]
			seen[k]++
			k.ordinal = n
			yield(k, ok1 && ok2, h)
		}
	}
}

// cut returns the bytes of a span, false when the text has no such bytes.
func cut(text string, s edits.Span) (string, bool) {
	if s.Start < 0 || s.Start > s.End || s.End > len(text) {
		return "", false
	}
	return text[s.Start:s.End], true
}
