package board

import (
	"context"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tried"
	"redline/agent/view"
)

// trials returns the trials of a plan as clients see them. It reads no file.
func (t *table) trials(v *view.Plan) (all []state.Trial) {
	if len(v.Plan.Trials) == 0 {
		return nil
	}
	now := tried.Unsaved(t.ws).WithPlan(v)
	live := func(path string) (tried.Text, bool) {
		if b, ok := t.ws.Buffer(path); ok {
			return tried.Text{Text: b.Lines.Text()}, true
		}
		f := v.File(path)
		if f == nil || f.Unreadable != "" || f.Path != path {
			return tried.Text{Gone: f != nil}, f != nil && f.Unreadable == ""
		}
		return tried.Text{Gone: !f.Exists, Text: f.Live.Text()}, true
	}
	for i := range v.Plan.Trials {
		one := &v.Plan.Trials[i]
		all = append(all, *state.NewTrial(one, now.Current(one, live)))
	}
	return all
}

// AddTrial stores a trial of a plan, and announces it. It returns the trial with its id.
func (b *Board) AddTrial(ctx context.Context, h *Held, t plan.Trial) (plan.Trial, error) {
	tx := b.Lock(h)
	next := h.Plan().Clone()
	t = next.AddTrial(t)
	err := tx.Save(ctx, next, nil)
	tx.Unlock()
	if err != nil {
		return t, err
	}
	b.Announce(h, "")
	return t, nil
}
