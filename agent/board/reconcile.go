package board

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/view"
	"redline/workspace"
)

// evidence says what reconcile should compare, and what is known about it.
type evidence struct {
	asked     bool      // files that an editor was asked for and has not answered
	answered  *heldFile // the file among them for which the editor has just answered
	restarted bool      // this is the first look of a session at the plan
	commands  bool      // commands begun by a process that has exited

	all    bool        // compare everything that the plan has applied
	files  []*heldFile // files with hunks that are applied and not saved, or that the user has undone
	past   bool        // what earlier revisions have applied
	paths  []string    // the paths of those files; nil for all
	said   bool        // the editor has just shown its texts of files and paths
	closed []*heldFile // files that no editor shows, so the disk decides
}

// any reports whether there is anything to compare.
func (e evidence) any() bool {
	return e.asked || e.commands || e.applied()
}

// applied reports whether there are applied changes to compare.
func (e evidence) applied() bool { return e.all || e.past || len(e.files)+len(e.closed) > 0 }

// and returns e joined with other, which also results from an editor's action.
func (e evidence) and(other evidence) evidence {
	e.asked, e.past, e.said = e.asked || other.asked, e.past || other.past, e.said || other.said
	e.closed = append(e.closed, other.closed...)
	for _, f := range other.files {
		if !slices.Contains(e.files, f) {
			e.files = append(e.files, f)
		}
	}
	for _, path := range other.paths {
		if !slices.Contains(e.paths, path) {
			e.paths = append(e.paths, path)
		}
	}
	return e
}

// reconcile compares the files that the evidence names with their texts, see
// judgeRecord, and stores the result. It changes no file, and reports whether a hunk or a command
// has changed. It locks the plan.
//
// First come the files that an editor was asked for, which ends an execution; then hunks that
// were discarded, came back or were saved outside an execution.
func (r *Reconciler) reconcile(ctx context.Context, h *Held, e evidence) (changed bool, err error) {
	if !e.any() {
		return false, nil
	}
	tx := r.b.Lock(h)
	defer tx.Unlock()
	return tx.reconcile(ctx, e)
}

// reconcile does what [Reconciler.reconcile] does, for a plan that is locked.
func (tx *Tx) reconcile(ctx context.Context, e evidence) (changed bool, err error) {
	note := func(one bool, oneErr error) {
		changed, err = changed || one, errors.Join(err, oneErr)
	}
	if e.asked {
		note(tx.reconcileAsked(ctx, e))
	}
	if e.commands {
		note(tx.reconcileCommands(ctx))
	}
	if e.applied() {
		note(tx.reconcileApplied(ctx, e))
	}
	return changed, err
}

// tryReconcile calls reconcile for callers that can do nothing about an error: it logs the error,
// unless another Redline was faster.
func (r *Reconciler) tryReconcile(ctx context.Context, h *Held, e evidence) (changed bool) {
	if !e.any() {
		return false
	}
	err := session.Contain(func() (err error) {
		changed, err = r.reconcile(ctx, h, e)
		return err
	})
	if _, refused := errors.AsType[*plan.Refusal](err); err != nil && !refused && ctx.Err() == nil {
		r.b.log.Error("the result of a change could not be recorded", zap.Int("plan", h.Number()), zap.Error(err))
	}
	return changed
}

// unsettled reports whether the result for a file of a plan is unknown.
func unsettled(p *plan.Plan, r *plan.Revision) bool {
	for i := range r.Changes {
		switch p.Progress.File(r.Number, r.Changes[i].Path).Status {
		case plan.FileApplying, plan.FileUnverified:
			return true
		}
	}
	return false
}

// leftBehind returns the evidence about work that another process left: its edits, its commands
// and, the first time in a session, applied changes that were never saved.
func (h *entry) leftBehind() evidence {
	first := !h.looked
	h.looked = true
	return evidence{
		asked: h.execution == nil && unsettled(h.Plan(), h.Revision()), restarted: first, all: first,
		commands: len(h.openCommands()) > 0,
	}
}

// closedFiles returns the evidence about files with applied hunks that were not saved, and that
// this session's editor does not show. If no other editor has the file unsaved, the disk
// decides.
func (r *Reconciler) closedFiles(h *entry) (e evidence) {
	for _, f := range h.files {
		if _, open := r.b.ws.Buffer(f.PathIn(h.Plan())); !open && h.mark(f).Unsaved && view.HasApplied(h.Plan(), f.Change) {
			e.files = append(e.files, f)
		}
	}
	// An editor that has outlived a server soon shows its documents to the next one. Until then
	// the disk does not decide.
	if r.b.now().Sub(r.b.session.Began).Abs() > patience {
		e.files, e.closed = nil, e.files
	}
	return e
}

// names describes what was read under both names of a file.
func names(l *ReadAhead, c *plan.Change) (n foundNames) {
	n.Old = nameOf(l, c.Path)
	if c.NewPath != "" {
		both := pathsOf(c)
		n.New, n.Same = nameOf(l, c.NewPath), l.SameFile(both)
		n.SpelledOld, n.SpelledNew = l.Spelled(both)
	}
	return n
}

func nameOf(l *ReadAhead, path string) (n foundName) {
	file, err := l.File(path)
	n.Exists, n.Text, n.ReadErr = file.Exists, file.Text, err
	n.OnDisk, _, n.StatErr = l.Stat(path)
	return n
}

// file returns the change with its texts, to compare with what was read.
func (f *heldFile) file() reconciledFile {
	return reconciledFile{Change: f.Change, Base: f.Base, Proposed: f.Proposed}
}

