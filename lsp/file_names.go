package lsp

import (
	"context"
	"sync"
	"time"

	"redline/lsp/wire"
	"redline/workspace"
)

// Bounds of the list of file names for completion.
const (
	maxNames  = 20_000
	freshFor  = 3 * time.Second        // after that the folders are looked through again,
	nameWait  = 200 * time.Millisecond // for which an answer waits so long; then it has the names of before
	namesTime = 10 * time.Second       // and the looking takes so long at most
)

// fileNames caches the paths of the workspace's files for completion. One request at a
// time lists the folders, and all others wait for it.
type fileNames struct {
	conn *wire.Conn

	mu      sync.Mutex
	paths   []string
	at      time.Time
	looking chan struct{} // closed when the paths are there; nil while nobody looks
}

// get returns the sorted paths, at once or after a short wait.
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

// look lists the folders. If that fails the earlier paths stay.
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
