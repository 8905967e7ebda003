// Package pages has the documents that Redline itself makes: it names previews, traces and the
// chat file ([Pages]), makes those of the scheme redline ([Virtual]), and remembers which revision
// of each plan the client has seen ([Shown]).
package pages

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/backend"
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

// VirtualText is TextDocumentContentResult, with the stale hunks that the text leaves out. They are not
// in the text itself, since the user compares every line of it.
type VirtualText struct {
	Text  string   `json:"text"`
	Stale []string `json:"stale,omitempty"`
}

// Made records what the text of a virtual document was made from, and its checksum. The same
// parts make the same text.
type Made struct {
	name VirtualName
	sum  [sha256.Size]byte

	file  *view.File   // nil if the plan does not touch it now
	lines *edits.Lines // then the buffer's text, nil if it is not open
}

// Virtual makes the texts of virtual documents: the base and the proposed text of a file of a
// plan, and its text in each revision, for a client that compares them.
type Virtual struct {
	backend   *backend.Backend
	shown     *Shown
	workspace *workspace.Workspace
}

// NewVirtual returns the virtual documents of a connection.
func NewVirtual(b *backend.Backend, s *Shown, w *workspace.Workspace) *Virtual {
	return &Virtual{b, s, w}
}

// Text makes the current text of a virtual document. For a file that the plan no longer touches
// it returns the file's text, so that an open comparison shows no difference.
func (v *Virtual) Text(ctx context.Context, name VirtualName) (made Made, text VirtualText, err error) {
	made.name = name
	if name.revision != 0 {
		text, err = v.ofRevision(ctx, name)
		return made, text, err
	}
	p, f := name.in(v.backend.Snapshot())
	if p == nil {
		return made, text, &plan.Refusal{Kind: plan.NoSuchPlan, Reason: fmt.Sprintf("There is no plan %d at hand.", name.plan)}
	}
	v.shown.NoteView(p)
	switch made.file = f; {
	case f == nil:
		file, err := v.workspace.Read(name.path)
		if err != nil {
			return made, text, &plan.Refusal{Kind: plan.NotAllowed, Reason: phrase.OneSentence(err.Error())}
		}
		if text.Text = file.Text; file.Buffer != nil {
			made.lines = file.Buffer.Lines
		}
	case name.view == viewBase:
		text.Text = f.Base
	default:
		text.Text, text.Stale = f.ProposedNow()
	}
	made.sum = sha256.Sum256([]byte(strings.Join(append(text.Stale, text.Text), "\x00")))
	return made, text, nil
}

// ofRevision returns the text of a file in a revision. Showing it does not count as showing the
// plan: it may be an earlier revision, and one file of it.
func (v *Virtual) ofRevision(ctx context.Context, name VirtualName) (VirtualText, error) {
	a, err := v.backend.Ready(ctx)
	if err != nil {
		return VirtualText{}, err
	}
	var side plan.Side
	switch {
	case name.to != 0:
		side, _, err = a.Sides(ctx, name.plan, name.revision, name.to, name.path)
	case name.from != 0:
		_, side, err = a.Sides(ctx, name.plan, name.from, name.revision, name.path)
	default:
		side, err = a.InRevision(ctx, name.plan, name.revision, name.path)
	}
	if err == nil && !side.Exists {
		side.Text = ""
	}
	return VirtualText{Text: side.Text}, err
}

// Current reports whether a document would have the same text now. A revision does not change.
func (v *Virtual) Current(m Made) bool {
	if m.name.revision != 0 {
		return true
	}
	_, f := m.name.in(v.backend.Snapshot())
	switch {
	case f == m.file && f != nil:
		return true
	case f == nil && m.file == nil:
		var lines *edits.Lines
		if b, ok := v.workspace.Buffer(m.name.path); ok {
			lines = b.Lines
		}
		return lines == m.lines
	}
	again, _, err := v.Text(context.Background(), m.name)
	return err == nil && again.sum == m.sum
}

// Scheme is the URI scheme of Redline's virtual documents.
const Scheme = "redline"

// The texts of a file of a plan.
const (
	viewProposed = "proposed" // the current text with what is undecided in it
	viewBase     = "base"     // the text that the model saw
)

// VirtualName names a virtual document, as its URI does: redline:/plan/7/proposed/a/b.go, or
// redline:/plan/7/r2/a/b.go for the text of a revision.
type VirtualName struct {
	plan     int
	view     string // "" for that of a revision
	path     string // workspace path
	revision int
	from, to int // the revision that it is compared with, before or after it; 0 for none
}

// ProposedName returns the name of the proposed text of a file.
func ProposedName(plan int, path string) VirtualName {
	return VirtualName{plan: plan, view: viewProposed, path: path}
}

// ComparedNames returns the names of the two texts of a file that are compared: as revision from of a
// plan leaves it, and as revision to does.
func ComparedNames(plan, from, to int, path string) (was, is VirtualName) {
	return VirtualName{plan: plan, revision: from, path: path, to: to}, VirtualName{plan: plan, revision: to, path: path, from: from}
}

// String returns the URI.
func (n VirtualName) String() string {
	view := n.view
	if n.revision != 0 {
		view = "r" + strconv.Itoa(n.revision)
	}
	u := url.URL{Scheme: Scheme, OmitHost: true, Path: "/plan/" + strconv.Itoa(n.plan) + "/" + view + "/" + n.path}
	switch {
	case n.from != 0:
		u.RawQuery = "from=" + strconv.Itoa(n.from)
	case n.to != 0:
		u.RawQuery = "to=" + strconv.Itoa(n.to)
	}
	return u.String()
}

// ParseVirtual reads the URI of a virtual document; ok is false if it is not one. Clients escape more of
// a path than they need to, and some write an empty host.
func ParseVirtual(uri string) (n VirtualName, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != Scheme || u.Host != "" {
		return n, false
	}
	rest, ok := strings.CutPrefix(u.Path, "/plan/")
	if !ok {
		return n, false
	}
	number, rest, _ := strings.Cut(rest, "/")
	n.view, n.path, _ = strings.Cut(rest, "/")
	n.plan, err = strconv.Atoi(number)
	if err != nil || n.plan <= 0 || n.path == "" {
		return n, false
	}
	if n.view == viewProposed || n.view == viewBase {
		return n, true
	}
	query, err := url.QueryUnescape(u.RawQuery) // some clients escape its = too
	if err != nil {
		return n, false
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return n, false
	}
	return n.ofRevision(values)
}

// ofRevision reads the rest of the name of a text of a revision.
func (n VirtualName) ofRevision(query url.Values) (VirtualName, bool) {
	digits, ok := strings.CutPrefix(n.view, "r")
	if !ok {
		return n, false
	}
	n.view = ""
	for _, part := range []struct {
		text string
		into *int
	}{{digits, &n.revision}, {query.Get("from"), &n.from}, {query.Get("to"), &n.to}} {
		if part.text == "" && part.into != &n.revision {
			continue
		}
		number, err := strconv.Atoi(part.text)
		if err != nil || number <= 0 {
			return n, false
		}
		*part.into = number
	}
	return n, n.from == 0 || n.to == 0
}

// in returns the plan and the file of the document. The file is nil if the plan's
// revision does not touch it; both are nil if there is no such plan.
func (n VirtualName) in(s *view.Snapshot) (*view.Plan, *view.File) {
	p := s.Plan(n.plan)
	if p == nil {
		return nil, nil
	}
	return p, p.File(n.path)
}
