package completion

import (
	"context"
	"sync"
	"time"

	"redline/lsp/wire"
	"redline/workspace"
)

// Bounds of the list of file names.
const (
	maxNames  = 20_000
	freshFor  = 3 * time.Second        // how long a list is used before the folders are read again
	nameWait  = 200 * time.Millisecond // how long an answer waits for a new list before it takes the old one
	namesTime = 10 * time.Second       // how long reading the folders may take
)

// fileNames caches the paths of the workspace's files for completion. One request at a time
// lists the folders, and all others wait for it.
type fileNames struct {
	conn *wire.Conn

	mu      sync.Mutex
	paths   []string
	at      time.Time
	looking chan struct{} // closed at the end of the listing that runs, nil if none does
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

// look lists the folders and closes done. If that fails it keeps the old paths.
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
