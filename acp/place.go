package acp

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"redline/acp/apply"
	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
	"redline/workspace"
)

// place is a folder with its agent: the sessions of a folder share one.
type place struct {
	server *server
	dir    string
	client client
	agent  *agent.Agent
	news   *presenter

	applier *apply.Applier
	last    atomic.Value // the id of the session whose prompt was the last to begin

	ctx  context.Context // done when the connection has ended
	stop context.CancelFunc

	remind sync.Once // of what earlier processes have left undone

	mu        sync.Mutex // held during a recovery, which all others wait for
	recovered bool
}

// place returns the place of a folder, which it opens if need be, once the plans of earlier sessions are
// read.
func (s *server) place(ctx context.Context, cwd string) (*place, error) {
	client, err := s.ready()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(cwd) {
		return nil, invalid("The folder %q is not absolute.", phrase.ClipBytes(cwd, 200))
	}
	dir := filepath.Clean(cwd)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, invalid("There is no folder %q.", phrase.ClipBytes(dir, 200))
	}
	p, err := s.open(dir, client)
	if err != nil {
		return nil, err
	}
	return p, p.recover(ctx)
}

// open returns the place of a folder.
func (s *server) open(dir string, client client) (*place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places == nil {
		return nil, plan.Refuse(plan.NotAllowed, "Redline is shutting down.")
	}
	if p := s.places[dir]; p != nil {
		return p, nil
	}
	p := &place{server: s, dir: dir, client: client}
	p.news = newPresenter(p)
	a, err := s.o.NewAgent(dir, func(ws *workspace.Workspace) state.Editor { return newEditor(p, ws, client) })
	if err != nil {
		return nil, plan.Refuse(plan.NotAllowed, "%s", phrase.SentenceOf(err))
	}
	p.agent = a
	a.Presence.Name(client.name)
	p.ctx, p.stop = context.WithCancel(context.Background())
	a.Session.Spawn(func() { p.news.run(p.ctx) })
	s.places[dir] = p
	return p, nil
}

// recover reads the plans of earlier sessions, once.
func (p *place) recover(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.recovered {
		return nil
	}
	if err := p.agent.Recover(context.WithoutCancel(ctx)); err != nil {
		p.server.log.Warn("the plans of earlier sessions could not be read", zap.Error(err))
		return plan.Refuse(plan.NotAllowed, "%s", phrase.OneSentence("The plans of earlier sessions could not be read: "+err.Error()))
	}
	p.recovered = true
	p.agent.Session.Spawn(func() { p.agent.Board.Follower.Watch(p.ctx, p.server.o.Watch) })
	if p.client.reads || p.client.writes { // it may have text that nobody else sees
		p.agent.Session.Spawn(func() { p.agent.ServeHandovers(p.ctx, p.server.o.Watch, p.client.name) })
	}
	p.agent.Session.Spawn(func() { p.agent.Retain(p.ctx, p.server.o.Retain) })
	return nil
}

// close ends the agent. Its turns end, and their last events are shown while the client still reads.
func (p *place) close() {
	p.stop()
	p.agent.Close()
}

// path returns the absolute name of a file of the workspace.
func (p *place) path(name string) string {
	if abs, err := p.agent.Session.Workspace.Abs(name); err == nil {
		return abs
	}
	return filepath.Join(p.dir, filepath.FromSlash(name))
}
