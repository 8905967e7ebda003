package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/smallfile"
	"redline/workspace"
)

// Sharing brings plans to others and from them. What comes from elsewhere is data: it approves nothing and
// runs nothing. Its methods may be called from any goroutine.
type Sharing struct {
	session *session.Session
	ws      *workspace.Workspace
	board   *board.Board
}

// NewSharing makes the sharing of a session.
func NewSharing(s *session.Session, b *board.Board) *Sharing { return &Sharing{s, s.Workspace, b} }

// Export returns a plan as a document that others can import; see package share. It refuses a
// plan that changes a file which may hold secrets or which git ignores, since the document contains the
// plan's texts.
func (sh *Sharing) Export(ctx context.Context, n int, with share.With) (*share.Document, error) {
	if _, err := sh.board.Find(ctx, n); err != nil { // it brings the stored plan up to date
		return nil, err
	}
	p, err := sh.session.Store.Plan(ctx, sh.session.Key(), n)
	if err != nil {
		return nil, board.NoSuchPlan(n, err)
	}
	ignoring := sh.ws.Ignoring()
	for i := range p.Revisions {
		for _, c := range p.Revisions[i].Changes {
			for _, path := range []string{c.Path, c.NewPath} {
				if path == "" {
					continue
				}
				if sh.ws.Secret(path) {
					return nil, plan.Refuse(plan.NotAllowed, "Plan %d cannot be exported: it has the text of %s, which may hold secrets.", n, path)
				}
				if _, ignored := ignoring.File(path); ignored {
					return nil, plan.Refuse(plan.NotAllowed, "Plan %d cannot be exported: it has the text of %s, which git ignores.", n, path)
				}
			}
		}
	}
	d, hashes, err := sh.document(ctx, p, with, sh.session.Store.Texts(ctx))
	if err == nil {
		sh.keep(ctx, p, d, hashes)
	}
	return d, err
}

// document returns what [share.Make] does.
func (sh *Sharing) document(ctx context.Context, p *plan.Plan, with share.With, text func(plan.Blob) (string, error)) (*share.Document, map[int]string, error) {
	store, key := sh.session.Store, sh.session.Key()
	src := share.Source{Plan: p, Text: text, Local: share.LocalTo(sh.ws), With: with}
	var err error
	if src.Decisions, err = store.Decisions(ctx, key, p.Number); err != nil {
		return nil, nil, err
	}
	kept, err := store.Document(ctx, key, p.Number)
	if err != nil {
		return nil, nil, err
	}
	if src.Kept, err = share.ReadKept(kept); err != nil {
		return nil, nil, plan.Refuse(plan.WrongState, "What plan %d has from elsewhere cannot be read: it %s.", p.Number, err)
	}
	if with.Conversation {
		said, err := store.Conversation(ctx, key, p.Conversation, 0)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range said.Exchanges {
			src.Exchanges = append(src.Exchanges, share.Exchange{At: e.At, Request: e.Request, Answer: e.Answer})
		}
	}
	return share.Make(src)
}

// hashed returns p with the content hashes of its revisions, and whether one had none.
func hashed(p *plan.Plan, hashes map[int]string) (next *plan.Plan, first bool) {
	next = p.Clone()
	for i := range next.Revisions {
		r := &next.Revisions[i]
		first = first || r.Content == ""
		r.Content = hashes[r.Number]
	}
	return next, first
}