// fileOfPast does what file does, for a change of an earlier revision.
func fileOfPast(c *view.Earlier) reconciledFile {
	return reconciledFile{Change: c.Change, Base: c.Base, Proposed: c.Proposed}
}

// Reconciler compares plans with their texts off the read loop. It compares files that the
// editor saves or closes together at once, so that the work is proportional to their number.
type Reconciler struct {
	b *Board

	mu      sync.Mutex         // guards the rest; no other lock is taken while it is held
	due     map[*Held]evidence // what must be compared
	running map[*Held]bool     // plans that are being compared
}

// later compares a plan in the background. What is not compared when the session ends stays due,
// for CatchUp.
func (r *Reconciler) later(h *Held, e evidence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due[h] = r.due[h].and(e)
	if r.running[h] || r.b.root.Err() != nil {
		return
	}
	r.running[h] = true
	r.b.session.Spawn(func() {
		for r.next(h) {
		}
	})
}

// next compares what is due for a plan, and reports whether to continue.
func (r *Reconciler) next(h *Held) bool {
	r.mu.Lock()
	e := r.due[h]
	on := e.any() && r.b.root.Err() == nil
	if on {
		delete(r.due, h)
	} else {
		delete(r.running, h)
	}
	r.mu.Unlock()
	if !on {
		return false
	}
	if r.tryReconcile(r.b.root, h, e) {
		r.b.Announce(h, "")
	}
	if r.b.root.Err() != nil { // the end of the session may have cut it off
		r.mu.Lock()
		r.due[h] = r.due[h].and(e)
		r.mu.Unlock()
	}
	return true
}

// take returns what is due for a plan, and clears it.
func (r *Reconciler) take(h *Held) evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.due[h]
	delete(r.due, h)
	return e
}

// fileLater compares a file with its text, in the background, if an editor was asked for it and
// has not answered, or if hunks in it may never be saved or were reverted and saved.
func (r *Reconciler) fileLater(h *entry, f *heldFile, kind workspace.EventKind) {
	m := h.mark(f)
	moved := kind != workspace.Changed // the editor has opened, saved or closed it
	switch {
	case h.execution != nil && !h.execution.waiting:
		return // the editor was asked and may still answer
	case !m.Asked() && !(moved && (m.Unsaved || len(f.undone.saved) > 0)):
		return
	}
	e := evidence{asked: true, said: true}
	if moved && !(kind == workspace.Opened && h.execution != nil) { // otherwise the editor opens the file to make a late edit in it
		e.files = []*heldFile{f}
	}
	r.later(h.Held, e)
}

// pastLater compares what earlier revisions have applied to a file, in the background.
func (r *Reconciler) pastLater(h *entry, path string) {
	r.later(h.Held, evidence{past: true, paths: []string{path}, said: true})
}

// unsavedLater compares the unsaved buffers of this editor, in the background, after another
// process has stored the plan: that process may not know about them, and compared the disk.
func (r *Reconciler) unsavedLater(h *entry) {
	unsaved := func(path string) bool {
		b, open := r.b.ws.Buffer(path)
		return open && b.Dirty
	}
	for _, f := range h.files {
		if unsaved(f.PathIn(h.Plan())) {
			r.fileLater(h, f, workspace.Opened)
		}
	}
	for _, c := range h.past {
		if path := c.LivePath(h.Plan()); unsaved(path) {
			r.pastLater(h, path)
		}
	}
}

// Answered handles a late reply to workspace/applyEdit: it reads the file at path again and
// records the result. A change that the text does not show by then will not come.
func (r *Reconciler) Answered(path string) {
	b := r.b
	t := b.lock()
	defer t.unlock()
	if b.root.Err() != nil {
		return
	}
	for _, h := range t.plans {
		x := h.execution
		for _, f := range h.files {
			if x == nil || f.Change.Path != path && f.Change.NewPath != path && f.PathIn(h.Plan()) != path {
				continue
			}
			b.session.Spawn(func() {
				select {
				case <-x.done: // its result so far is recorded
				case <-b.root.Done():
					return
				}
				r.answered(h.Held, x, f)
			})
		}
	}
}

// answered compares a file after the editor has answered for it, if the execution x still waits.
func (r *Reconciler) answered(h *Held, x *Execution, f *heldFile) {
	b := r.b
	t := b.lock()
	waits := t.of(h).execution == x && x.waiting
	t.unlock()
	if waits && r.tryReconcile(b.root, h, evidence{asked: true, answered: f}) {
		b.Announce(h, "")
	}
}

// Leave records what was lost when an editor exited: hunks that were applied in its buffers and
// never saved become pending again. Call it when the session has ended and the workspace has no
// buffers. If only the server exits, the editor opens its buffers in the next one, and their
// hunks count as applied again.
func (r *Reconciler) Leave(ctx context.Context) error {
	for _, h := range r.b.Plans("") {
		if _, err := r.reconcile(ctx, h, evidence{all: true}); err != nil {
			return err
		}
	}
	return nil
}

// CatchUp compares the files that the editor has saved, opened or closed, if the end of the
// session cut that off. Call it when the session has ended, while the workspace still has the
// editor's buffers. Without it, files that were saved last would stay recorded as unsaved, and
// the next session would treat their hunks as lost if the disk no longer has them.
func (r *Reconciler) CatchUp(ctx context.Context) error {
	for _, h := range r.b.Plans("") {
		e := r.take(h)
		e.asked = false
		if _, err := r.reconcile(ctx, h, e); err != nil {
			return err
		}
	}
	return nil
}
