package board

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

// AddTrial stores a trial of a plan, which may be worked on meanwhile, and announces it. It returns
// the trial with its id.
func (b *Board) AddTrial(ctx context.Context, h *Held, t plan.Trial) (plan.Trial, error) {
	added := t
	_, err := b.addChecked(ctx, h, func(next *plan.Plan) bool {
		added = next.AddTrial(t)
		return true
	})
	if err != nil {
		return t, err
	}
	return added, nil
}

// AddProblems stores what language servers have reported about the texts that a plan would leave, and announces it: as
// the plan's new state, and then as [state.ProblemsFound]. v is the plan as it was when the check began, and texts are
// what differed from the disk then. AddProblems drops a report on a revision that is not the current one any more, and
// one that is known already. It reads the files of the problems; call it without a lock.
func (b *Board) AddProblems(ctx context.Context, v *view.Plan, texts view.TriedTexts, began time.Time, p *plan.Problems) error {
	h := b.Held(v.Plan.Number)
	if h == nil || p == nil {
		return nil
	}
	p = p.Bounded()
	disk, reads := p.Basis.Disk, p.Basis.Reads
	p.Basis = view.BasisOf(v, texts, began)
	p.Basis.Disk, p.Basis.Reads = disk, reads
	workspace.Follow(b.ws, began, true)
	noteLines(b.ws, texts, p.Added)
	known := view.Problems(b.ws, b.View(h)) // nil if a file has changed since: then the same report holds again only from now on
	added, err := b.addChecked(ctx, h, func(next *plan.Plan) bool {
		if next.Current != v.Revision.Number || known != nil && next.Problems == known && sameReport(*known, *p) {
			return false
		}
		next.Problems = p
		return true
	})
	if added {
		s := b.StateOf(h)
		b.session.Notify(state.Event{Kind: state.ProblemsFound, PlanNumber: h.Number(), Conversation: s.Conversation, Plan: &s})
	}
	return err
}

// recall finds out whether what an earlier session, or another one, has stored of language servers' reports on a plan is about
// the disk as it is. It looks at all files; call it without a lock.
func recall(ctx context.Context, b *Board, h *Held) {
	p := h.Plan().Problems
	if p == nil || p.Basis.Disk == "" || !h.Plan().State.Open() {
		return
	}
	if _, known := workspace.Follows(b.ws, p.Basis.Began); known {
		return
	}
	if disk, err := workspace.Fingerprint(ctx, b.ws, p.Basis.DependsOn); err == nil {
		workspace.Follow(b.ws, p.Basis.Began, disk == p.Basis.Disk)
	}
}

// sameReport reports whether two reports on the same texts say the same.
func sameReport(x, y plan.Problems) bool {
	x.Basis.Began, x.Basis.Disk = y.Basis.Began, y.Basis.Disk
	return reflect.DeepEqual(x, y)
}

// noteLines notes in the ranges of problems what is before them in their lines.
func noteLines(ws *workspace.Workspace, texts view.TriedTexts, problems []plan.Problem) {
	read := map[string]*edits.Lines{}
	for i := range problems {
		at := &problems[i]
		lines, known := read[at.Path]
		if !known {
			text := texts[at.Path].Text
			if _, has := texts[at.Path]; !has {
				if f, err := ws.Read(at.Path); err == nil {
					text = f.Text
				}
			}
			lines = edits.NewLines(text)
			read[at.Path] = lines
		}
		at.Range.BeforeStart, at.Range.BeforeEnd = before(lines, at.Range.Start), before(lines, at.Range.End)
	}
}

// before returns what is before a place in its line, "" if that is ASCII or too long to keep.
func before(lines *edits.Lines, at plan.Place) string {
	if at.Line >= lines.Count() || at.Column > maxBefore {
		return ""
	}
	line := lines.Content(at.Line).Of(lines.Text())
	line = line[:min(at.Column, len(line))]
	if strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return line
	}
	return ""
}

// maxBefore is how many bytes of a line are kept with a place.
const maxBefore = 1000

// addChecked stores the result of a check with a plan, which may be worked on meanwhile, and announces it. add adds it
// to a copy of the plan, or returns false to add nothing.
func (b *Board) addChecked(ctx context.Context, h *Held, add func(next *plan.Plan) bool) (added bool, err error) {
	tx := b.Lock(h)
	defer tx.Unlock()
	for again := false; ; again = true {
		next := h.Plan().Clone()
		if !add(next) {
			return false, nil
		}
		err := b.store.SaveTrials(ctx, b.session.Key(), next)
		if err == nil {
			tx.swap(next)
			b.Announce(h, "")
			return true, nil
		}
		if again || !errors.Is(err, store.ErrChanged) || tx.Executing() || next.State == plan.Drafting {
			return false, b.StoreError(next.Number, err)
		}
		tx.Reread(ctx)
	}
}
