package agent

import (
	"context"
	"errors"
	"maps"
	"slices"

	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/agent/store"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

// heldPlan is a plan of this session: the value that the store has, with the
// texts of its current revision and their places in the live text.
//
// plan, revision, files and past change under both a.deciding and a.mu: holding
// either is enough to read them. owed is a.deciding's, the rest a.mu's.
type heldPlan struct {
	plan     *plan.Plan // replaced by a changed clone, never changed in place
	revision *plan.Revision
	files    []*heldFile   // as in revision.Changes
	past     []*pastChange // what earlier revisions have applied besides, newest first
	pastLeft bool          // some of that is still to be looked at
	preview  string        // workspace path of the preview, "" if there is none
	written  plan.Blob     // the preview's text as this session has written it, "" if it has not
	taken    plan.Blob     // the edited preview that the revision was made of, "" for none in this session
	view     *PlanView     // for the snapshot; nil when out of date
	depend   *dependState  // of the revision; made when it is asked for

	before    plan.State    // while drafting: the state to go back to
	due       []plan.Effect // what the next announce writes and shows
	staging   bool          // a turn may still add operations to it, see asking
	later     []plan.Effect // what is due when that turn has ended
	offers    []offer       // operations that the user is still to be asked about
	offering  bool          // the user is being asked about one
	looked    bool          // it was looked at as at the start of a session, see takeOver
	execution *execution    // while an approval or an undo is carried out
	outcome   *Outcome      // what a decision came to that the next event about the plan is to tell
	toLook    lookList      // what is to be looked at off the read loop
	owed      bool          // a turn's revision of it could not be stored yet: it is drafted until then
}

// heldFile is one file of a plan.
type heldFile struct {
	change   *plan.Change
	base     string
	proposed string
	outside  bool // the current revision does not touch it: it is only here for an undo

	// What follows is the file as it is now, see live.go.
	live       *edits.Lines
	exists     bool   // it is there, or cannot be read
	unreadable string // what is there instead of a text, "" if nothing is
	inTheWay   string // a creation or move: why the file cannot be put there, "" if it can
	placed     track.Placement
	stamp      workspace.Stamp // of the file on disk before glance read it
	placedFor  *plan.Plan      // the value of the plan that placed began with
	has        []bool          // for each hunk whether placed follows its new lines, not its old ones; replaced, never changed
	undone     undone          // what the user takes back in the editor
	moved      bool            // a rename that is pending: the user has moved the file
	view       *FileView       // nil when out of date
	disk       onDisk

	marks    []plan.HunkMark // of the hunks, in the plan value marksFor
	marksFor *plan.Plan
}

// maxClosed is how many plans that are done a session keeps at hand.
const maxClosed = 20

// hold makes p a plan of this session, or takes its new value. The caller
// holds a.deciding, and not a.mu: texts come from the store.
func (a *Agent) hold(ctx context.Context, p *plan.Plan) (*heldPlan, error) {
	fresh, err := a.read(ctx, p)
	if err != nil {
		return nil, err
	}
	l := a.lockRead(fresh)
	defer a.mu.Unlock()
	h := a.plans[p.Number]
	if h == nil {
		h = fresh
		delete(a.broken, p.Number)
		a.plans[p.Number] = h
		a.forgetClosed()
	} else {
		if h.revision.Hash != fresh.revision.Hash {
			h.files, h.preview, h.written = fresh.files, "", ""
		}
		h.plan, h.revision, h.past = p, fresh.revision, fresh.past
	}
	a.placeAll(l, h)
	return h, nil
}

// holdRevision is hold for a plan that has got another revision here, over the
// given events.
func (a *Agent) holdRevision(ctx context.Context, p *plan.Plan, before plan.State, events ...plan.Event) (*heldPlan, error) {
	h, err := a.hold(ctx, p)
	if err == nil {
		a.mu.Lock()
		a.follow(h, before, events...)
		a.mu.Unlock()
	}
	return h, err
}

// read makes a plan and the texts of its current revision.
func (a *Agent) read(ctx context.Context, p *plan.Plan) (*heldPlan, error) {
	if p.Unreadable != "" {
		return nil, refuse(WrongState, "%s", p.Unreadable)
	}
	revision, ok := p.Revision(p.Current)
	if !ok {
		return nil, refuse(WrongState, "its revision %d is missing", p.Current)
	}
	h := &heldPlan{plan: p, revision: revision, files: make([]*heldFile, len(revision.Changes))}
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
		h.files[i] = &heldFile{change: c, base: base, proposed: proposed}
	}
	var err error
	h.past, err = a.readPast(ctx, p, revision)
	return h, err
}

