package lsp

import (
	"context"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/lsp/wire"
)

// refresher tells the client that what it has asked for has become out of date,
// so that it asks again: only where it says that it takes such requests. One
// goroutine looks at what is new since the last time; a request is awaited, so
// that a client that does not answer has one to answer at a time.
type refresher struct {
	session *session
	conn    *wire.Conn
	log     *zap.Logger
	timeout time.Duration // of one request
	wake    chan struct{} // holds one token when there may be something new

	mu      sync.Mutex
	virtual map[string]*madeVirtual // what the client has of virtual documents, by URI
}

// refreshEvery is the least time between two looks: what a client is told to
// ask for again, it may compare line by line.
const refreshEvery = 100 * time.Millisecond

// maxVirtual is how many virtual documents are followed for a client, which
// does not say when it has closed one.
const maxVirtual = 256

func newRefresher(s *session) *refresher {
	return &refresher{
		session: s, conn: s.conn, log: s.log, timeout: s.timeouts.Request,
		wake: make(chan struct{}, 1), virtual: map[string]*madeVirtual{},
	}
}

// look has what the client was given compared with what is so now, soon. It
// never blocks.
func (r *refresher) look() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// gave records what a virtual document was answered with.
func (r *refresher) gave(uri string, made madeVirtual) {
	if !r.session.client.virtual {
		return
	}
	r.mu.Lock()
	if len(r.virtual) >= maxVirtual {
		for old := range r.virtual {
			delete(r.virtual, old)
			break
		}
	}
	r.virtual[uri] = &made
	r.mu.Unlock()
	r.look() // something may have changed while the answer was made
}

// run looks until ctx is done.
func (r *refresher) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		}
		for _, uri := range r.outdated() {
			r.request(ctx, "workspace/textDocumentContent/refresh", &textDocumentContentParams{URI: uri})
		}
		select {
		case <-ctx.Done():
		case <-time.After(refreshEvery):
		}
	}
}

// outdated returns the virtual documents whose text is not what the client has,
// and forgets them: a client that still shows one asks for it again.
func (r *refresher) outdated() (uris []string) {
	r.mu.Lock()
	given := maps.Clone(r.virtual)
	r.mu.Unlock()
	for uri, made := range given {
		if made.current(r.session) {
			continue
		}
		r.mu.Lock()
		if r.virtual[uri] == made { // else it was asked for again
			delete(r.virtual, uri)
		}
		r.mu.Unlock()
		uris = append(uris, uri)
	}
	return uris
}

// request asks the client to ask again. Nothing depends on its answer.
func (r *refresher) request(ctx context.Context, method string, params any) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	if err := r.conn.Call(ctx, method, params, nil); err != nil {
		r.log.Debug("the client did not take a refresh", zap.String("method", method), zap.Error(err))
	}
}
