package board

import (
	"context"

	"redline/agent/plan"
	"redline/agent/store"
)

// Recover reads the open plans of the workspace from the store, settles what an earlier session
// left unfinished, and announces the plans. It changes no file.
func (b *Board) Recover(ctx context.Context) error {
	if err := b.Refresh(ctx); err != nil {
		return err
	}
	if err := b.holdUnsettled(ctx); err != nil {
		return err
	}
	for _, h := range b.Plans("") {
		b.findPreview(h)
		b.with(h, func(_ *table, e *entry) { e.looked = true })
		if _, err := b.reconciler.reconcile(ctx, h, evidence{asked: true, restarted: true, commands: true, all: true}); err != nil {
			return err
		}
		if err := b.CloseDecided(ctx, h); err != nil { // a turn that could have added more was cut off
			return err
		}
		b.Announce(h, "")
	}
	return nil
}

// Leave records what was lost when an editor exited: hunks that were applied in its buffers and
// never saved become pending again. Call it when the session has ended and the workspace has no
// buffers. If only the server exits, the editor opens its buffers in the next one, and their
// hunks count as applied again.
func (b *Board) Leave(ctx context.Context) error {
	for _, h := range b.Plans("") {
		if _, err := b.reconciler.reconcile(ctx, h, evidence{all: true}); err != nil {
			return err
		}
	}
	return nil
}

// holdUnsettled makes the session hold the closed plans whose record may be out of date: an undo
// was cut off, or an applied change was never saved.
func (b *Board) holdUnsettled(ctx context.Context) error {
	recent, err := b.store.Plans(ctx, b.session.Key(), store.Filter{Limit: recentPlans})
	if err != nil {
		return err
	}
	for _, p := range recent {
		if !mayBeOff(p) || p.State.Open() {
			continue
		}
		if _, err := b.holdLocked(ctx, p); err != nil {
			b.notRead(p, err)
		}
	}
	return nil
}

// mayBeOff reports whether the record of a plan may be out of date although nobody works on it:
// edits were sent to an editor, or not saved.
func mayBeOff(p *plan.Plan) bool {
	if p.State == plan.Executing {
		return true
	}
	for _, m := range p.Progress.Files {
		if m.Sent != nil || m.Unsaved {
			return true
		}
	}
	for _, m := range p.Progress.Commands {
		if m.Status == plan.CommandRunning || m.Status == plan.CommandWaitingForSave {
			return true
		}
	}
	return false
}

// CatchUp compares the files that the editor has saved, opened or closed, if the end of the
// session cut that off. Call it when the session has ended, while the workspace still has the
// editor's buffers. Without it, files that were saved last would stay recorded as unsaved, and
// the next session would treat their hunks as lost if the disk no longer has them.
func (b *Board) CatchUp(ctx context.Context) error {
	for _, h := range b.Plans("") {
		e := b.reconciler.take(h)
		e.asked = false
		if _, err := b.reconciler.reconcile(ctx, h, e); err != nil {
			return err
		}
	}
	return nil
}
