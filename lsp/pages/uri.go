package pages

import (
	"net/url"
	"strconv"
	"strings"

	"redline/agent/view"
)

// Scheme is the URI scheme of Redline's virtual documents.
const Scheme = "redline"

// The texts of a file of a plan.
const (
	viewProposed = "proposed" // the current text with what is undecided in it
	viewBase     = "base"     // the text that the model saw
)

// Name names a virtual document, as its URI does: redline:/plan/7/proposed/a/b.go, or
// redline:/plan/7/r2/a/b.go for the text of a revision.
type VirtualName struct {
	plan     int
	view     string // "" for that of a revision
	path     string // workspace path
	revision int
	from, to int // the revision that it is compared with, before or after it; 0 for none
}

// Proposed returns the name of the proposed text of a file.
func ProposedName(plan int, path string) VirtualName {
	return VirtualName{plan: plan, view: viewProposed, path: path}
}

// Compared returns the names of the two texts of a file that are compared: as revision from of a
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

// Parse reads the URI of a virtual document; ok is false if it is not one. Clients escape more of
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
