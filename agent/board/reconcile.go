package board

import (
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/view"
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

// reconcile compares the files that the evidence names with their texts, by the table of package
// reconcile, and stores the result. It changes no file, and reports whether a hunk or a command
// has changed. It locks the plan.
//
// First come the files that an editor was asked for, which ends an execution; then hunks that
// were discarded, came back or were saved outside an execution.
func (r *reconciler) reconcile(ctx context.Context, h *Held, e evidence) (changed bool, err error) {
	if !e.any() {
		return false, nil
	}
	tx := r.b.Lock(h)
	defer tx.Unlock()
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
func (r *reconciler) tryReconcile(ctx context.Context, h *Held, e evidence) (changed bool) {
	err := session.Contain(func() (err error) {
		changed, err = r.reconcile(ctx, h, e)
		return err
	})
	if _, refused := errors.AsType[*plan.Refusal](err); err != nil && !refused && ctx.Err() == nil {
		r.b.log.Error("the result of a change could not be recorded", zap.Int("plan", h.Number()), zap.Error(err))
	}
	return changed
}

// Reconcile settles the files that an editor was asked for and has not answered, as far as their
// texts show the result.
func (b *Board) Reconcile(ctx context.Context, h *Held) error {
	_, err := b.reconciler.reconcile(ctx, h, evidence{asked: true})
	return err
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
func (r *reconciler) closedFiles(h *entry) (e evidence) {
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

// names converts what was read of a file to the form of package reconcile.
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

// file converts the change with its texts to the form of package reconcile.
func (f *heldFile) file() reconciledFile {
	return reconciledFile{Change: f.Change, Base: f.Base, Proposed: f.Proposed}
}

// fileOfPast converts the change with its texts to the form of package reconcile.
func fileOfPast(c *view.Earlier) reconciledFile {
	return reconciledFile{Change: c.Change, Base: c.Base, Proposed: c.Proposed}
}
