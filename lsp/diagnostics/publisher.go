// Package diagnostics turns undecided hunks into diagnostics and publishes them (LSP 3.18,
// "Diagnostics"). It also tells the client to ask again for what it shows when that is out of date
// ([Refresher]).
package diagnostics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/tasks"
	"redline/internal/wire"
	"redline/lsp/position"
	"redline/lsp/window"
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

// OfHunk returns the diagnostic of one hunk. A hunk that only inserts has an empty range at
// the start of the line that it goes before, which editors show there.
func OfHunk(m position.Mapper, p *view.Plan, f *view.File, i int, h view.Hunk) protocol.Diagnostic {
	severity := protocol.DiagnosticSeverityInformation
	if h.Status == plan.HunkStale {
		severity = protocol.DiagnosticSeverityWarning
	}
	return protocol.Diagnostic{
		Range:    m.Range(f.Live, h.Span),
		Severity: severity,
		Code:     protocol.String(fmt.Sprintf("%d.%s", p.Plan.Number, h.ID)),
		Source:   protocol.NewOptional(Source),
		Message:  protocol.String(hunkMessage(p, f, i, h)),
	}
}

// ChangeName names the hunk i of f by its number among all hunks of the plan:
// "plan 1, change 2 of 3".
func ChangeName(p *view.Plan, f *view.File, i int) string {
	return fmt.Sprintf("plan %d, %s", p.Plan.Number, Place(p, f, i))
}

// Place returns the number of the hunk i of f among all hunks of the plan: "change 2 of 3".
func Place(p *view.Plan, f *view.File, i int) string {
	number, all := i+1, 0
	for _, other := range p.Files {
		if other == f {
			number += all
		}
		all += other.Len()
	}
	return fmt.Sprintf("change %d of %d", number, all)
}

// maxDiffLines is how many lines of a hunk's diff a diagnostic shows.
const maxDiffLines = 8

// hunkMessage returns the text of a hunk's diagnostic: one line for what the hunk does, then the
// first lines of the diff. Many editors show the first line alone, after the line of the file,
// and cut it off: so the new text comes first. It contains no tabs, which some editors print as
// they are (Helix).
func hunkMessage(p *view.Plan, f *view.File, i int, h view.Hunk) string {
	var b strings.Builder
	stale := h.Status == plan.HunkStale
	if stale { // it cannot be approved: so that comes before what may be cut off
		b.WriteString("stale: ")
	}
	fmt.Fprintf(&b, "%s · %s, plan %d", headline(f, h), Place(p, f, i), p.Plan.Number)
	if stale {
		fmt.Fprintf(&b, " (%s)", h.Reason)
	}
	if step := h.Loosely(); step != "" {
		fmt.Fprintf(&b, " (match: %s)", step)
	}
	shown := writeLines(&b, "-", h.OldText, 0)
	shown = writeLines(&b, "+", h.NewText, shown)
	if more := h.Removed + h.Added - shown; more > 0 {
		fmt.Fprintf(&b, "\n… %s more", phrase.Count(more, "line"))
	}
	return b.String()
}

// maxFirstNew is how many characters of the new text come first in a diagnostic.
const maxFirstNew = 60

// headline says first of all what a hunk does: its first new line, and how many more there are,
// or what it deletes.
func headline(f *view.File, h view.Hunk) string {
	line := firstNew(h)
	switch {
	case f.Change.Action == plan.Delete, line == "":
		return Summary(f, h)
	case h.Added > 1:
		line += fmt.Sprintf(" … +%s", phrase.Count(h.Added-1, "line"))
	}
	if f.Change.Action == plan.Create {
		line += " · new " + newFile(f)
	}
	return line
}

// firstNew returns the first line, shortened, that a hunk adds and that is not blank, and not
// among those that it replaces if it adds another; "" if there is none.
func firstNew(h view.Hunk) string {
	old := map[string]bool{}
	for line := range strings.Lines(h.OldText) {
		old[strings.TrimSpace(line)] = true
	}
	first := ""
	for line := range strings.Lines(h.NewText) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" || !old[line] {
			first = line
		}
		if !old[line] {
			break
		}
	}
	return phrase.Clip(shownLine(first), maxFirstNew)
}

// shownLine returns a line of a file for display: with invisible characters made
// visible, and without tabs.
func shownLine(line string) string {
	return edits.ExpandTabs(edits.Visible(strings.TrimRight(line, "\r\n")), 0)
}

// writeLines appends the lines of text, each after a sign, until maxDiffLines have been
// shown, and returns how many lines have been shown so far.
func writeLines(b *strings.Builder, sign, text string, shown int) int {
	for line := range strings.Lines(text) {
		if shown == maxDiffLines {
			break
		}
		b.WriteString("\n" + sign + phrase.Clip(shownLine(line), window.MaxMessage))
		shown++
	}
	return shown
}

// Summary describes in a few words what a hunk does.
func Summary(f *view.File, h view.Hunk) string {
	switch f.Change.Action {
	case plan.Create:
		return fmt.Sprintf("create this %s with %s", newFile(f), phrase.Count(h.Added, "line"))
	case plan.Delete:
		return "delete this file"
	}
	switch {
	case h.Removed == 0:
		return "insert " + phrase.Count(h.Added, "line")
	case h.Added == 0:
		return "delete " + phrase.Count(h.Removed, "line")
	}
	return fmt.Sprintf("replace %s with %d", phrase.Count(h.Removed, "line"), h.Added)
}

// newFile names a file that is created.
func newFile(f *view.File) string {
	if f.Change.MakesProgram() {
		return "executable file"
	}
	return "file"
}
