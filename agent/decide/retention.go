package decide

import (
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/view"
)

// Keep says how long decided plans are kept. The zero Keep keeps them for ever.
type Keep struct {
	Days int   // how long; 0 for ever
	MB   int64 // the largest size of the database, in MiB; 0 for no limit
}

// Larger values count as these: for ever.
const (
	maxKeepDays = 36_500
	maxKeepMB   = 1 << 40
)

// Retention removes plans that are no longer kept.
type Retention struct {
	session       *session.Session
	store         *store.Store
	board         *board.Board
	conversations *conversation.Conversations
	keep          Keep
}

// NewRetention makes the retention of a session.
func NewRetention(s *session.Session, b *board.Board, c *conversation.Conversations, keep Keep) *Retention {
	return &Retention{session: s, store: s.Store, board: b, conversations: c, keep: keep}
}

// Prune says what to remove.
type Prune struct {
	Keep
	All bool // the plans of every workspace, not only of this one
	Dry bool // only report what would be removed

	byItself bool // no user asked for it: stop when a turn or an execution starts
}

// Pruned is what was removed, or would be.
type Pruned struct {
	Removed  []PrunedPlan `json:"removed"`  // the removed plans
	Previews []string     `json:"previews"` // the removed preview files, by their paths in the workspace
	Records  int          `json:"records"`  // with `--all`: the number of removed records of the audit log
	Freed    int64        `json:"freed"`    // bytes freed
	Size     int64        `json:"size"`     // bytes of the database now
	TooLarge bool         `json:"tooLarge"` // the database is still too large, and nothing more may be removed
	DryRun   bool         `json:"dryRun"`   // this is what would be removed: nothing was
}

// PrunedPlan is one plan that was removed.
type PrunedPlan struct {
	Workspace string `json:"workspace"` // the folder of its workspace
	Plan      int    `json:"plan"`      // its number
	Goal      string `json:"goal"`      // its goal
	Updated   string `json:"updated"`   // when it last changed, in UTC
}

// Prune removes decided plans that have not changed for as long as plans are kept, oldest first;
// docs/records.md has the rules. It removes a plan as a whole or not at all. It is refused as
// busy while another process prunes.
func (rt *Retention) Prune(ctx context.Context, o Prune) (Pruned, error) {
	r := store.Retention{Bytes: min(o.MB, maxKeepMB) << 20}
	if o.Days > 0 {
		r.Before = rt.session.Now().AddDate(0, 0, -min(o.Days, maxKeepDays))
	}
	if !o.All {
		r.Workspace = rt.session.Key()
	}
	out := Pruned{Removed: []PrunedPlan{}, Previews: []string{}, DryRun: o.Dry}
	p, ok, err := rt.store.BeginPruning(ctx, r)
	if err != nil {
		return out, err
	}
	if !ok {
		return out, plan.Refuse(plan.Busy, "Another Redline is removing plans at this moment: try again.")
	}
	defer p.End()
	candidates, err := p.Candidates(ctx, r)
	if err != nil {
		return out, err
	}
	whole := true
	for _, c := range candidates {
		if ctx.Err() != nil || o.byItself && rt.busy() {
			whole = false
			break
		}
		if !c.Old && !p.TooLarge() {
			continue
		}
		if err := rt.pruneOne(ctx, p, c, o.Dry, &out); err != nil {
			return out, err
		}
	}
	out.TooLarge = p.TooLarge()
	if !o.Dry {
		if err := p.RemoveTraces(ctx, r.Workspace, r.Before); err != nil {
			return out, err
		}
		if err := p.RemoveConversations(ctx, r.Workspace, r.Before); err != nil {
			return out, err
		}
		if err := p.Sweep(ctx, r.Before); err != nil {
			return out, err
		}
		if err := p.Tidy(ctx, !o.byItself); err != nil {
			return out, err
		}
		if o.All && !r.Before.IsZero() {
			if out.Records, err = rt.store.PruneAudit(ctx, r.Before, rt.session.Now().UTC()); err != nil {
				return out, err
			}
		}
		if o.byItself && whole {
			if err := p.NotePruned(rt.session.Now()); err != nil {
				return out, err
			}
		}
	}
	_, out.Size, err = rt.store.Size(ctx)
	return out, err
}

func (rt *Retention) pruneOne(ctx context.Context, p *store.Pruning, c store.Candidate, dry bool, out *Pruned) error {
	var previews map[string]string
	here := c.Workspace == rt.session.Key() && !dry
	if here {
		previews = rt.previewsOf(ctx, c.Number)
	}
	freed, ok, err := p.Remove(ctx, c, rt.session.Now().UTC(), dry)
	if err != nil || !ok {
		return err
	}
	out.Freed += freed
	out.Removed = append(out.Removed, PrunedPlan{
		Workspace: c.Workspace, Plan: c.Number, Goal: c.Goal, Updated: c.Updated.UTC().Format(time.RFC3339),
	})
	if !here {
		return nil
	}
	for name, text := range previews {
		switch removed, err := rt.session.Workspace.Own().Remove(name, []byte(text)); {
		case err != nil:
			rt.session.Log.Warn("the preview of a plan that was removed stays", zap.Error(err))
		case removed:
			out.Previews = append(out.Previews, rt.session.Workspace.Own().Path(name))
		}
	}
	rt.board.Forget(c.Number)
	return nil
}

// previewsOf returns the previews of a plan as Redline writes them, by name. It leaves out a
// preview that cannot be rendered again: its file stays.
func (rt *Retention) previewsOf(ctx context.Context, n int) map[string]string {
	p, err := rt.store.Plan(ctx, rt.session.Key(), n)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for i := range p.Revisions {
		r := &p.Revisions[i]
		text, missing := board.StoredTexts(ctx, rt.store, nil)
		shown := preview.Render(p, r, text, preview.Beside{})
		if missing() != nil {
			continue
		}
		name := view.PreviewName(n, r.Number)
		if is, err := rt.session.Workspace.Own().Read(name); err == nil {
			if e, problems := preview.Read(p, r, text, string(is)); len(problems) == 0 && e.Empty() {
				shown = string(is) // it is from that time, perhaps of an earlier version of Redline
			}
		}
		out[name] = shown
	}
	return out
}

// busy reports whether a turn or an execution is running.
func (rt *Retention) busy() bool {
	turns, _ := rt.conversations.Running()
	return len(turns) > 0 || rt.board.Executing()
}

// pruneEvery is how often plans are removed automatically.
const pruneEvery = 24 * time.Hour

// Retain removes plans that are no longer kept, at most once a day among all processes and never
// while a turn or an execution is running. It checks after each wait until ctx is done.
func (rt *Retention) Retain(ctx context.Context, wait time.Duration) {
	if rt.keep == (Keep{}) {
		return
	}
	rt.session.Every(ctx, wait, func() {
		if err := session.Contain(func() error { return rt.RetainNow(ctx) }); err != nil && ctx.Err() == nil {
			rt.session.Log.Warn("old plans could not be removed", zap.Error(err))
		}
	})
}

// RetainNow removes plans that are no longer kept, once, unless a process has done so within a
// day or a turn or an execution is running.
func (rt *Retention) RetainNow(ctx context.Context) error {
	now, last := rt.session.Now(), rt.store.Pruned()
	if rt.busy() || !last.After(now) && now.Sub(last) < pruneEvery { // a clock may have gone back
		return nil
	}
	_, err := rt.Prune(ctx, Prune{Keep: rt.keep, All: true, byItself: true})
	return err
}
