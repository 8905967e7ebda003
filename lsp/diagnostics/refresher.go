package diagnostics

import (
	"context"
	"hash/maphash"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/config"
	"redline/agent/view"
	"redline/internal/tasks"
	"redline/internal/wire"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/workspace"
)

// Refresher sends refresh requests for what is out of date: code lenses, inlay hints, virtual
// documents, and diagnostics if the client pulls them. It sends only those that the client
// supports. One goroutine compares what the client has with the newest snapshot. It waits for
// the answer to each request, so that a client that does not answer gets one at a time.
type Refresher struct {
	RefreshOptions
	wake tasks.Signal // something may have changed

	mu      sync.Mutex
	wanted  map[string]bool        // refresh methods of the requests that the client has sent
	virtual map[string]*pages.Made // the virtual documents that the client has, by URI

	// Only Run uses these.
	told  map[string]uint64     // checksum of the content at the last refresh, by method
	files map[*view.File]uint64 // the checksums of files
	seed  maphash.Seed
}

// The refresh requests other than the one for virtual documents. They name no document: the
// client asks again for everything that it shows.
const (
	RefreshCodeLens   = "workspace/codeLens/refresh"
	RefreshInlayHint  = "workspace/inlayHint/refresh"
	RefreshDiagnostic = "workspace/diagnostic/refresh"
)

// Asked records that the client has asked for what a method refreshes. Before that there is
// nothing to refresh.
func (r *Refresher) Asked(method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted[method] = true
}

// refreshEvery is the least time between two refreshes, since a client may compare the new
// answer with the old one line by line.
const refreshEvery = 100 * time.Millisecond

// maxVirtual is how many virtual documents are followed. It is bounded because a client does
// not say when it closes one.
const maxVirtual = 256

// RefreshClient describes which refreshes a client takes.
type RefreshClient struct {
	CodeLens   bool
	InlayHint  bool
	Diagnostic bool
}

// RefreshOptions configure a Refresher.
type RefreshOptions struct {
	Client  RefreshClient
	Pull    bool           // the client asks for diagnostics instead of being sent them
	Virtual *pages.Virtual // makes the virtual documents; nil if the client takes none

	Conn      *wire.Conn
	Workspace *workspace.Workspace
	Publisher *Publisher
	UI        func() config.UISettings // as they are now
	Timeout   time.Duration            // of one request
	Log       *zap.Logger
}

// NewRefresher returns a refresher; [Refresher.Run] sends the refreshes.
func NewRefresher(o RefreshOptions) *Refresher {
	return &Refresher{
		RefreshOptions: o, wake: tasks.NewSignal(), wanted: map[string]bool{}, told: map[string]uint64{},
		seed: maphash.MakeSeed(), virtual: map[string]*pages.Made{},
	}
}

// Look makes Run compare what the client has with the newest snapshot soon. It never
// blocks.
func (r *Refresher) Look() { r.wake.Set() }

// Gave records the text of a virtual document that was sent to the client.
func (r *Refresher) Gave(uri string, made pages.Made) {
	if r.Virtual == nil {
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
	r.Look() // something may have changed while the answer was made
}

// Run sends refreshes until ctx is done.
func (r *Refresher) Run(ctx context.Context) {
	for r.wake.Wait(ctx) {
		for _, method := range r.Due() {
			r.request(ctx, method, nil)
		}
		for _, uri := range r.outdated() {
			r.request(ctx, "workspace/textDocumentContent/refresh", &position.TextDocument{URI: uri})
		}
		tasks.Pause(ctx, refreshEvery)
	}
}

// outdated returns the virtual documents whose text on the client is out of date, and forgets
// them: a client that still shows one asks for it again.
func (r *Refresher) outdated() (uris []string) {
	r.mu.Lock()
	given := maps.Clone(r.virtual)
	r.mu.Unlock()
	for uri, made := range given {
		if r.Virtual.Current(*made) {
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

// Due returns the refresh methods whose results have changed since their last refresh. Moved
// hunks do not count, since a client asks again by itself for a text that the user types in.
func (r *Refresher) Due() (methods []string) {
	c, ui := r.Client, r.UI()
	r.mu.Lock()
	wanted := maps.Clone(r.wanted)
	r.mu.Unlock()
	sum, said := r.sum(), r.sumOfDiagnostics()
	for _, kind := range []struct {
		method    string
		takes, on bool
		sum       uint64
	}{
		{RefreshCodeLens, c.CodeLens, ui.CodeLens, sum},
		{RefreshInlayHint, c.InlayHint, ui.InlayHints, sum},
		{RefreshDiagnostic, c.Diagnostic, r.Pull, said},
	} {
		now := kind.sum
		if !kind.on {
			now = 0
		}
		if kind.takes && wanted[kind.method] && r.told[kind.method] != now {
			methods = append(methods, kind.method)
		}
		r.told[kind.method] = now
	}
	return methods
}

// sum returns a checksum of the undecided hunks and of the decisions on offer; 0 if there
// are none.
func (r *Refresher) sum() uint64 {
	var all uint64
	files := map[*view.File]uint64{}
	for _, p := range r.Publisher.snapshot().Plans {
		if !p.Plan.State.Decidable() {
			continue
		}
		all += maphash.String(r.seed, p.Revision.Hash+string(p.Plan.State))
		for _, f := range p.Files {
			sum, known := r.files[f]
			if !known {
				sum = r.sumOf(f)
			}
			files[f] = sum
			all += sum
		}
	}
	r.files = files
	return all
}

// sumOfDiagnostics returns a checksum of the diagnostics; 0 for none. Moved hunks count only in
// documents that are not open: for open ones the client asks again by itself.
func (r *Refresher) sumOfDiagnostics() uint64 {
	if !r.Pull {
		return 0
	}
	var all uint64
	now := r.Publisher.Now()
	for uri, m := range now.Documents() {
		_, open := r.Workspace.BufferURI(uri)
		for i, f := range m.Files {
			all += maphash.String(r.seed, m.Plans[i].Revision.Hash) + r.sumOf(f)
			if open {
				continue
			}
			for _, h := range f.Undecided {
				all += maphash.Comparable(r.seed, h.Span)
			}
		}
		if m.Notes != nil {
			all += maphash.Comparable(r.seed, m.Notes)
		}
	}
	return all
}

// sumOf returns a checksum of the undecided hunks of a file; 0 for none.
func (r *Refresher) sumOf(f *view.File) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	none := true
	for _, hunk := range f.Undecided {
		none = false
		h.WriteString(hunk.ID)
		h.WriteString(string(hunk.Status))
	}
	if none {
		return 0
	}
	h.WriteString(f.Change.Path)
	return h.Sum64()
}

// request sends a refresh request. Nothing depends on the answer.
func (r *Refresher) request(ctx context.Context, method string, params any) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	if err := r.Conn.Call(ctx, method, params, nil); err != nil {
		r.Log.Debug("the client did not take a refresh", zap.String("method", method), zap.Error(err))
	}
}