// forgetClosed drops the oldest of the plans that are done: the store has them.
func (a *Agent) forgetClosed() {
	var closed []int
	for n, h := range a.plans {
		if !h.plan.State.Open() && h.execution == nil {
			closed = append(closed, n)
		}
	}
	slices.Sort(closed)
	for len(closed) > maxClosed {
		delete(a.plans, closed[0])
		a.forgetRecent()
		closed = closed[1:]
	}
}

// changed marks what is shown of a plan as out of date. The caller holds a.mu.
func (a *Agent) changed(h *heldPlan) {
	h.view = nil
	a.snapshot = nil
}

// swap makes next, to which the events have led, the value of a plan. The
// caller holds a.deciding.
func (a *Agent) swap(h *heldPlan, next *plan.Plan, events ...plan.Event) {
	was, before := h.plan, h.plan.State
	l := a.lockWith(func() (files []readahead.Paths) {
		for _, f := range h.files {
			if f.decidedBetween(was, next) {
				files = append(files, pathsOf(f.change))
			}
		}
		return files
	})
	h.plan = next
	h.revision, _ = next.Revision(h.revision.Number)
	for _, f := range h.files {
		if f.decidedBetween(was, next) {
			a.place(l, next, f)
		}
	}
	a.changed(h)
	a.follow(h, before, events...)
	a.stirAll()
	a.mu.Unlock()
}

