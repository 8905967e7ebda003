package lsp

import (
	"context"
	"sync"
	"time"

	"redline/lsp/wire"
	"redline/workspace"
)

// How the names of the workspace's files are kept at hand for completion.
const (
	maxNames  = 20_000
	freshFor  = 3 * time.Second        // after that the folders are looked through again,
	nameWait  = 200 * time.Millisecond // for which an answer waits so long; then it has the names of before
	namesTime = 10 * time.Second       // and the looking takes so long at most
)

// fileNames are the paths of the workspace's files, as of a moment ago. Folders are
// looked through when somebody asks, once for all who do.
type fileNames struct {
	conn *wire.Conn

	mu      sync.Mutex
	paths   []string
	at      time.Time
	looking chan struct{} // closed when the paths are there; nil while nobody looks
}

// get returns the paths that there are, sorted, soon.
func (n *fileNames) get(ctx context.Context, w *workspace.Workspace) []string {
	n.mu.Lock()
	looking := n.looking
	if time.Since(n.at) < freshFor && looking == nil {
		defer n.mu.Unlock()
		return n.paths
	}
	if looking == nil {
		looking = make(chan struct{})
		n.looking = looking
		n.conn.Go("names", func(ctx context.Context) { n.look(ctx, w, looking) })
	}
	n.mu.Unlock()
	timer := time.NewTimer(nameWait)
	defer timer.Stop()
	select {
	case <-looking:
	case <-timer.C:
	case <-ctx.Done():
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paths
}

// look looks the folders through. What cannot be listed leaves the names of before.
func (n *fileNames) look(ctx context.Context, w *workspace.Workspace, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, namesTime)
	defer cancel()
	paths, _, err := w.List(ctx, "", "", nil, maxNames)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		n.paths = paths
	}
	n.at, n.looking = time.Now(), nil
	close(done)
}
