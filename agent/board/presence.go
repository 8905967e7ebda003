package board

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/session"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// Presence keeps several editors of one user from changing the same file: it publishes which files
// are unsaved in this session's editor, and knows which are unsaved in the others. What a session
// publishes ends with its process (store.Session). It publishes on a goroutine of its own, and
// only after a buffer has become dirty or clean. Its methods may be called from any goroutine.
//
// A decision that would change a file which is unsaved elsewhere is refused, and
// [Presence.Guard] stops one if the user has begun to type in the file since. A hunk that is
// applied but not saved does not count as lost while its editor runs ([Presence.Elsewhere]).
type Presence struct {
	session *session.Session
	ws      *workspace.Workspace
	record  *store.Session

	mu         sync.Mutex // locked only briefly, since typing waits for it
	client     string     // the editor's name for itself
	dirty      map[string]bool
	running    bool           // a goroutine is publishing
	again      bool           // something has changed since it began
	takingBack map[string]int // path to how many callers are reverting edits of the file; see Guard

	publishing sync.Mutex // locked while unsaved files are found and published; guards the fields below
	published  []string
	compared   compared
}

// compared has the dirty buffers as they were when they were compared last, by URI.
type compared map[string]knownBuffer

// knownBuffer is a buffer and its file as they were when they were compared last.
type knownBuffer struct {
	lines *edits.Lines
	file  workspace.Stamp
}

// publishEvery is the shortest time between two publications.
const publishEvery = 50 * time.Millisecond

// NewPresence returns the presence of a session. It follows the workspace's buffers from then on.
func NewPresence(s *session.Session) *Presence {
	p := &Presence{
		session: s, ws: s.Workspace, record: s.Store.NewSession(),
		dirty: map[string]bool{}, takingBack: map[string]int{},
	}
	s.Workspace.Guard(p.Guard)
	s.Workspace.Observe(p.onBuffer)
	return p
}

// Name sets the name of this session's editor, which other sessions show with its unsaved
// files.
func (p *Presence) Name(client string) {
	p.mu.Lock()
	p.client = client
	p.mu.Unlock()
}

// Close removes the record of this session, so nothing is unsaved in its editor any more.
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

// publishUntilQuiet publishes again until nothing has changed since it began.
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

// Publish updates what the other sessions see before it returns. If look is true, it compares
// dirty buffers with the disk again if their file has changed: some editors read a file again,
// or save it, without reporting it.
func (p *Presence) Publish(look bool) {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	p.compared = p.compared.findSaved(p.ws, look)
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

// findSaved marks each dirty buffer as saved whose text equals its file, and returns what it has
// compared. If look is false, it skips the buffers that were compared before.
func (was compared) findSaved(ws *workspace.Workspace, look bool) compared {
	found := make(compared, len(was))
	for _, b := range ws.Buffers() {
		if !b.Dirty {
			continue
		}
		last, known := was[b.URI]
		if known && !look || b.Path == "" {
			found[b.URI] = last
			continue
		}
		now := knownBuffer{b.Lines, ws.Stamp(b.Path)}
		if (last.lines != now.lines || now.file.Differs(last.file)) && ws.AsOnDisk(b) {
			ws.FoundSaved(b.URI, b.Lines.Whole().Text())
			continue
		}
		found[b.URI] = now
	}
	return found
}

// Guard returns why a file may not be changed now, "" if it may: the user has begun to type in
// it in another editor since the decision was checked. It never stops an edit that reverts an
// earlier one, since half of an approval would be worse for both editors.
func (p *Presence) Guard(path string) (why string) {
	p.mu.Lock()
	free := p.takingBack[path] > 0
	p.mu.Unlock()
	if free {
		return ""
	}
	if by := p.Elsewhere()(path); by != "" {
		return fmt.Sprintf("it has unsaved changes in another editor by now (%s)", by)
	}
	return ""
}

// WhileTakingBack lets changes to a file through [Presence.Guard], even if another editor has it
// unsaved, until done is called. Call done once.
func (p *Presence) WhileTakingBack(path string) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takingBack[path]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.takingBack[path]--; p.takingBack[path] == 0 {
			delete(p.takingBack, path)
		}
	}
}

// Elsewhere returns a function that names the other editor in which the file at a path is
// unsaved now, "" for none.
func (p *Presence) Elsewhere() func(path string) (editor string) {
	others := p.record.Others()
	return func(path string) string {
		if path == "" || len(others) == 0 {
			return ""
		}
		name, err := p.ws.RealName(path)
		if err != nil {
			return "" // the code that wants to change it fails, and says why
		}
		for _, u := range others {
			switch {
			case !u.Has(name):
			case u.Client == "":
				return fmt.Sprintf("process %d", u.Process)
			default:
				return fmt.Sprintf("%s, process %d", u.Client, u.Process)
			}
		}
		return ""
	}
}
