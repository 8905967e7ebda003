package board

import (
	"context"
	"errors"

	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/store"
	"redline/workspace"
)

// NewRevision is a plan with a new revision to store.
type NewRevision struct {
	Plan     *plan.Plan           // the plan with the new revision as its current one
	Texts    map[plan.Blob]string // the revision's new texts
	Staging  bool                 // a turn may add more operations
	Answered []int64              // the questions in the store that the turn has answered
}

// Create stores a new plan with its first revision, and holds it. The error is the store's.
func (b *Board) Create(ctx context.Context, n NewRevision) (*Held, error) {
	defer b.follower.pause()()
	b.prepare(n.Plan)
	if err := b.store.CreatePlan(ctx, b.session.Key(), n.Plan, n.Texts, n.Answered...); err != nil {
		return nil, err
	}
	tx := b.lockNumber(n.Plan.Number)
	defer tx.Unlock()
	return tx.holdNew(ctx, n, plan.Drafting, plan.PlanCreated)
}

// Import stores a plan that was exported elsewhere, and holds it.
func (b *Board) Import(ctx context.Context, p *plan.Plan, texts map[plan.Blob]string) (*Held, error) {
	defer b.follower.pause()()
	b.prepare(p)
	if err := b.store.ImportPlan(ctx, b.session.Key(), p, texts); err != nil {
		return nil, err
	}
	return b.holdLocked(ctx, p)
}

// prepare sets the least number that a new plan may get, and the folders of its paths.
func (b *Board) prepare(p *plan.Plan) {
	if !b.store.Kept() {
		p.Number = leastNumber(b.ws.Own())
	}
	p.Progress.Folders = namedFolders(b.ws.Folders())
}

// holdNew holds a plan whose new revision was stored. The events led to it from the state
// before.
func (tx *Tx) holdNew(ctx context.Context, n NewRevision, before plan.State, events ...plan.Event) (*Held, error) {
	h, err := tx.hold(context.WithoutCancel(ctx), n.Plan, n.Texts) // it is stored, so a cancelled caller must not see it fail
	if err != nil {
		tx.b.follower.missed() // it is stored
		return nil, err
	}
	tx.b.with(h, func(t *table, e *entry) {
		if n.Plan.Latest().Author != plan.AuthorUser { // only a turn says whether it adds to the plan
			e.staging = n.Staging
		}
		t.applyEffects(e, before, events...)
	})
	return h, nil
}

// Draft applies an event that begins drafting to next, and makes the result the plan's value.
// That is never stored: after a crash the plan has the state of next. End drafting with Undraft,
// or with another revision.
func (tx *Tx) Draft(next *plan.Plan, e plan.Event) error {
	before, next := next.State, next.Clone()
	if err := next.Apply(e); err != nil {
		return err
	}
	r, _ := next.Revision(tx.Held.Revision().Number)
	tx.Held.before = before
	tx.b.with(tx.Held, func(t *table, held *entry) {
		held.set(next, r)
		t.applyEffects(held, before, e)
		t.changed(held)
	})
	return nil
}

// Undraft puts a plan that is being drafted back into its previous state, and reports whether it
// did. It leaves a plan whose revision is to be stored later.
func (tx *Tx) Undraft() bool {
	b, h := tx.b, tx.Held
	if h.unstored || h.Plan().State != plan.Drafting {
		return false
	}
	next := h.Plan().Clone()
	next.State = h.before
	b.with(h, func(t *table, e *entry) {
		e.set(next, h.Revision())
		t.changed(e)
	})
	return true
}

// SetUnstored sets whether a revision of the plan is to be stored later. Until it is stored, the
// plan stays drafting.
func (tx *Tx) SetUnstored(later bool) { tx.Held.unstored = later }

// Unstored reports whether a revision of the plan is to be stored later.
func (tx *Tx) Unstored() bool { return tx.Held.unstored }

// Revise stores a further revision of the plan, to which the events have led, and holds it. The
// error is the store's: [store.ErrChanged] if another process was faster.
//
// A turn works in the current workspace folders, so Revise records them in the plan. A user's
// revision has the paths of the previous one, so it keeps the folders of that one.
func (tx *Tx) Revise(ctx context.Context, n NewRevision, events ...plan.Event) (*Held, error) {
	b, before := tx.b, tx.Held.Plan().State
	if n.Plan.Latest().Author != plan.AuthorUser {
		n.Plan.Progress.Folders = namedFolders(b.ws.Folders())
	}
	n.Plan.Updated = b.now().UTC()
	if err := b.store.AddRevision(ctx, b.session.Key(), n.Plan, n.Texts, n.Answered...); err != nil {
		if errors.Is(err, store.ErrChanged) {
			b.follower.missed()
		}
		return nil, err
	}
	return tx.holdNew(ctx, n, before, events...)
}

// SetStaging sets whether a turn may add operations to a plan while the user can decide on it.
// The next Announce shows what was held back for that turn.
func (b *Board) SetStaging(h *Held, on bool) {
	b.with(h, func(_ *table, e *entry) {
		e.staging, e.due, e.later = on, append(e.due, e.later...), nil
	})
}

// AppendRevision makes r the newest revision of p. texts has the new texts of r; its other texts,
// and those of its parent, are read from the store.
func AppendRevision(ctx context.Context, from *store.Store, p *plan.Plan, r plan.Revision, texts map[plan.Blob]string) error {
	if err := plan.CheckConditions(&r); err != nil {
		return plan.Refuse(plan.Invalid, "Plan %d stays as it is: %s.", p.Number, err)
	}
	text, missing := StoredTexts(ctx, from, texts)
	p.Add(r, text)
	return missing()
}

// maxNumberSeen is the largest number that the name of a preview may claim.
const maxNumberSeen = 1_000_000

// leastNumber returns the least number that a new plan may get, 0 for any. It matters in a
// session without the plan database, which does not know the numbers in use and takes them from
// the names of earlier previews. Those previews must not be overwritten, because they may be all
// that is left of their plans.
func leastNumber(own *workspace.Own) int {
	names, err := own.Names("plans")
	if err != nil {
		return 0 // there is no preview folder, so nothing is overwritten
	}
	least := 1
	for _, name := range names {
		if n, _, ok := preview.PlanOf("plans/" + name); ok && n < maxNumberSeen {
			least = max(least, n+1)
		}
	}
	for least < maxNumberSeen { // the folder may have more than were listed
		if _, err := own.Read(preview.Name(least, 1)); err != nil {
			break
		}
		least++
	}
	return least
}
