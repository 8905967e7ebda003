package trial

import (
	"slices"
	"time"

	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/tasks"
)

// told has the trials that the client believes to be current: those that were current when the
// client last got the plan.
type told struct {
	current map[int][]string // ids of trials, by the number of their plan
	pending bool             // a comparison is due
}

// compareAfter is how long a comparison waits for more typing.
const compareAfter = 300 * time.Millisecond

// Told records that a plan was sent to the client.
func (t *Trials) Told(p *state.Plan) {
	var current []string
	for _, one := range p.Trials {
		if one.Current {
			current = append(current, one.ID)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p.Trials) == 0 {
		delete(t.told.current, p.Plan)
		return
	}
	t.told.current[p.Plan] = current
}

// compareSoon checks in the background whether the client's current trials are still current,
// and announces the plans for which that has changed. It never blocks.
func (t *Trials) compareSoon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told.pending || len(t.told.current) == 0 || t.session.Over() {
		return
	}
	t.told.pending = true
	t.session.Spawn(func() {
		tasks.Pause(t.session.Context(), compareAfter)
		t.mu.Lock()
		t.told.pending = false
		t.mu.Unlock()
		t.compare()
	})
}

// OnDisk reports that files or folders changed on the disk: results of trials before are not about
// them. It never blocks.
func (t *Trials) OnDisk(paths []string) {
	at := t.session.Now()
	t.forget()
	if len(paths) == 0 || t.session.Over() {
		return
	}
	t.session.Spawn(func() {
		t.ws.ChangedOnDisk(paths, at)
		t.compareSoon()
	})
}

// compare announces the plans whose trials the client wrongly believes to be current or out of
// date.
func (t *Trials) compare() {
	ctx := t.session.Context()
	for _, v := range t.board.Snapshot().Plans {
		n := v.Plan.Number
		t.mu.Lock()
		before, known := t.told.current[n]
		t.mu.Unlock()
		if !known || slices.Equal(before, view.CurrentTrials(t.ws, v)) || ctx.Err() != nil {
			continue
		}
		if h, err := t.board.Find(ctx, n); err == nil {
			t.board.Announce(h, "")
		}
	}
}
