package agent

import (
	"slices"
	"sync"
	"time"

	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// presence tells the other Redlines of the user which files are unsaved in this
// one's editor, and knows of theirs. What is told is worked out off the read
// loop, and only when a file became dirty or clean.
type presence struct {
	ws      *workspace.Workspace
	session *store.Session

	mu      sync.Mutex // typing waits for it: it is held for a moment only
	client  string     // what the editor calls itself
	dirty   map[string]bool
	running bool // somebody tells
	again   bool // there is something new since they began

	telling sync.Mutex // held while it is worked out and told; guards what follows
	told    []string
	known   map[string]knownBuffer // by URI, of the buffers that are not saved
}

// knownBuffer is a buffer that was compared with the disk.
type knownBuffer struct {
	lines *edits.Lines
	file  workspace.Stamp
}

// tellEvery is the least time between two times that others are told, while
// many files become dirty.
const tellEvery = 50 * time.Millisecond

func newPresence(ws *workspace.Workspace, s *store.Store) *presence {
	return &presence{ws: ws, session: s.NewSession(), dirty: map[string]bool{}, known: map[string]knownBuffer{}}
}

// Name says what the editor calls itself, for other Redlines that find its
// files unsaved.
func (a *Agent) Name(client string) {
	a.presence.mu.Lock()
	a.presence.client = client
	a.presence.mu.Unlock()
}

// onDirty has the others told when a buffer has become dirty or clean.
func (a *Agent) onDirty(e workspace.BufferEvent) {
	b, open := a.ws.BufferURI(e.URI)
	dirty := open && b.URI == e.URI && b.Dirty
	p := a.presence
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
	if p.running || a.root.Err() != nil {
		p.again = true
		return
	}
	p.running = true
	a.spawn(a.tellUntilQuiet)
}

// tellUntilQuiet tells the others until there is nothing new.
func (a *Agent) tellUntilQuiet() {
	p := a.presence
	for {
		p.mu.Lock()
		p.again = false
		p.mu.Unlock()
		a.tellUnsaved(false)
		p.mu.Lock()
		if p.running = p.again && a.root.Err() == nil; !p.running {
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		select {
		case <-time.After(tellEvery):
		case <-a.root.Done():
		}
	}
}

// tellUnsaved brings what the others are told up to date; when it returns they
// know. With look, buffers that were compared with the disk before are compared
// again if their file has changed: some editors read a file again, or save it,
// without saying so.
func (a *Agent) tellUnsaved(look bool) {
	p := a.presence
	p.telling.Lock()
	defer p.telling.Unlock()
	p.findSaved(look)
	files := p.ws.Unsaved()
	if slices.Equal(files, p.told) {
		return
	}
	p.mu.Lock()
	client := p.client
	p.mu.Unlock()
	if err := p.session.Publish(client, files); err != nil {
		a.log.Debug("other Redlines could not be told what is unsaved", errorField(err))
		return
	}
	p.told = files
}

// findSaved notes of dirty buffers with the text that is on disk that they are
// saved. The caller holds p.telling.
func (p *presence) findSaved(look bool) {
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
