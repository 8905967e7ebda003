package agent

import (
	"context"
	"errors"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/store"
)

// makeRevision seals the draft of a turn into a plan's next revision, or into
// a new plan, stores it, writes its preview and announces it.
func (a *Agent) makeRevision(ctx context.Context, t *turn, d *draft.Draft, revised *heldPlan, description string) error {
	if t.message.Comment != nil {
		if err := removeComment(d, t.message); err != nil {
			return err
		}
	}
	sealed, err := d.Seal(a.liveText)
	if err != nil {
		return err
	}
	if len(sealed.Changes) == 0 && len(sealed.Operations) == 0 {
		return nil
	}
	if len(sealed.Notes) > 0 {
		description = strings.TrimSpace(description + "\n\n" + strings.Join(sealed.Notes, "\n"))
	}
	goal := firstLine(t.message.Text, 200)
	r := plan.Revision{
		Author: plan.AuthorModel, Created: a.now().UTC(), Description: description,
		Steps: []plan.Step{{ID: onlyStep, Description: goal}},
	}
	for i := range sealed.Operations {
		sealed.Operations[i].Step = onlyStep
	}
	h, err := a.storeRevision(context.WithoutCancel(ctx), t, revised, goal, r, sealed)
	if err != nil {
		return err
	}
	a.update(func() { t.plan, t.conv.plan = h.plan.Number, h.plan.Number })
	a.writePreview(h)
	a.announce(h, t.id)
	return nil
}

// storeRevision stores the revision that a turn has made, and makes it the
// session's. It is not cut off half-way.
func (a *Agent) storeRevision(ctx context.Context, t *turn, revised *heldPlan, goal string, r plan.Revision, sealed draft.Sealed) (*heldPlan, error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	var stored *plan.Plan
	var err error
	if revised == nil {
		stored, err = a.newPlan(ctx, t, goal, r, sealed)
	} else {
		stored, err = a.nextRevision(ctx, revised, r, sealed)
	}
	if err != nil {
		return nil, err
	}
	return a.hold(ctx, stored)
}

// liveText is a file as it is now, for the draft to be sealed on.
func (a *Agent) liveText(path string) (text string, exists bool, mode uint32, err error) {
	file, err := a.ws.Read(path)
	return file.Text, file.Exists, uint32(file.Mode.Perm()), err
}

// onlyStep is the one step of a plan whose model gave none.
const onlyStep = "s1"

// named gives the operations their ids and puts them into the revision.
func named(p *plan.Plan, r plan.Revision, sealed *draft.Sealed) plan.Revision {
	p.NextOperation = sealed.Name(p.NextOperation)
	r.Operations, r.Changes = sealed.Operations, sealed.Changes
	return r
}

// newPlan stores the first revision of a plan.
func (a *Agent) newPlan(ctx context.Context, t *turn, goal string, r plan.Revision, sealed draft.Sealed) (*plan.Plan, error) {
	now := a.now().UTC()
	p := &plan.Plan{Conversation: t.conv.id, Goal: goal, State: plan.Drafting, Created: now, Updated: now}
	r = named(p, r, &sealed)
	p.Add(r, func(b plan.Blob) string { return sealed.Texts[b] })
	if err := p.Apply(plan.PlanCreated); err != nil {
		return nil, err
	}
	if err := a.store.CreatePlan(ctx, a.workspaceKey(), p, sealed.Texts); err != nil {
		return nil, err
	}
	return p, nil
}

// nextRevision stores a further revision of a plan. If another process has
// decided on a part of it meanwhile, the revision follows that.
func (a *Agent) nextRevision(ctx context.Context, h *heldPlan, r plan.Revision, sealed draft.Sealed) (*plan.Plan, error) {
	a.mu.Lock()
	p, known := h.plan.Clone(), h.texts()
	a.mu.Unlock()
	next, err := a.addRevision(ctx, p, known, r, sealed)
	if !errors.Is(err, store.ErrChanged) {
		return next, err
	}
	if p, err = a.store.Plan(ctx, a.workspaceKey(), p.Number); err != nil {
		return nil, err
	}
	if err := p.Apply(plan.RequestRevision); err != nil {
		return nil, refuse(WrongState, "Plan %d was decided on elsewhere meanwhile: %s", p.Number, err)
	}
	return a.addRevision(ctx, p, known, r, sealed)
}

func (a *Agent) addRevision(ctx context.Context, p *plan.Plan, known func(plan.Blob) string, r plan.Revision, sealed draft.Sealed) (*plan.Plan, error) {
	r = named(p, r, &sealed)
	p.Add(r, func(b plan.Blob) string {
		if text, ok := sealed.Texts[b]; ok {
			return text
		}
		return known(b)
	})
	if err := p.Apply(plan.FinishDrafting); err != nil {
		return nil, err
	}
	p.Updated = a.now().UTC()
	return p, a.store.AddRevision(ctx, a.workspaceKey(), p, sealed.Texts)
}

// writePreview writes the preview file of the current revision. A preview that
// cannot be written is said in the log; the plan does not depend on it.
func (a *Agent) writePreview(h *heldPlan) {
	a.mu.Lock()
	p, r, text := h.plan, h.revision, h.texts()
	a.mu.Unlock()
	name := preview.Name(p.Number, r.Number)
	shown := preview.Render(p, r, text)
	if _, _, err := a.ws.Own().Write(name, []byte(shown)); err != nil {
		a.log.Warn("the preview could not be written", errorField(err))
		return
	}
	a.mu.Lock()
	if h.revision.Hash == r.Hash {
		h.preview, h.written = a.ws.Own().Path(name), plan.BlobOf(shown)
	}
	a.changed(h)
	a.mu.Unlock()
}
