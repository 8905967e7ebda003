package languages

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/tasks"
	"redline/workspace"
)

// following checks the revisions that are made in this session, in the background, and again once the
// user has stopped typing.
type following struct {
	mu      sync.Mutex
	plans   map[int]*followed
	looking bool         // the texts are looked at soon
	told    map[int]bool // by plan number: whether clients think that its problems are known; only plans that had a report
}

// followed is a plan that got a revision in this session.
type followed struct {
	revision int
	key      string    // of the texts that are checked, or were
	disk     time.Time // the last change on the disk before that
	running  int       // which check of it runs, 0 for none
	checks   int       // how many have begun
	seen     string    // of the texts at the last look
	owed     bool      // a check was given up that no other has replaced yet
	again    int       // how often it was checked again since a server had failed
	cancel   context.CancelFunc
	first    chan struct{} // closed when the texts of the new revision are checked, or will not be
}

const (
	typedAfter  = 300 * time.Millisecond // how often texts are looked at while the user types
	checkWithin = 10 * time.Minute       // a check of a revision is given up then
	maxRetries  = 3                      // how often a revision is checked again since a server has failed
)

// follow begins to check revisions.
func (l *Servers) follow() {
	l.plans, l.told = map[int]*followed{}, map[int]bool{}
	l.session.Observe(l.heard)
	l.ws.Observe(func(e workspace.BufferEvent) {
		if e.Kind == workspace.SavedEvent {
			l.OnDisk([]string{e.Path})
		}
		l.changed()
	})
}

// heard checks a new revision, and forgets a plan on which nothing is left to decide.
func (l *Servers) heard(e state.Event) {
	if e.Plan == nil {
		return
	}
	l.following.mu.Lock()
	if _, ever := l.told[e.PlanNumber]; !plan.State(e.Plan.State).Open() {
		delete(l.told, e.PlanNumber)
	} else if ever || e.Plan.Problems != nil {
		l.told[e.PlanNumber] = e.Plan.Problems != nil
	}
	l.following.mu.Unlock()
	if e.Kind != state.PlanChanged {
		return
	}
	n, revision := e.PlanNumber, e.Plan.Revision
	open := plan.State(e.Plan.State).Decidable()
	made := open && slices.Contains(e.Effects, plan.WritePreview)
	l.following.mu.Lock()
	defer l.following.mu.Unlock()
	f := l.plans[n]
	if f != nil && (!open || made) {
		f.cancel()
		delete(l.plans, n)
	}
	if made && !l.session.Over() {
		f = &followed{revision: revision, cancel: func() {}, first: make(chan struct{})}
		l.plans[n] = f
		l.session.Spawn(func() {
			if !l.look(n, f, true) {
				close(f.first)
			}
		})
	}
}

// Await waits until the revision of a plan that was made last in this session is checked. It reports whether it is, as
// far as there are servers for it: false if ctx ended before.
func (l *Servers) Await(ctx context.Context, plan int) bool {
	l.following.mu.Lock()
	f := l.plans[plan]
	l.following.mu.Unlock()
	if f == nil {
		return true
	}
	select {
	case <-f.first:
		return true
	case <-ctx.Done():
		return false
	}
}

// OnDisk reports that files or folders have changed on the disk. It never blocks.
func (l *Servers) OnDisk(paths []string) {
	at := l.session.Now()
	if paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !l.reads(path) }); len(paths) == 0 || l.session.Over() {
		return
	}
	l.session.Spawn(func() {
		l.ws.ChangedOnDisk(paths, at)
		l.changed()
	})
}

// reads reports whether a server may have read a file, by its name, when it reports problems.
func (l *Servers) reads(name string) bool {
	return slices.Contains(l.read, path.Base(name)) || slices.Contains(l.read, path.Ext(name))
}

// changed looks at the texts of plans soon. It never blocks.
func (l *Servers) changed() {
	l.following.mu.Lock()
	defer l.following.mu.Unlock()
	if l.looking || len(l.plans) == 0 && len(l.told) == 0 || l.session.Over() {
		return
	}
	l.looking = true
	l.session.Spawn(func() {
		tasks.Pause(l.session.Context(), typedAfter)
		l.following.mu.Lock()
		l.looking = false
		plans, told := maps.Clone(l.plans), maps.Clone(l.told)
		l.following.mu.Unlock()
		for n, known := range told {
			l.tell(n, known)
		}
		for n, f := range plans {
			l.look(n, f, false)
		}
	})
}

