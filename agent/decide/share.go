package decide

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/internal/smallfile"
)

// Export returns a plan as a document that others can import; see package share. It refuses a
// plan that changes a file which may hold secrets, since the document contains the plan's texts.
func (ds *Decisions) Export(ctx context.Context, n int) (*share.Document, error) {
	if _, err := ds.board.Find(ctx, n); err != nil { // it brings the stored plan up to date
		return nil, err
	}
	p, err := ds.store.Plan(ctx, ds.session.Key(), n)
	if err != nil {
		return nil, board.NoSuchPlan(n, err)
	}
	for i := range p.Revisions {
		for _, c := range p.Revisions[i].Changes {
			for _, path := range []string{c.Path, c.NewPath} {
				if path != "" && ds.ws.Secret(path) {
					return nil, plan.Refuse(plan.NotAllowed, "Plan %d cannot be exported: it has the text of %s, which may hold secrets.", n, path)
				}
			}
		}
	}
	decisions, err := ds.store.Decisions(ctx, ds.session.Key(), n)
	if err != nil {
		return nil, err
	}
	text := ds.store.Texts(ctx)
	return share.Make(p, decisions, text, share.LocalTo(ds.ws))
}

// ReadDocument reads a file that may be such a document. A refusal calls it name.
func ReadDocument(path, name string) ([]byte, error) {
	data, err := smallfile.Read(path, share.MaxSize)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return nil, plan.Refuse(plan.Invalid, "%s cannot be read (%s): name a file that redline plans export wrote.", name, err)
	}
	return []byte(data), nil
}

// Import makes a new plan from a document that Export has made, here or elsewhere. The plan has
// the document's revisions, with nothing decided, and its id unless another plan here has it; hunks that do not fit the current files
// are stale. A refusal names the document with name.
func (ds *Decisions) Import(ctx context.Context, name string, data []byte) (state.Plan, error) {
	in, err := share.Read(data, share.Rules{
		Clean: func(name string) (path string, err error) {
			if path, err = ds.ws.Clean(name); err == nil {
				err = ds.ws.OffLimits(path) // paths that no tool may touch
			}
			return path, err
		},
		Secret: ds.ws.Secret, MaxText: ds.ws.MaxTracked(), LimitOf: ds.ws.Ignoring().Limit,
		Tool: func(name string) bool {
			t, ok := tool.Find(tool.All(), name)
			return ok && t.Stages()
		},
	})
	if err != nil {
		return state.Plan{}, plan.Refuse(plan.Invalid, "%s %s.", name, strings.TrimSuffix(err.Error(), "."))
	}
	if err := ds.board.Follower.Refresh(ctx); err != nil {
		return state.Plan{}, err
	}
	now := ds.now().UTC()
	p := &plan.Plan{
		ID: in.ID, Conversation: session.NewID("c"), Goal: in.Goal, State: plan.Drafting, Created: now, Updated: now,
		NextOperation: in.NextOperation,
	}
	text := func(b plan.Blob) string { return in.Texts[b] }
	for _, r := range in.Revisions {
		r.Created, r.Note = now, "imported"
		board.NameCharsets(ds.board, &r, text)
		p.Add(r, text)
	}
	if err := p.Apply(plan.PlanCreated); err != nil {
		return state.Plan{}, err
	}
	h, err := ds.board.Import(ctx, p, in.Texts)
	return ds.announced(h, err)
}