// keep stores the document of a plan if a revision leaves for the first time: its content hash stays then.
// Where that fails, the next export computes it again.
func (sh *Sharing) keep(ctx context.Context, p *plan.Plan, d *share.Document, hashes map[int]string) {
	next, first := hashed(p, hashes)
	if !first {
		return
	}
	err := func() error {
		tx, err := sh.board.Open(ctx, p.Number)
		if err != nil {
			return err
		}
		defer tx.Unlock()
		if tx.Executing() || tx.Held.Plan().State == plan.Drafting || tx.Held.Plan().Version != p.Version {
			return nil
		}
		kept, err := d.Kept()
		if err == nil {
			_, err = tx.Share(ctx, board.Shared{Plan: next, Document: kept})
		}
		return err
	}()
	if err != nil {
		sh.session.Log.Warn("the document of a plan was not kept", zap.Int("plan", p.Number), zap.Error(err))
	}
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

// From says where a document comes from.
type From struct {
	Who       string // who shared it, as git says, "" for a file
	Signature string // "verified", "unverified" or "unsigned"; "" for a file
}

// News is what a document had that was not here.
type News struct {
	Created                     bool  // the plan itself
	Revisions                   []int // by their numbers here
	Comments, Decisions, Trials int
}

// None reports whether there was nothing.
func (n *News) None() bool {
	return !n.Created && len(n.Revisions)+n.Comments+n.Decisions+n.Trials == 0
}

// Sentence says what was new: "Revision 3 and 2 comments are new."
func (n *News) Sentence() string {
	var parts []string
	switch len(n.Revisions) {
	case 0:
	case 1:
		parts = append(parts, fmt.Sprintf("revision %d", n.Revisions[0]))
	default:
		parts = append(parts, fmt.Sprintf("revisions %d to %d", n.Revisions[0], n.Revisions[len(n.Revisions)-1]))
	}
	count := len(n.Revisions)
	for _, of := range []struct {
		n    int
		noun string
	}{{n.Comments, "comment"}, {n.Decisions, "decision"}, {n.Trials, "trial"}} {
		if count += of.n; of.n > 0 {
			parts = append(parts, phrase.Count(of.n, of.noun))
		}
	}
	switch count {
	case 0:
		return "There is nothing new."
	case 1:
		return phrase.Sentence(parts[0] + " is new")
	}
	return phrase.Sentence(phrase.And(parts) + " are new")
}

// PlanWithID returns the number here of the plan with an id, 0 if there is none.
func (sh *Sharing) PlanWithID(ctx context.Context, id string) (int, error) {
	return sh.session.Store.PlanWithID(ctx, sh.session.Key(), id)
}

// Import takes what is new in a document that Export has made, here or elsewhere: into the plan with its
// id, or into a new one. Nothing of it is decided; hunks that do not fit the current files
// are stale. A refusal names the document with name.
func (sh *Sharing) Import(ctx context.Context, name string, data []byte, from From) (state.Plan, News, error) {
	in, err := share.Read(data, share.Rules{
		Clean: func(name string) (path string, err error) {
			if path, err = sh.ws.Clean(name); err == nil {
				err = sh.ws.OffLimits(path) // paths that no tool may touch
			}
			return path, err
		},
		Secret: sh.ws.Secret, MaxText: sh.ws.MaxTracked(), LimitOf: sh.ws.Ignoring().Limit,
		Tool: func(name string) bool {
			t, ok := tool.Find(tool.All(), name)
			return ok && t.Stages()
		},
	})
	if err != nil {
		return state.Plan{}, News{}, plan.Refuse(plan.Invalid, "%s %s.", name, strings.TrimSuffix(err.Error(), "."))
	}
	if err := sh.board.Follower.Refresh(ctx); err != nil {
		return state.Plan{}, News{}, err
	}
	n := 0
	if in.Document.ID != "" {
		if n, err = sh.PlanWithID(ctx, in.Document.ID); err != nil {
			return state.Plan{}, News{}, err
		}
	}
	h, news, err := sh.take(ctx, n, in, from)
	if err != nil {
		return state.Plan{}, News{}, err
	}
	if !news.None() {
		sh.board.Announce(h, "")
	}
	return sh.board.StateOf(h), news, nil
}

func (sh *Sharing) take(ctx context.Context, n int, in *share.Imported, from From) (*board.Held, News, error) {
	if n == 0 {
		return sh.create(ctx, in, from)
	}
	return sh.update(ctx, n, in, from)
}

// create makes a new plan of a document.
func (sh *Sharing) create(ctx context.Context, in *share.Imported, from From) (*board.Held, News, error) {
	now := sh.session.Now().UTC()
	p := &plan.Plan{ID: in.Document.ID, Conversation: session.NewID("c"), Goal: in.Goal, State: plan.Drafting, Created: now, Updated: now}
	news := News{Created: true}
	in.Into(p, func(b plan.Blob) string { return in.Texts[b] }, sh.prepare(in))
	sh.note(p, in.Document, in.Document.Fresh(nil), &news, from)
	if err := p.Apply(plan.PlanCreated); err != nil {
		return nil, news, err
	}
	document := ""
	if in.Document.ID != "" {
		var err error
		if document, err = in.Document.Kept(); err != nil {
			return nil, news, err
		}
	} else { // a file of version 1: its hashes are of no plan
		for i := range p.Revisions {
			p.Revisions[i].Content = ""
		}
	}
	h, err := sh.board.Import(ctx, p, in.Texts, document)
	return h, news, err
}

// prepare returns what completes a revision of a document before a plan has it.
func (sh *Sharing) prepare(in *share.Imported) func(*plan.Revision) {
	now := sh.session.Now().UTC()
	return func(r *plan.Revision) {
		r.Created, r.Note = now, cmp.Or(r.Note, "imported")
		board.NameCharsets(sh.board, r, func(b plan.Blob) string { return in.Texts[b] })
	}
}

// update brings a plan that is here up to date with a document.
func (sh *Sharing) update(ctx context.Context, n int, in *share.Imported, from From) (*board.Held, News, error) {
	var news News
	tx, err := sh.board.Open(ctx, n)
	if err != nil {
		return nil, news, err
	}
	defer tx.Unlock()
	p := tx.Held.Plan()
	if tx.Executing() || tx.Staging() || p.State == plan.Drafting {
		return nil, news, plan.Refuse(plan.Busy, "Plan %d is being worked on: bring it up to date once that is done.", n)
	}
	ours, hashes, err := sh.document(ctx, p, share.With{Conversation: true, Output: true}, nil)
	if err != nil {
		return nil, news, err
	}
	both, err := share.Merge(ours, in.Document)
	if err != nil {
		return nil, news, err
	}
	next, _ := hashed(p, hashes)
	text, missing := board.StoredTexts(ctx, sh.session.Store, in.Texts)
	news.Revisions = in.Into(next, text, sh.prepare(in))
	if err := missing(); err != nil {
		return nil, news, err
	}
	sh.note(next, both, both.Fresh(ours), &news, from)
	if news.None() {
		return tx.Held, news, nil
	}
	var events []plan.Event
	if next.Current != p.Current {
		begin := plan.RequestRevision
		if !p.State.Open() {
			begin = plan.Start
		}
		events = []plan.Event{begin, plan.FinishDrafting}
		if err := apply(next, events...); err != nil {
			return nil, news, err
		}
	}
	next.Updated = sh.session.Now().UTC()
	kept, err := both.Kept()
	if err != nil {
		return nil, news, err
	}
	h, err := tx.Share(ctx, board.Shared{Plan: next, Added: news.Revisions, Texts: in.Texts, Document: kept}, events...)
	return h, news, sh.board.StoreError(n, err)
}

// note adds to a plan what a document says about its revisions.
func (sh *Sharing) note(p *plan.Plan, d *share.Document, fresh share.Fresh, news *News, from From) {
	here := map[string]int{} // the number of a revision here, by content hash
	for i := range p.Revisions {
		here[p.Revisions[i].Content] = p.Revisions[i].Number
	}
	shared := plan.Shared{}
	if p.Shared != nil {
		shared.Decisions, shared.Trials = slices.Clone(p.Shared.Decisions), slices.Clone(p.Shared.Trials)
	}
	news.Comments, news.Decisions, news.Trials = len(fresh.Comments), len(fresh.Decisions), len(fresh.Trials)
	by := ""
	if len(d.Revisions) > 0 {
		by = d.Revisions[len(d.Revisions)-1].By
	}
	for _, c := range fresh.Comments {
		p.Progress.Comments = append(p.Progress.Comments, plan.Comment{
			ID: freshID(p, c.ID), Revision: here[c.Content], Path: c.Path, Line: c.Line, Side: plan.CommentSide(c.Side),
			Text: edits.Visible(c.Text), Author: author(c.Author), Time: c.Time.UTC(), Done: c.Done,
		})
	}
	var done []string
	for _, c := range d.Comments {
		if c.Done {
			done = append(done, c.ID)
		}
	}
	p.Answer(done)
	for _, one := range fresh.Decisions {
		shared.Decisions = append(shared.Decisions, plan.Elsewhere{
			ID: one.ID, Revision: here[one.Content], Verdict: plan.Verdict(one.Verdict), Path: edits.VisibleLine(one.Path),
			By: cmp.Or(one.By, one.Who), Way: one.Way, At: one.At.UTC(),
		})
	}
	for _, one := range fresh.Trials {
		shared.Trials = append(shared.Trials, plan.TriedBy{
			ID: one.ID, Revision: here[one.Content], Command: edits.VisibleLine(one.Command), Verdict: plan.Class(one.Verdict), By: one.By, At: one.At.UTC(),
		})
	}
	if news.None() {
		return
	}
	shared.By, shared.Signature, shared.At = cmp.Or(edits.VisibleLine(from.Who), by), from.Signature, sh.session.Now().UTC()
	shared.Revisions, shared.Comments = news.Revisions, news.Comments
	p.Shared = shared.Bounded()
}

// author returns the author of a comment from elsewhere, who is never the user of here.
func author(name string) string {
	if name == plan.AuthorUser || name == "" {
		return "somebody else"
	}
	return name
}

// freshID returns the id of a comment from elsewhere, or another one if a comment of the plan has it.
func freshID(p *plan.Plan, id string) string {
	if slices.ContainsFunc(p.Progress.Comments, func(c plan.Comment) bool { return c.ID == id }) {
		return newCommentID()
	}
	return id
}
