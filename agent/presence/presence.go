// Package presence keeps several editors of one user out of each other's way: each
// session publishes which files are unsaved in its editor, and sees those of the others.
// What it publishes ends with its process (store.Session).
//
// A decision that would change a file which is unsaved elsewhere is refused, and
// [Presence.Guard] stops one in which somebody has begun to type since. What is applied
// and unsaved does not count as gone while its editor lives ([Presence.Elsewhere]).
package presence

import (
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/session"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// Presence publishes which files are unsaved in this session's editor, and knows the
// same of the user's other editors. It does so on a goroutine of its own, and only when a
// buffer has become dirty or clean. Its methods may be called from any goroutine.
type Presence struct {
	session *session.Session
	ws      *workspace.Workspace
	record  *store.Session

	mu         sync.Mutex // typing waits for it: it is held for a moment only
	client     string     // what the editor calls itself
	dirty      map[string]bool
	running    bool           // a goroutine publishes
	again      bool           // something has changed since it began
	takingBack map[string]int // paths of files that are being taken back, and how often at once; see Guard

	publishing sync.Mutex // held while unsaved files are found and published; guards what follows
	published  []string
	known      map[string]knownBuffer // by URI, of the buffers that are not saved
}

// knownBuffer is a buffer that was compared with the disk.
type knownBuffer struct {
	lines *edits.Lines
	file  workspace.Stamp
}

// publishEvery is the least time between two publications, while many files become
// dirty.
const publishEvery = 50 * time.Millisecond

// New returns the presence of a session, which follows the workspace's buffers from now
// on.
func New(s *session.Session) *Presence {
	p := &Presence{
		session: s, ws: s.Workspace, record: s.Store.NewSession(),
		dirty: map[string]bool{}, known: map[string]knownBuffer{}, takingBack: map[string]int{},
	}
	s.Workspace.Guard(p.Guard)
	s.Workspace.Observe(p.onBuffer)
	return p
}

// Name sets what the editor calls itself, which other sessions show with its unsaved
// files.
func (p *Presence) Name(client string) {
	p.mu.Lock()
	p.client = client
	p.mu.Unlock()
}

// Close ends the record of this session: nothing is unsaved in its editor any more.
func (p *Presence) Close() { p.record.Close() }

// onBuffer publishes when a buffer has become dirty or clean.
func (p *Presence) onBuffer(e workspace.BufferEvent) {
	b, open := p.ws.BufferURI(e.URI)
	dirty := open && b.URI == e.URI && b.Dirty
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dirty[e.URI] == dirty {
		return
	}
	if dirty {
		p.dirty[e.URI] = true
	} else {
		delete(p.dirty, e.URI)
	}
	if p.running || p.session.Over() {
		p.again = true
		return
	}
	p.running = true
	p.session.Spawn(p.publishUntilQuiet)
}

// publishUntilQuiet publishes until nothing has changed meanwhile.
func (p *Presence) publishUntilQuiet() {
	for {
		p.mu.Lock()
		p.again = false
		p.mu.Unlock()
		p.Publish(false)
		p.mu.Lock()
		if p.running = p.again && !p.session.Over(); !p.running {
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		select {
		case <-time.After(publishEvery):
		case <-p.session.Context().Done():
		}
	}
}

// Publish brings what the other sessions see up to date before it returns. With look,
// it compares dirty buffers with the disk again if their file has changed: some editors
// read a file again, or save it, without saying so.
func (p *Presence) Publish(look bool) {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	p.findSaved(look)
	files := p.ws.Unsaved()
	if slices.Equal(files, p.published) {
		return
	}
	p.mu.Lock()
	client := p.client
	p.mu.Unlock()
	if err := p.record.Publish(client, files); err != nil {
		p.session.Log.Debug("other Redlines could not be told what is unsaved", zap.Error(err))
		return
	}
	p.published = files
}

// findSaved marks dirty buffers as saved whose text is the one on disk. The caller holds
// p.publishing.
func (p *Presence) findSaved(look bool) {
	was := p.known
	p.known = make(map[string]knownBuffer, len(was))
	for _, b := range p.ws.Buffers() {
		if !b.Dirty {
			continue
		}
		last, known := was[b.URI]
		if known && !look || b.Path == "" {
			p.known[b.URI] = last
			continue
		}
		now := knownBuffer{b.Lines, p.ws.Stamp(b.Path)}
		if (last.lines != now.lines || now.file.Differs(last.file)) && p.ws.AsOnDisk(b) {
			p.ws.FoundSaved(b.URI, b.Lines.Whole().Text())
			continue
		}
		p.known[b.URI] = now
	}
}
