package virtual

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

// Name names a virtual document, as its URI does: redline:/plan/7/proposed/a/b.go.
type Name struct {
	plan int
	view string
	path string // workspace path
}

// Proposed returns the name of the proposed text of a file.
func Proposed(plan int, path string) Name { return Name{plan, viewProposed, path} }

// String returns the URI.
func (n Name) String() string {
	u := url.URL{Scheme: Scheme, OmitHost: true, Path: "/plan/" + strconv.Itoa(n.plan) + "/" + n.view + "/" + n.path}
	return u.String()
}

// Parse reads the URI of a virtual document; ok is false if it is not one. Clients escape more of
// a path than they need to, and some write an empty host.
func Parse(uri string) (n Name, ok bool) {
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
	known := n.view == viewProposed || n.view == viewBase
	return n, err == nil && n.plan > 0 && known && n.path != ""
}

// in returns the plan and the file of the document. The file is nil if the plan's
// revision does not touch it; both are nil if there is no such plan.
func (n Name) in(s *view.Snapshot) (*view.Plan, *view.File) {
	p := s.Plan(n.plan)
	if p == nil {
		return nil, nil
	}
	return p, p.File(n.path)
}