// tell announces a plan if clients are wrong about whether its problems are known.
func (l *Servers) tell(n int, known bool) {
	v := l.board.ViewOf(n)
	if v == nil || (view.Problems(l.ws, v) != nil) == known {
		return
	}
	if h, err := l.board.Find(l.session.Context(), n); err == nil {
		l.board.Announce(h, "")
	}
}

// look compares the texts of a plan with those that were checked. If they differ, a check of those is given up,
// and they are checked once they stay the same; at once if the revision is new. If only the disk has changed, a
// check that runs ends first: something may write again and again. It reports whether a check has begun.
func (l *Servers) look(n int, f *followed, made bool) bool {
	v := l.board.ViewOf(n)
	if v == nil || v.Revision.Number != f.revision || l.session.Over() {
		return false
	}
	without := view.UnsavedTexts(l.ws)
	texts := without.WithPlan(v)
	key := fmt.Sprint(texts.Names(), without.Names()) // not with the lock, which each key waits for
	disk := l.ws.ContentChangedAt(l.reads)
	l.following.mu.Lock()
	current := l.plans[n] == f
	if !current || key == f.key && (f.running > 0 || disk.Equal(f.disk)) {
		l.following.mu.Unlock()
		return false
	}
	f.cancel()
	f.cancel = func() {}
	settled := made || f.seen == key
	f.owed = f.owed || f.key != "" // a check of it has begun: the server runs, or starts
	f.key, f.seen = "", key
	ctx, cancel := context.WithTimeout(l.session.Context(), checkWithin)
	again := f.owed || l.runs()
	if settled = settled && (made || again); settled {
		f.checks++
		f.key, f.disk, f.running, f.cancel, f.owed = key, disk, f.checks, cancel, false
	}
	check := f.checks
	l.following.mu.Unlock()
	if !settled {
		cancel()
		if again {
			l.changed()
		}
		return false
	}
	l.session.Spawn(func() {
		defer cancel()
		if made {
			defer close(f.first)
		}
		l.checkRevision(ctx, v, f, key, texts, without)
		l.following.mu.Lock()
		last := f.running == check
		if last {
			f.running = 0
		}
		l.following.mu.Unlock()
		if last && !l.ws.ContentChangedAt(l.reads).Equal(disk) {
			l.changed()
		}
		if last && l.anyFailed(texts, without) {
			l.session.Spawn(func() { l.retry(n, f, check) })
		}
	})
	return true
}

// retry lets a plan be checked again once servers that have failed may start again: nobody else may ask for that. check
// is the check in which one has failed.
func (l *Servers) retry(n int, f *followed, check int) {
	l.following.mu.Lock()
	wait := l.options.Retry << f.again
	l.following.mu.Unlock()
	tasks.Pause(l.session.Context(), wait)
	l.following.mu.Lock()
	due := l.plans[n] == f && f.checks == check && f.again < maxRetries
	if due {
		f.again++
		f.key, f.owed = "", true
	}
	l.following.mu.Unlock()
	if due {
		l.changed()
	}
}

// anyFailed reports whether a server for one of a plan's files has failed since it has answered last.
func (l *Servers) anyFailed(texts, without view.TriedTexts) bool {
	return slices.ContainsFunc(touchedBy(texts, without), func(path string) bool {
		s, err := l.of(path, texts)
		return err == nil && s != nil && s.down.Load()
	})
}

// runs reports whether a server runs: typing starts none.
func (l *Servers) runs() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.anyRuns()
}

// anyRuns is [Servers.runs] with mu already locked.
func (l *Servers) anyRuns() bool {
	for _, s := range l.pool {
		if s.up.Load() {
			return true
		}
	}
	return false
}

// checkRevision checks the texts of a plan and publishes the result, unless it no longer holds.
func (l *Servers) checkRevision(ctx context.Context, v *view.Plan, f *followed, key string, texts, without view.TriedTexts) {
	basis := view.BasisOf(v, texts, time.Time{})
	basis.Reads = l.read
	disk, err := workspace.Fingerprint(ctx, l.ws, basis.DependsOn)
	if err != nil {
		return
	}
	began := l.session.Now() // what changes from now on is compared with what Fingerprint has read
	found, err := l.Check(ctx, texts, without)
	if err != nil || found == nil {
		return
	}
	found.Basis.Disk, found.Basis.Reads = disk, l.read
	l.following.mu.Lock()
	holds := l.plans[v.Plan.Number] == f && f.key == key
	l.following.mu.Unlock()
	if !holds {
		return
	}
	if err := l.options.Publish(l.session.Context(), v, texts, began, found); err != nil {
		l.session.Log.Warn("what language servers have found is not kept", zap.Int("plan", v.Plan.Number), zap.Error(err))
	}
}
