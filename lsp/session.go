package lsp

import (
	"context"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/config"
	"redline/lsp/apply"
	"redline/lsp/position"
	"redline/lsp/textsync"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

// session is what a connection has from initialize on. Each part owns its
// state; the session only holds them together.
type session struct {
	position.Mapper
	client   client
	conn     *wire.Conn
	log      *zap.Logger
	timeouts Timeouts

	workspace   *workspace.Workspace
	agent       *agent.Agent // nil when agentErr says why
	agentErr    error
	shown       *shown
	window      *window.Window
	diagnostics *diagnostics
	refresher   *refresher
	presenter   *presenter
	questions   readyQuestions
	editor      *editor
	sends       *turnstile // keeps messages to the agent in wire order
	documents   *textsync.Documents
	names       *names
	own         config.Settings                 // the user's, without the editor's
	settings    atomic.Pointer[config.Settings] // with them; replaced, never changed

	recovery recovery

	warnedOfSettings sync.Once // the log has named the settings of the workspace's own file
}

// recovery is whether the plans of earlier sessions were found.
type recovery struct {
	mu   sync.Mutex // held while they are looked for: everyone waits for that
	done bool
	told string // the failure that the user was told

	ended chan struct{} // closed when the last look that was begun is over, nil before the first; the read loop's
}

// underWay returns a channel that is closed when the look that is under way is
// over, nil when none is. It is for the read loop.
func (r *recovery) underWay() <-chan struct{} {
	select {
	case <-r.ended:
		return nil
	default:
		return r.ended
	}
}

func newSession(s *server, c client, folders []workspace.Folder) *session {
	c.someBuffers = s.options.SomeBuffers
	switch s.options.Review {
	case "always":
		c.review = true
	case "never":
		c.review = false
	}
	w := workspace.New(folders, workspace.Options{StateDir: s.options.StateDir, OffLimits: s.options.OffLimits, MaxFile: s.options.MaxFile})
	n := &session{
		Mapper: position.Mapper{Encoding: c.encoding}, client: c, conn: s.conn, log: s.log, timeouts: s.options.Timeouts,
		workspace: w, shown: &shown{}, sends: &turnstile{}, names: &names{conn: s.conn},
	}
	n.documents = textsync.New(w, n.Mapper)
	n.own = config.Default()
	if s.options.Settings != nil {
		n.own = *s.options.Settings
	}
	n.settings.Store(&n.own)
	n.window = window.New(n.conn, c.window, window.Timeouts{Request: n.timeouts.Request, Ask: n.timeouts.Ask}, n.log)
	n.diagnostics = newDiagnostics(n.conn, n.Mapper, n.snapshot, n.noteShown, n.log)
	n.refresher = newRefresher(n)
	n.presenter = newPresenter(n)
	n.editor = &editor{
		Applier: apply.New(apply.Options{
			Conn: n.conn, Workspace: w, Positions: n.Mapper, Client: c.edits, Timeouts: n.timeouts.Apply,
			Damaged: n.documents.Lost, Late: func(path string) { n.agent.Answered(path) },
		}),
		session: n,
	}
	n.agent, n.agentErr = s.options.NewAgent(w, n.editor)
	if n.agentErr == nil {
		n.agent.Attach(n.editor)
		n.agent.Name(c.name)
	}
	context.AfterFunc(n.conn.Context(), n.close)
	if c.pull {
		n.conn.Go("diagnostics", func(ctx context.Context) { n.diagnostics.forward(ctx, n.refresher.look) })
	} else {
		n.conn.Go("diagnostics", n.diagnostics.run)
	}
	n.conn.Go("presentation", n.presenter.run)
	n.conn.Go("refreshes", n.refresher.run)
	return n
}

// close ends the turns and waits for them: a turn must not go on spending when
// nobody listens.
func (s *session) close() {
	if s.agent != nil {
		s.agent.Close()
	}
}

// leave has the agent find out what is gone with the client's buffers.
func (s *session) leave() {
	if s.agent == nil {
		return
	}
	for _, b := range s.workspace.Buffers() {
		s.workspace.Close(b.URI)
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.timeouts.Request)
	defer cancel()
	if err := s.agent.Leave(ctx); err != nil {
		s.log.Warn("what was not saved could not be found out", zap.Error(err))
	}
}

// snapshot is what there is to show now. It is cheap.
func (s *session) snapshot() *agent.Snapshot {
	if s.agent == nil {
		return &agent.Snapshot{}
	}
	return s.agent.Snapshot()
}

// changed has what the client shows brought up to date soon. It never blocks.
func (s *session) changed() {
	s.diagnostics.refresh()
	s.refresher.look()
}

// noteShown records that the client sees this revision of the plan.
func (s *session) noteShown(p *agent.PlanView) {
	s.noteRevision(p.Plan.Number, p.Revision.Number, p.Revision.Hash)
}

// noteRevision is noteShown. The audit log comes first, so that it has no
// decision on what it does not say was shown. It never waits.
func (s *session) noteRevision(plan, revision int, hash string) {
	s.agent.Shown(plan, revision, hash, s.client.name)
	s.shown.note(plan, revision, hash)
}

// ready returns the agent once the plans of earlier sessions were looked for, or
// a refusal that says what is missing. It may wait for the store: not for the
// read loop.
func (s *session) ready(ctx context.Context) (*agent.Agent, error) {
	switch {
	case s.agentErr != nil:
		return nil, &agent.Refusal{Kind: agent.NotAllowed, Reason: sentence(s.agentErr.Error())}
	case len(s.workspace.Folders()) == 0:
		return nil, &agent.Refusal{Kind: agent.Invalid, Reason: "No folder is open: open a folder, or a file, in the editor first."}
	}
	s.recover(ctx)
	return s.agent, nil
}

// recover finds the plans of earlier sessions. If that fails it is tried again
// by the next command, and the user is told of each reason once.
func (s *session) recover(ctx context.Context) {
	r := &s.recovery
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	err := s.agent.Recover(context.WithoutCancel(ctx))
	if r.done = err == nil; r.done {
		s.agent.Remind()
		s.conn.Go("plans", func(ctx context.Context) { s.agent.Watch(ctx, s.timeouts.Plans) })
		s.conn.Go("retention", func(ctx context.Context) { s.agent.Retain(ctx, s.timeouts.Retain) })
	}
	if err != nil && err.Error() != r.told {
		r.told = err.Error()
		s.log.Warn("the plans of earlier sessions could not be read", zap.Error(err))
		s.window.Error(sentence("The plans of earlier sessions could not be read: " + r.told))
	}
	s.changed()
}

// recoverSoon is recover for the read loop.
func (s *session) recoverSoon() {
	if s.agent != nil && len(s.workspace.Folders()) > 0 {
		ended := make(chan struct{})
		s.recovery.ended = ended
		s.conn.Go("recovery", func(ctx context.Context) {
			defer close(ended)
			s.recover(ctx)
		})
		s.conn.Go("settings", s.warnOfSettings)
	}
}