// texts returns a lookup in the texts of a plan's current revision. The caller
// holds a.mu; the lookup may be used without it.
func (h *heldPlan) texts() func(plan.Blob) string {
	texts := make(map[plan.Blob]string, 2*len(h.files))
	for _, f := range h.files {
		texts[f.change.Base], texts[f.change.Proposed] = f.base, f.proposed
	}
	return func(b plan.Blob) string { return texts[b] }
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

// mark is what is known of a file beyond its hunks.
func (h *heldPlan) mark(f *heldFile) plan.FileMark {
	return h.plan.Progress.File(h.revision.Number, f.change.Path)
}

// fresh brings the session's plans up to what the store has: all open ones the
// first time, later what other processes have changed. A plan that cannot be
// read is left out and said in the log. The caller does not hold a.deciding.
func (a *Agent) fresh(ctx context.Context) error {
	a.deciding.Lock()
	if err := a.backlog.Store(ctx); err != nil {
		a.log.Debug("there is still something that could not be stored", errorField(err))
	}
	news, err := a.catchUp(ctx)
	a.deciding.Unlock()
	for _, h := range news {
		a.announce(h, "")
	}
	return err
}

func (a *Agent) catchUp(ctx context.Context) (news []*heldPlan, err error) {
	key := a.workspaceKey()
	first := !a.loaded || a.loadedKey != key
	if first {
		a.mu.Lock()
		a.plans, a.snapshot = map[int]*heldPlan{}, nil // numbers are a workspace's own
		a.broken = nil
		a.forgetRecent()
		a.mu.Unlock()
	}
	changed, err := a.store.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if !first && !changed && !a.behind {
		return nil, nil
	}
	a.mu.Lock()
	a.forgetRecent()
	a.mu.Unlock()
	open, err := a.store.Open(ctx, key)
	if err != nil {
		a.behind = true
		return nil, err
	}
	changedOnes, err := a.newer(ctx, key, open, first)
	if err != nil {
		a.behind = true
		return nil, err
	}
	if err := a.conversations.FindWaiting(ctx, first); err != nil {
		a.behind = true
		return nil, err
	}
	a.loaded, a.loadedKey, a.behind = true, key, false
	for _, p := range changedOnes {
		if h := a.renew(ctx, p); h != nil && !first {
			news = append(news, h)
		}
	}
	// What is open here and not there any more was decided by somebody else.
	a.mu.Lock()
	var gone []int
	for n, h := range a.plans {
		if _, still := open[n]; h.plan.State.Open() && !still {
			gone = append(gone, n)
		}
	}
	a.mu.Unlock()
	for _, n := range gone {
		p, err := a.store.Plan(ctx, key, n)
		if broken, ok := errors.AsType[*store.Unreadable](err); ok {
			a.noteUnreadable(broken.Plan, err)
			continue
		}
		if err != nil {
			a.behind = true
			return news, err
		}
		if h := a.renew(ctx, p); h != nil {
			news = append(news, h)
		}
	}
	return news, nil
}

// newer reads those of the open plans that the store has another value of than
// the session; at first, all of them at once.
func (a *Agent) newer(ctx context.Context, key string, open map[int]int, first bool) (plans []*plan.Plan, err error) {
	if first {
		return a.store.Plans(ctx, key, store.Filter{Open: true, Unreadable: true})
	}
	a.mu.Lock()
	var numbers []int
	for n, version := range open {
		if h := a.plans[n]; h == nil || h.plan.Version < version {
			numbers = append(numbers, n)
		}
	}
	a.mu.Unlock()
	slices.Sort(numbers)
	for _, n := range numbers {
		p, err := a.store.Plan(ctx, key, n)
		if broken, ok := errors.AsType[*store.Unreadable](err); ok {
			p, err = broken.Plan, nil
		}
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// renew takes a newer value of a plan, unless this session is working on it;
// then it is looked for again later. It returns the plan if it has changed.
func (a *Agent) renew(ctx context.Context, p *plan.Plan) *heldPlan {
	a.mu.Lock()
	h := a.plans[p.Number]
	working := h != nil && (h.execution != nil || h.plan.State == plan.Drafting || a.backlog.Has(p.Number))
	known := h != nil && h.plan.Version >= p.Version
	a.mu.Unlock()
	switch {
	case known:
		return nil
	case working:
		a.behind = true
		return nil
	}
	h, err := a.hold(ctx, p)
	if err != nil {
		a.notRead(p, err)
		return nil
	}
	a.mu.Lock()
	if thread := a.threads[p.Conversation]; thread != nil {
		thread.news++
	}
	a.reconcileUnsavedLater(h)
	a.mu.Unlock()
	return h
}

// find returns a plan of this workspace, from the session or the store.
func (a *Agent) find(ctx context.Context, n int) (h *heldPlan, err error) {
	if err := a.fresh(ctx); err != nil {
		return nil, err
	}
	a.mu.Lock()
	h = a.plans[n]
	a.mu.Unlock()
	if h == nil {
		if h, err = a.fetch(ctx, n); err != nil {
			return nil, err
		}
	}
	settled, found := a.reconcileLogged(ctx, h, a.closedUnsaved(h)), a.seekGone(ctx, h)
	if a.takeOver(ctx, h) || settled || found {
		a.announce(h, "") // who asked is told anyway, but what is on screen is not
	}
	return h, nil
}

// fetch makes a plan of the store the session's.
func (a *Agent) fetch(ctx context.Context, n int) (*heldPlan, error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	p, err := a.store.Plan(ctx, a.workspaceKey(), n)
	if broken, ok := errors.AsType[*store.Unreadable](err); ok {
		p, err = broken.Plan, nil
	}
	if err != nil {
		return nil, noSuchPlan(n, err)
	}
	h, err := a.hold(ctx, p)
	if err != nil && cannotBeRead(err) {
		a.noteUnreadable(p, err)
		return nil, refuseUnreadable(a.unreadablePlan(n))
	}
	return h, err
}

// kept turns the store's word that another process was faster into a refusal,
// and has its work read the next time.
func (a *Agent) kept(n int, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	a.behind = true
	return refuse(Busy, "Plan %d was changed by another Redline meanwhile: look at it again.", n)
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

// held returns the plans of the session. The caller does not hold a.mu.
func (a *Agent) held() []*heldPlan {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.plans))
}
