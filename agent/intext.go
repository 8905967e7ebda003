package agent

import (
	"fmt"
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/landed"
)

// Why something is not, or not all, there that an editor was asked for.
const (
	notMade    = "the editor did not make the change"
	partlyMade = "only a part of the change is in the file"
	noneOfBoth = "the text shows neither the old nor the new lines"
	bothThere  = "%s and %s are both there, since the move was cut off: delete the one that you do not want"
)

// outcomeByText says what the file as it is now tells about one part that an
// editor was asked for. over tells that what is not there is not coming any
// more: then each hunk is told by itself, and one that the text does not show
// is as it was before it was asked for. The caller holds a.mu.
func (a *Agent) outcomeByText(h *heldPlan, p part, verdict plan.Verdict, over bool) edits.Applied {
	found := a.partInText(h, p)
	if verdict == plan.VerdictUndo {
		found = found.turned()
	}
	o := edits.Applied{Path: p.file.change.Path, Status: edits.Unknown}
	all := found.all(p)
	switch {
	case over && found.both:
		o.Status, o.Reason = edits.Refused, fmt.Sprintf(bothThere, p.file.change.Path, p.file.change.NewPath)
	case all == edits.Landed:
		o.Status = edits.Done
	case !over:
	case all == edits.Absent:
		o.Status, o.Reason = edits.Refused, notMade
	case !slices.Contains(found.hunks, edits.Landed) && !(p.move && found.move == edits.Landed):
		o.Status, o.Reason = edits.Refused, noneOfBoth
	default:
		o.Status, o.Reason, o.Move = edits.Unverified, partlyMade, found.move
		for _, l := range found.hunks {
			if l == edits.Unclear {
				l = edits.Absent
			}
			o.Landings = append(o.Landings, l)
		}
	}
	return o
}

// inText is what a file as it is now has of a part of a plan.
type inText struct {
	whole edits.Landing   // of a creation or deletion
	hunks []edits.Landing // as in part.hunks
	move  edits.Landing   // of a move that is part of it
	both  bool            // of a move: there is a file under each of the names
}

// all is what the file has of all of the part p.
func (t inText) all(p part) edits.Landing {
	switch p.file.change.Action {
	case plan.Create, plan.Delete:
		return t.whole
	}
	all := t.hunks
	if p.move {
		all = append(slices.Clone(all), t.move)
	}
	for _, l := range []edits.Landing{edits.Landed, edits.Absent} {
		if !slices.ContainsFunc(all, func(one edits.Landing) bool { return one != l }) {
			return l
		}
	}
	return edits.Unclear
}

// turned is what the text tells about taking the part back.
func (t inText) turned() inText {
	turn := func(l edits.Landing) edits.Landing {
		switch l {
		case edits.Landed:
			return edits.Absent
		case edits.Absent:
			return edits.Landed
		}
		return l
	}
	out := inText{whole: turn(t.whole), move: turn(t.move), both: t.both}
	for _, l := range t.hunks {
		out.hunks = append(out.hunks, turn(l))
	}
	return out
}

// partInText tells what the file as it is now has of a part. What cannot be
// read tells nothing. The caller holds a.mu.
func (a *Agent) partInText(h *heldPlan, p part) inText {
	f := p.file
	switch f.change.Action {
	case plan.Create, plan.Delete:
		whole := a.wholeInText(f)
		return inText{whole: whole, hunks: slices.Repeat([]edits.Landing{whole}, len(p.hunks))}
	}
	t := inText{hunks: make([]edits.Landing, len(p.hunks))}
	path := f.livePath(h.plan)
	if p.move {
		if t.move = a.moveInText(f); t.move == edits.Unclear {
			t.both = a.bothThere(f.change)
			return t
		}
		path = f.change.Path
		if t.move == edits.Landed {
			path = f.change.NewPath
		}
	}
	if now, err := a.ws.Read(path); err == nil && now.Exists {
		t.hunks = h.hunksInText(p, now.Text)
	}
	return t
}

// wholeInText tells whether a file was created, or deleted.
func (a *Agent) wholeInText(f *heldFile) edits.Landing {
	now, err := a.ws.Read(f.change.Path)
	if err != nil {
		return edits.Unclear
	}
	onDisk, _, err := a.ws.Stat(f.change.Path)
	switch {
	case err != nil:
		return edits.Unclear
	case f.change.Action == plan.Create && !onDisk && edits.Blank(now.Text):
		return edits.Absent
	case f.change.Action == plan.Create && now.Text == f.proposed:
		return edits.Landed
	case f.change.Action == plan.Delete && !onDisk: // some editors keep the buffer
		return edits.Landed
	case f.change.Action == plan.Delete && now.Text == f.base:
		return edits.Absent
	}
	return edits.Unclear
}

// moveInText tells whether a file was moved: it is under one of its names.
func (a *Agent) moveInText(f *heldFile) edits.Landing {
	from, to := f.change.Path, f.change.NewPath
	old, _, err := a.ws.Stat(from)
	if err != nil {
		return edits.Unclear
	}
	moved, err := a.ws.Read(to)
	if err != nil {
		return edits.Unclear
	}
	if a.ws.SameFile(from, to) { // found under both names
		old, moved.Exists = a.ws.HasName(from), a.ws.HasName(to)
	}
	switch {
	case moved.Exists && !old:
		return edits.Landed
	case old && !moved.Exists:
		return edits.Absent
	}
	return edits.Unclear
}

// bothThere tells whether there is a file under each of the names of a move.
func (a *Agent) bothThere(c *plan.Change) bool {
	old, _, err := a.ws.Stat(c.Path)
	moved, _, movedErr := a.ws.Stat(c.NewPath)
	return err == nil && movedErr == nil && old && moved && !a.ws.SameFile(c.Path, c.NewPath)
}

// hunksInText tells of each hunk of a part whether a text has it. What tells is
// the difference between the texts without the hunks and with them: the old
// lines of a hunk that only adds, or the new ones of one that only takes away,
// are none, and could be found in any text.
func (h *heldPlan) hunksInText(p part, text string) []edits.Landing {
	f := p.file
	asked := make(map[string]bool, len(p.hunks))
	for _, i := range p.hunks {
		asked[f.change.Hunks[i].ID] = true
	}
	without, places := f.reference(func(id string) bool {
		return !asked[id] && h.plan.Progress.Hunk(id).Status == plan.HunkApplied
	})
	es := make([]edits.Edit, len(p.hunks))
	for k, i := range p.hunks {
		s := f.change.Hunks[i].New
		es[k] = edits.Edit{Span: places[i], New: f.proposed[s.Start:s.End]}
	}
	return landed.Of(without, es, text)
}
