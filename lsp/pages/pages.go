// Package pages has the documents that Redline itself makes: it names previews, traces and the
// chat file ([Pages]), makes those of the scheme redline ([Virtual]), and remembers which revision
// of each plan the client has seen ([Shown]).
package pages

import (
	"maps"
	"net/url"
	"strings"
	"sync"

	"redline/agent/conversation"
	"redline/agent/view"
	"redline/workspace"
)

// ChatFile is the name of the chat file among Redline's own files.
const ChatFile = conversation.ChatFileName

// Pages are Redline's own documents: previews, traces and the chat file.
type Pages struct{ workspace *workspace.Workspace }

// New returns the pages of a workspace.
func New(w *workspace.Workspace) Pages { return Pages{w} }

// URI returns the URI of one of Redline's own files, given its workspace path. The file is
// outside the workspace if Redline cannot write there.
func (p Pages) URI(path string) string {
	own := p.workspace.Own()
	if name, ok := own.Is(path); ok {
		return own.URI(name)
	}
	return p.workspace.URI(path)
}

// Name returns the name of one of Redline's own files for a message: its workspace path, or its
// path on disk if it is outside the workspace.
func (p Pages) Name(path string) string {
	uri := p.URI(path)
	if in, ok := p.workspace.PathOf(uri); ok {
		return in
	}
	if name, err := url.PathUnescape(strings.TrimPrefix(uri, "file://")); err == nil {
		return name
	}
	return uri
}

// ChatName returns the [Pages.Name] of the chat file.
func (p Pages) ChatName() string { return p.Name(p.workspace.Own().Path(ChatFile)) }

// IsChat reports whether a URI names the chat file.
func (p Pages) IsChat(uri string) bool {
	name, ok := p.workspace.Own().IsDocument(uri)
	return ok && name == ChatFile
}

// Preview returns the open preview that a URI names, and its name among Redline's own files.
func (p Pages) Preview(uri string) (name string, b *workspace.Buffer, ok bool) {
	if name, ok = p.workspace.Own().IsDocument(uri); !ok {
		return "", nil, false
	}
	if _, _, ok = view.PreviewOf(name); !ok {
		return "", nil, false
	}
	b, ok = p.workspace.BufferURI(uri)
	return name, b, ok
}

// Shown holds, for each plan, the revision that the client was shown last. An approval that
// names no revision is bound to that one.
type Shown struct {
	// record writes to the audit log that a revision was shown. It never waits.
	record func(plan, revision int, hash string)

	mu    sync.Mutex
	plans map[int]revision
}

type revision struct {
	number int
	hash   string
}

// NewShown returns an empty record. It calls record to write a revision to the audit log; record must
// not wait.
func NewShown(record func(plan, revision int, hash string)) *Shown {
	return &Shown{record: record, plans: map[int]revision{}}
}

// NoteView calls [Shown.Note] for the current revision of a plan.
func (s *Shown) NoteView(p *view.Plan) {
	s.Note(p.Plan.Number, p.Revision.Number, p.Revision.Hash)
}

// Note records that the client shows a revision. It writes to the audit log first, so that each
// decision in the log follows what was shown. It never waits.
func (s *Shown) Note(plan, revision int, hash string) {
	s.record(plan, revision, hash)
	s.Remember(plan, revision, hash)
}

// Remember does what [Shown.Note] does, without writing to the audit log.
func (s *Shown) Remember(plan, number int, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[plan] = revision{number, hash}
}

// Now returns a function that returns the revision of a plan that was shown last before the call
// of Now; ok is false if none was. A message is bound to what was shown when it was sent, not to
// what is shown later.
func (s *Shown) Now() func(plan int) (revision int, hash string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plans := maps.Clone(s.plans)
	return func(plan int) (int, string, bool) {
		r, ok := plans[plan]
		return r.number, r.hash, ok
	}
}

// Bind sets the revision of a decision that names none. It returns false if no revision of the
// plan was shown.
func (s *Shown) Bind(d *view.Request) bool {
	if d.Hash != "" || d.Revision != 0 {
		return true
	}
	revision, hash, ok := s.Now()(d.Plan)
	d.Revision, d.Hash = revision, hash
	return ok
}
