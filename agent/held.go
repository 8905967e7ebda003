package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// heldPlan is a plan of this session: the value that the store has, with the
// texts of its current revision and their places in the live text.
type heldPlan struct {
	plan     *plan.Plan // replaced by a changed clone, never changed in place
	revision *plan.Revision
	files    []*heldFile // as in revision.Changes
	preview  string      // workspace path of the preview, "" if there is none
	view     *PlanView   // for the snapshot; nil when out of date

	before    plan.State // while drafting: the state to go back to
	execution *execution // while an approval or an undo is carried out
}

// heldFile is one file of a plan.
type heldFile struct {
	change   *plan.Change
	base     string
	proposed string

	// What follows is the file as it is now, see live.go.
	live   *edits.Lines
	exists bool
	placed edits.Placement
	view   *FileView // nil when out of date
}

// hold makes p a plan of this session, or takes its new value. Texts are read
// from the store. The caller holds a.mu.
func (a *Agent) hold(ctx context.Context, p *plan.Plan) (*heldPlan, error) {
	revision, ok := p.Revision(p.Current)
	if !ok {
		return nil, refuse(Invalid, "Plan %d has no revision %d: its record is damaged.", p.Number, p.Current)
	}
	h := a.plans[p.Number]
	if h == nil {
		h = &heldPlan{}
	}
	if h.revision == nil || h.revision.Hash != revision.Hash {
		files := make([]*heldFile, 0, len(revision.Changes))
		for i := range revision.Changes {
			c := &revision.Changes[i]
			base, err := a.store.Text(ctx, c.Base)
			if err != nil {
				return nil, err
			}
			proposed, err := a.store.Text(ctx, c.Proposed)
			if err != nil {
				return nil, err
			}
			files = append(files, &heldFile{change: c, base: base, proposed: proposed})
		}
		h.files, h.preview = files, ""
	}
	h.plan, h.revision = p, revision
	a.plans[p.Number] = h
	for _, f := range h.files {
		a.place(h, f)
	}
	a.changed(h)
	return h, nil
}

// changed marks what is shown of a plan as out of date. The caller holds a.mu.
func (a *Agent) changed(h *heldPlan) {
	h.view = nil
	a.snapshot = nil
}

// texts returns a lookup in the texts of a plan's current revision.
func (h *heldPlan) texts() func(plan.Blob) string {
	return func(b plan.Blob) string {
		for _, f := range h.files {
			switch b {
			case f.change.Base:
				return f.base
			case f.change.Proposed:
				return f.proposed
			}
		}
		return ""
	}
}

// file returns the plan's file with the given path, old or new.
func (h *heldPlan) file(path string) *heldFile {
	for _, f := range h.files {
		if f.change.Path == path || (f.change.NewPath != "" && f.change.NewPath == path) {
			return f
		}
	}
	return nil
}

// load reads the open plans from the store, once.
func (a *Agent) load(ctx context.Context) error {
	a.mu.Lock()
	loaded := a.loaded
	a.mu.Unlock()
	if loaded {
		return nil
	}
	open, err := a.store.Plans(ctx, a.workspaceKey(), openPlans)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.loaded = true
	for _, p := range open {
		if a.plans[p.Number] != nil {
			continue
		}
		if _, err := a.hold(ctx, p); err != nil {
			return err
		}
	}
	for id, conv := range a.conversations { // those that began before this
		if conv.plan == 0 {
			conv.plan = a.undecidedPlanOf(id)
		}
	}
	return nil
}

// fresh brings the session's plans up to what other processes have stored.
func (a *Agent) fresh(ctx context.Context) error {
	if err := a.load(ctx); err != nil {
		return err
	}
	changed, err := a.store.Changed(ctx)
	if err != nil || !changed {
		return err
	}
	open, err := a.store.Plans(ctx, a.workspaceKey(), openPlans)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range open {
		if err := a.renew(ctx, p); err != nil {
			return err
		}
	}
	for n, h := range a.plans {
		if slices.ContainsFunc(open, func(p *plan.Plan) bool { return p.Number == n }) || !h.plan.State.Open() {
			continue
		}
		p, err := a.store.Plan(ctx, a.workspaceKey(), n)
		if err != nil {
			return err
		}
		if err := a.renew(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// renew takes a newer value of a plan, unless this session is working on it.
func (a *Agent) renew(ctx context.Context, p *plan.Plan) error {
	h := a.plans[p.Number]
	if h != nil && (h.plan.Version >= p.Version || h.execution != nil || h.plan.State == plan.Drafting) {
		return nil
	}
	_, err := a.hold(ctx, p)
	return err
}

// find returns a plan of this workspace, from the session or the store.
func (a *Agent) find(ctx context.Context, n int) (*heldPlan, error) {
	if err := a.fresh(ctx); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.plans[n]; h != nil {
		return h, nil
	}
	p, err := a.store.Plan(ctx, a.workspaceKey(), n)
	if err != nil {
		return nil, noSuchPlan(n, err)
	}
	return a.hold(ctx, p)
}

// undecidedPlanOf returns the number of the plan that a conversation has not
// decided on, 0 for none. The caller holds a.mu.
func (a *Agent) undecidedPlanOf(conversation string) int {
	n := 0
	for _, h := range a.plans {
		if h.plan.Conversation == conversation && h.plan.State.Open() {
			n = max(n, h.plan.Number)
		}
	}
	return n
}
