// Package diagnostics turns undecided hunks into diagnostics and publishes them (LSP 3.18,
// "Diagnostics"). It also tells the client to ask again for what it shows when that is out of date
// ([Refresher]).
package diagnostics

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"redline/agent/view"
	"redline/internal/tasks"
	"redline/lsp/position"
	"redline/lsp/wire"
)

// Source marks Redline's own diagnostics.
const Source = "redline"

// Publisher publishes one diagnostic for each undecided hunk, whether its file is open or
// not: with hover, diagnostics are the only view that every client has. They carry no
// version, since some clients drop diagnostics for any version but their current one.
//
// One goroutine computes them off the read loop, from the newest snapshot: what is
// published never goes back in time, and a burst of edits costs one publication.
type Publisher struct {
	conn     *wire.Conn
	log      *zap.Logger
	mapper   position.Mapper
	snapshot func() *view.Snapshot
	onShown  func(*view.Plan)
	wake     tasks.Signal // there may be something new

	mu    sync.Mutex
	stale map[string]bool  // documents whose diagnostics the client dropped or never got
	notes map[string]notes // notes on lines of Redline's own documents, by URI

	published map[string]publication // what the client has, by URI; only run uses it
}

// notes are diagnostics that do not belong to a hunk. Each call of Note makes a new
// pointer, so comparing pointers shows a change.
type notes *[]protocol.Diagnostic

// publication holds a document's diagnostics, and the sources that they were made from.
type publication struct {
	files   []*view.File
	notes   notes
	encoded []byte
}

// publishEvery is the least time between two publications. retryAfter is how long to wait
// before sending again what the client did not take.
const (
	publishEvery = 50 * time.Millisecond
	retryAfter   = 250 * time.Millisecond
)

func New(conn *wire.Conn, m position.Mapper, snapshot func() *view.Snapshot, onShown func(*view.Plan), log *zap.Logger) *Publisher {
	return &Publisher{
		conn: conn, log: log, mapper: m, snapshot: snapshot, onShown: onShown,
		wake: tasks.NewSignal(), stale: map[string]bool{}, notes: map[string]notes{}, published: map[string]publication{},
	}
}

// Refresh schedules an update of the diagnostics. It never blocks.
func (d *Publisher) Refresh() { d.wake.Set() }

// Resend makes the next refresh send a document's diagnostics even if they are the same: a
// client that sends whole texts (kakoune-lsp) drops them on each change.
func (d *Publisher) Resend(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stale[uri] = true
}

// Note replaces a document's notes: diagnostics besides those of hunks. It does nothing if
// counts returns false. counts runs under d.mu, so that whoever closes the document and
// then calls Unnote has the last word.
func (d *Publisher) Note(uri string, list []protocol.Diagnostic, counts func() bool) {
	d.mu.Lock()
	switch {
	case !counts():
	case len(list) > 0:
		d.notes[uri] = &list
	default:
		delete(d.notes, uri)
	}
	d.mu.Unlock()
	d.Refresh()
}

// Unnote removes a document's notes.
func (d *Publisher) Unnote(uri string) {
	d.mu.Lock()
	delete(d.notes, uri)
	d.mu.Unlock()
	d.Refresh()
}

// Run publishes until ctx is done.
func (d *Publisher) Run(ctx context.Context) {
	for d.wake.Wait(ctx) {
		d.publish(ctx)
		tasks.Pause(ctx, publishEvery)
	}
}

// Forward serves a client that pulls its diagnostics: after each change it calls look, which
// tells the client to ask again if its diagnostics differ.
func (d *Publisher) Forward(ctx context.Context, look func()) {
	for d.wake.Wait(ctx) {
		look()
	}
}

// publish sends the diagnostics that differ from those the client has.
func (d *Publisher) publish(ctx context.Context) {
	d.mu.Lock()
	dropped := d.stale
	d.stale = map[string]bool{}
	d.mu.Unlock()

	now := d.Now()
	for _, p := range now.Snapshot.Plans {
		d.onShown(p)
	}
	staged := now.Documents()
	for at, m := range staged {
		if was := d.published[at]; !dropped[at] && was.notes == m.Notes && slices.Equal(was.files, m.Files) {
			continue
		}
		d.send(ctx, at, publication{m.Files, m.Notes, encodeDiagnostics(at, now.List(m))}, dropped[at])
	}
	for at := range d.published {
		if _, ok := staged[at]; !ok && d.send(ctx, at, publication{encoded: encodeDiagnostics(at, []protocol.Diagnostic{})}, false) {
			delete(d.published, at)
		}
	}
}

// send sends a publication if it differs from the last one or anyway is true. It returns
// false if the client did not take it (it may have stopped reading), and then arranges for
// another attempt.
func (d *Publisher) send(ctx context.Context, at string, p publication, anyway bool) bool {
	if anyway || !bytes.Equal(d.published[at].encoded, p.encoded) {
		if err := d.conn.Notify(ctx, "textDocument/publishDiagnostics", json.RawMessage(p.encoded)); err != nil {
			d.log.Debug("diagnostics were not sent", zap.Error(err))
			if anyway {
				d.Resend(at)
			}
			time.AfterFunc(retryAfter, d.Refresh)
			return false
		}
	}
	d.published[at] = p
	return true
}

func encodeDiagnostics(at string, list []protocol.Diagnostic) []byte {
	raw, err := protocol.Marshal(&protocol.PublishDiagnosticsParams{URI: uri.URI(at), Diagnostics: list})
	if err != nil {
		return nil
	}
	return raw
}

// Sources holds the data that all diagnostics are made from, at one moment.
type Sources struct {
	position.Mapper
	Snapshot *view.Snapshot
	notes    map[string]notes
}

// Document holds the data for the diagnostics of one document: its files with undecided
// hunks, each with its plan, and its notes.
type Document struct {
	Plans []*view.Plan
	Files []*view.File
	Notes notes
}

// Now returns the current sources of all diagnostics.
func (d *Publisher) Now() Sources {
	d.mu.Lock()
	noted := maps.Clone(d.notes)
	d.mu.Unlock()
	return Sources{d.mapper, d.snapshot(), noted}
}

// Documents returns the documents that have diagnostics, by URI.
func (s Sources) Documents() map[string]Document {
	all := map[string]Document{}
	for _, p := range s.Snapshot.Plans {
		for _, f := range p.Files {
			if f.URI != "" && hasUndecided(f) {
				m := all[f.URI]
				m.Plans, m.Files = append(m.Plans, p), append(m.Files, f)
				all[f.URI] = m
			}
		}
	}
	for at, noted := range s.notes {
		m := all[at]
		m.Notes = noted
		all[at] = m
	}
	return all
}

// List returns the diagnostics of one document, never nil, so that JSON gets a list.
func (s Sources) List(m Document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for i, f := range m.Files {
		for k, h := range f.Undecided {
			list = append(list, OfHunk(s.Mapper, m.Plans[i], f, k, h))
		}
	}
	if m.Notes != nil {
		list = append(list, *m.Notes...)
	}
	return list
}

func hasUndecided(f *view.File) bool {
	for range f.Undecided {
		return true
	}
	return false
}
