package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/plan"
	"redline/edits"
	"redline/lsp/wire"
)

// diagnosticSource marks Redline's own diagnostics.
const diagnosticSource = "redline"

// diagnostics publishes one diagnostic on each staged hunk, whether its file is
// open or not: with hover, they are the only view that every client has. They
// carry no version, since some clients drop what is not for the version that
// they are at.
//
// They are computed off the read loop, from the newest snapshot, by one
// goroutine: what is published never goes back in time, and a burst of edits
// costs one publication.
type diagnostics struct {
	conn     *wire.Conn
	log      *zap.Logger
	mapper   mapper
	snapshot func() *agent.Snapshot
	onShown  func(*agent.PlanView)
	wake     chan struct{} // holds one token when there may be something new

	mu    sync.Mutex
	stale map[string]bool // documents whose diagnostics the client has dropped, or was not sent

	published map[string]publication // by URI, what the client has; only run uses it
}

// publication is what a document's diagnostics were made of and came to.
type publication struct {
	files   []*agent.FileView
	encoded []byte
}

// publishEvery is the least time between two publications, and retryAfter the
// time after which what the client did not take is sent again.
const (
	publishEvery = 50 * time.Millisecond
	retryAfter   = 250 * time.Millisecond
)

func newDiagnostics(conn *wire.Conn, m mapper, snapshot func() *agent.Snapshot, onShown func(*agent.PlanView), log *zap.Logger) *diagnostics {
	return &diagnostics{
		conn: conn, log: log, mapper: m, snapshot: snapshot, onShown: onShown,
		wake: make(chan struct{}, 1), stale: map[string]bool{}, published: map[string]publication{},
	}
}

// refresh has the diagnostics brought up to date soon. It never blocks.
func (d *diagnostics) refresh() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// resend has a document's diagnostics sent again with the next refresh even if
// they are the same: a client that sends whole texts (kakoune-lsp) drops them
// on each change.
func (d *diagnostics) resend(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stale[uri] = true
}

// run publishes until ctx is done.
func (d *diagnostics) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
			d.publish(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(publishEvery):
		}
	}
}

// publish sends what is not as the client has it.
func (d *diagnostics) publish(ctx context.Context) {
	d.mu.Lock()
	dropped := d.stale
	d.stale = map[string]bool{}
	d.mu.Unlock()

	snapshot := d.snapshot()
	staged := map[string][]*agent.FileView{}
	plans := map[*agent.FileView]*agent.PlanView{}
	for _, p := range snapshot.Plans {
		d.onShown(p)
		for _, f := range p.Files {
			if f.URI != "" && hasStaged(f) {
				staged[f.URI] = append(staged[f.URI], f)
				plans[f] = p
			}
		}
	}
	for at, files := range staged {
		if !dropped[at] && slices.Equal(d.published[at].files, files) {
			continue
		}
		list := []protocol.Diagnostic{}
		for _, f := range files {
			list = append(list, d.mapper.fileDiagnostics(plans[f], f)...)
		}
		d.send(ctx, at, publication{files, encodeDiagnostics(at, list)}, dropped[at])
	}
	for at := range d.published {
		if staged[at] == nil && d.send(ctx, at, publication{nil, encodeDiagnostics(at, []protocol.Diagnostic{})}, false) {
			delete(d.published, at)
		}
	}
}

