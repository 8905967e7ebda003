package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/view"
	"redline/internal/wire"
	"redline/lsp/command"
	"redline/lsp/position"
	"redline/workspace"
)

// The reasons of TextDocumentSaveReason for which the editor saves by itself: after a delay, while the
// user may be in the middle of a word, and when its user looks at something else.
const afterDelay, focusOut = 2, 3

// willSaveParams are WillSaveTextDocumentParams.
type willSaveParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Reason       int                   `json:"reason"`
}

// willSave notes why a document is about to be saved (LSP 3.18, "WillSaveTextDocument
// Notification").
func (s *session) willSave(_ context.Context, p *willSaveParams) error {
	s.saves.will(p.TextDocument.URI, p.Reason == afterDelay || p.Reason == focusOut)
	return nil
}

// cause is why a document was saved.
type cause int

const (
	byUser   cause = iota
	byItself       // by the editor's auto-save
	untold         // the client does not say
)

// saves tracks why documents are saved. Only the read loop uses it.
type saves struct {
	told     bool            // the client announces saves, with the reason
	byItself map[string]bool // by URI, whether the save announced last is the editor's own
	unread   map[string]bool // previews with a save that was not the user's for sure, and that were not read since
}

func (s *saves) will(uri string, byItself bool) {
	if s.byItself == nil {
		s.byItself = map[string]bool{}
	}
	s.byItself[uri] = byItself
}

// did returns why a document was saved. A client that announces saves and did not announce this one
// was told to save by its user.
func (s *saves) did(uri string) cause {
	why := byUser
	switch {
	case !s.told:
		why = untold
	case s.byItself[uri]:
		why = byItself
	}
	delete(s.byItself, uri)
	if s.unread == nil {
		s.unread = map[string]bool{}
	}
	if s.unread[uri] = why != byUser; why == byUser {
		delete(s.unread, uri)
	}
	return why
}

// closed reports whether a closed document was last saved for another reason than the user's word.
func (s *saves) closed(uri string) (unread bool) {
	unread = s.unread[uri]
	delete(s.byItself, uri)
	delete(s.unread, uri)
	return unread
}

// drafts are the previews with edits that are saved and in no revision yet: an editor saves by itself
// in the middle of a word, and some do not tell that from a save of the user's. They become a revision
// with the next action on their plan, with a save of the user's, or when they are closed.
type drafts struct {
	mu    sync.Mutex
	plans map[string]int // by URI
}

func (d *drafts) add(uri string, plan int) (known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.plans == nil {
		d.plans = map[string]int{}
	}
	_, known = d.plans[uri]
	d.plans[uri] = plan
	return known
}

func (d *drafts) remove(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.plans, uri)
}

// has reports whether a document is a draft.
func (d *drafts) has(uri string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.plans[uri]
	return ok
}

// of returns the drafts of a plan, of all plans for 0.
func (d *drafts) of(plan int) (uris []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for uri, of := range d.plans {
		if plan == 0 || of == plan {
			uris = append(uris, uri)
		}
	}
	return uris
}

// afterDrafts returns the work of a command on a plan, any plan for 0: first the drafts of it become
// revisions. The command sees what the client was shown before.
func (s *session) afterDrafts(plan int, prepare func() (wire.Run, error)) wire.Run {
	var reads []wire.Run
	for _, uri := range s.drafts.of(plan) {
		if name, b, ok := s.pages.Preview(uri); ok && !b.Dirty {
			reads = append(reads, s.reading(name, b))
		}
	}
	run, err := prepare()
	return func(ctx context.Context) (any, error) {
		for _, read := range reads {
			s.finish(ctx, read)
		}
		if err != nil {
			return nil, err
		}
		return run(ctx)
	}
}

// executeCommand runs a command (LSP 3.18, "Execute a command"). An approval of a plan whose preview
// is a draft is refused, since nobody has seen the revision that the draft becomes; then that is shown.
func (s *session) executeCommand(_ context.Context, p *executeCommandParams) (wire.Run, error) {
	switch p.Command {
	case command.State, command.Hunks, command.Complete, command.Conversations: // clients ask by themselves
	default:
		s.window.Acted()
	}
	execute := func() (wire.Run, error) { return s.commands.Execute(p.Command, p.Arguments) }
	var on struct{ Plan int }
	if len(p.Arguments) > 0 {
		_ = json.Unmarshal(p.Arguments[0], &on) // a message alone names no plan
	}
	switch p.Command {
	case command.Chat:
		return s.afterDrafts(0, execute), nil
	case command.Approve, command.Review:
		before := s.backend.Plan(on.Plan)
		run, err := execute()
		if err != nil || before == nil {
			return run, err
		}
		return func(ctx context.Context) (any, error) {
			result, err := run(ctx)
			if err != nil {
				s.showTaken(before)
			}
			return result, err
		}, nil
	case command.Rework, command.Try, command.Show, command.Stage, command.Rollback:
		if on.Plan > 0 {
			return s.afterDrafts(on.Plan, execute), nil
		}
	}
	return execute()
}

// showTaken shows the revision that an approval has made from an edited preview, instead of approving.
// before is the plan before that. The preview is a draft, or no document of the client.
func (s *session) showTaken(before *view.Plan) {
	p := s.backend.Plan(before.Plan.Number)
	if p == nil || p.Revision.Number <= before.Revision.Number || p.Revision.Author != plan.AuthorUser {
		return
	}
	for _, uri := range s.drafts.of(p.Plan.Number) {
		name, b, ok := s.pages.Preview(uri)
		if _, revision, _ := view.PreviewOf(name); ok && revision < p.Revision.Number {
			s.drafts.remove(uri)
			s.markProblems(b, nil, func(*workspace.Buffer) bool { return true })
		}
	}
	s.showRevision(p)
}

// leavePreview marks the lines of a preview that cannot be read, or else that its edits are a draft,
// after a save that may be the editor's own.
func (s *session) leavePreview(name string, b *workspace.Buffer, why cause) {
	check := s.backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		problems, edited, err := a.CheckPreview(ctx, name, b.Lines.Text())
		if err != nil {
			return nil, err
		}
		if edited && len(problems) == 0 {
			n, revision, _ := view.PreviewOf(name)
			text := fmt.Sprintf(unreadEdits, n)
			if why == untold {
				text = fmt.Sprintf(untoldEdits, n, revision+1)
			}
			if known := s.drafts.add(b.URI, n); !known && why == untold {
				s.window.Info(text)
			}
			problems = []preview.Problem{{Reason: text, Note: true}}
		} else {
			s.drafts.remove(b.URI)
		}
		s.markProblems(b, problems, func(*workspace.Buffer) bool { return true })
		return nil, nil
	})
	s.conn.Go("preview", func(ctx context.Context) { _, _ = check(ctx) }) // the next save tries again
}

// unreadEdits explains what happens to edits that auto-save has saved, and untoldEdits to those of
// which the client does not say who saved them. %d is the plan, then the revision.
const (
	unreadEdits = "Auto-save has kept your edits, but they are not in plan %d yet: save the page yourself when they are complete."
	untoldEdits = "Your edits are a draft, not in plan %d yet: the next action on it makes them revision %d."
)