// send sends what is not the same as the last time, unless it must be sent
// anyway. It returns false if the client does not have it now (it may have
// stopped reading): then it is sent again later.
func (d *diagnostics) send(ctx context.Context, at string, p publication, anyway bool) bool {
	if anyway || !bytes.Equal(d.published[at].encoded, p.encoded) {
		if err := d.conn.Notify(ctx, "textDocument/publishDiagnostics", json.RawMessage(p.encoded)); err != nil {
			d.log.Debug("diagnostics were not sent", zap.Error(err))
			if anyway {
				d.resend(at)
			}
			time.AfterFunc(retryAfter, d.refresh)
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

// staged tells whether a hunk still waits for the user.
func staged(h agent.HunkView) bool {
	return h.Status == plan.HunkPending || h.Status == plan.HunkStale
}

func hasStaged(f *agent.FileView) bool {
	for i := range f.Len() {
		if staged(f.Hunk(i)) {
			return true
		}
	}
	return false
}

// fileDiagnostics are the diagnostics of one file's staged hunks.
func (m mapper) fileDiagnostics(p *agent.PlanView, f *agent.FileView) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for i := range f.Len() {
		if h := f.Hunk(i); staged(h) {
			out = append(out, m.hunkDiagnostic(p, f, i, h))
		}
	}
	return out
}

// hunkDiagnostic is the diagnostic on one hunk. A hunk that only inserts has
// an empty range at the start of the line that it goes before, which editors
// show at that place.
func (m mapper) hunkDiagnostic(p *agent.PlanView, f *agent.FileView, i int, h agent.HunkView) protocol.Diagnostic {
	severity := protocol.DiagnosticSeverityInformation
	if h.Status == plan.HunkStale {
		severity = protocol.DiagnosticSeverityWarning
	}
	return protocol.Diagnostic{
		Range:    m.rangeOf(f.Live, h.Span),
		Severity: severity,
		Code:     protocol.String(fmt.Sprintf("%d.%s", p.Plan.Number, h.ID)),
		Source:   protocol.NewOptional(diagnosticSource),
		Message:  protocol.String(hunkMessage(p, f, i, h)),
	}
}

// changeName names the hunk i of f by its number among all hunks of the plan:
// "plan 1, change 2 of 3".
func changeName(p *agent.PlanView, f *agent.FileView, i int) string {
	number, all := i+1, 0
	for _, other := range p.Files {
		if other == f {
			number += all
		}
		all += other.Len()
	}
	return fmt.Sprintf("plan %d, change %d of %d", p.Plan.Number, number, all)
}

// maxDiffLines is how many lines of a hunk's diff a diagnostic shows.
const maxDiffLines = 8

// hunkMessage is the text of a hunk's diagnostic: one line that says what would
// happen, and the first lines of the diff.
func hunkMessage(p *agent.PlanView, f *agent.FileView, i int, h agent.HunkView) string {
	var b strings.Builder
	b.WriteString(changeName(p, f, i))
	if h.Status == plan.HunkStale {
		fmt.Fprintf(&b, " (stale: %s)", h.Reason)
	}
	b.WriteString(": " + summary(f, h))
	if step := h.Loosely(); step != "" {
		fmt.Fprintf(&b, " (match: %s)", step)
	}
	shown := writeLines(&b, "-", h.OldText, 0)
	shown = writeLines(&b, "+", h.NewText, shown)
	if more := h.Removed + h.Added - shown; more > 0 {
		fmt.Fprintf(&b, "\n… %s more", count(more, "line"))
	}
	return b.String()
}

// writeLines appends the lines of text, each after a sign, until maxDiffLines
// have been shown, and returns how many that are now.
func writeLines(b *strings.Builder, sign, text string, shown int) int {
	for line := range strings.Lines(text) {
		if shown == maxDiffLines {
			break
		}
		b.WriteString("\n" + sign + clipLine(edits.Visible(strings.TrimRight(line, "\r\n"))))
		shown++
	}
	return shown
}

// clipLine bounds what one line of a file can put into a message.
func clipLine(line string) string {
	if runes := []rune(line); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return line
}

// summary says in a few words what a hunk does.
func summary(f *agent.FileView, h agent.HunkView) string {
	switch f.Change.Action {
	case plan.Create:
		return fmt.Sprintf("create this file with %s", count(h.Added, "line"))
	case plan.Delete:
		return "delete this file"
	}
	switch {
	case h.Removed == 0:
		return "insert " + count(h.Added, "line")
	case h.Added == 0:
		return "remove " + count(h.Removed, "line")
	}
	return fmt.Sprintf("replace %s with %d", count(h.Removed, "line"), h.Added)
}
