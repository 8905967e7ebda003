package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/internal/phrase"
)

// Shared is what a plan has from elsewhere. Nothing of it counts here: it is there to be read.
type Shared struct {
	By        string      `json:"by,omitempty"`        // who shared it last, `Ada <ada@example.org>`; absent if that is not known
	Signature string      `json:"signature,omitempty"` // of what came through git: `verified`, `unverified` or `unsigned`
	At        time.Time   `json:"at"`                  // when something new came last, in UTC (RFC 3339)
	Revisions []int       `json:"revisions,omitempty"` // the revisions that came then, by their numbers here
	Comments  int         `json:"comments,omitempty"`  // how many comments came then
	Decisions []Elsewhere `json:"decisions,omitempty"` // what was decided elsewhere, oldest first
	Trials    []TriedBy   `json:"trials,omitempty"`    // what was tried elsewhere, oldest first

	Said []string `json:"said,omitempty"` // all of it for users, one sentence each
}

// Elsewhere is a decision that was made elsewhere.
type Elsewhere struct {
	ID       string    `json:"id"`             // unique everywhere
	Revision int       `json:"revision"`       // the revision, by its number here
	Verdict  Verdict   `json:"verdict"`        // `approve`, `reject`, `undo` or `review`
	Path     string    `json:"path,omitempty"` // the file, several with commas; absent for the whole plan
	By       string    `json:"by"`             // who decided: a person, or `user` if nobody has said more
	Way      string    `json:"way,omitempty"`  // how it came about, as in `approval.ways`; absent if that is not known
	At       time.Time `json:"at"`             // when, in UTC (RFC 3339)
}

// TriedBy is a trial that was made elsewhere.
type TriedBy struct {
	ID       string    `json:"id"`                // unique everywhere
	Revision int       `json:"revision"`          // the revision, by its number here
	Command  string    `json:"command"`           // the command line
	Verdict  Class     `json:"verdict,omitempty"` // as of a trial
	By       string    `json:"by,omitempty"`      // who tried it
	At       time.Time `json:"at"`                // when, in UTC (RFC 3339)
}

// maxElsewhere is how many decisions and trials from elsewhere are kept to be shown, each.
const maxElsewhere = 50

// Bounded leaves the newest decisions and trials.
func (s *Shared) Bounded() *Shared {
	s.Decisions = s.Decisions[max(len(s.Decisions)-maxElsewhere, 0):]
	s.Trials = s.Trials[max(len(s.Trials)-maxElsewhere, 0):]
	return s
}

// AsSaid returns what came from elsewhere with its sentences, nil if nothing did.
func (s *Shared) AsSaid() *Shared {
	if s == nil {
		return nil
	}
	said := *s
	said.Said = s.Sentences()
	return &said
}

// New names what came last in a few words: "revision 3 is new", "2 comments are new", "" for nothing.
func (s *Shared) New() string {
	var news []string
	switch n := len(s.Revisions); {
	case n == 1:
		news = append(news, fmt.Sprintf("revision %d", s.Revisions[0]))
	case n > 1:
		news = append(news, fmt.Sprintf("revisions %d to %d", s.Revisions[0], s.Revisions[n-1]))
	}
	if s.Comments > 0 {
		news = append(news, phrase.Count(s.Comments, "comment"))
	}
	switch {
	case len(news) == 0:
		return ""
	case len(s.Revisions)+s.Comments == 1:
		return phrase.And(news) + " is new"
	}
	return phrase.And(news) + " are new"
}

// Person returns the name of a person without the address.
func Person(by string) string {
	name, _, _ := strings.Cut(by, "<")
	return cmp.Or(strings.TrimSpace(name), by)
}

// Sentences say what came from elsewhere, for the user: "Shared by Ada (unsigned): revision 3 and 2
// comments are new." Then what was decided there, the newest decision of each person.
func (s *Shared) Sentences() (said []string) {
	if s == nil {
		return nil
	}
	first := "Shared"
	if s.By != "" {
		first += " by " + Person(s.By)
	}
	if s.Signature != "" {
		first += " (" + s.Signature + ")"
	}
	if news := s.New(); news != "" {
		first += ": " + news
	}
	said = append(said, first+".")
	seen := map[string]bool{}
	for _, d := range slices.Backward(s.Decisions) {
		if seen[d.By] {
			continue
		}
		seen[d.By] = true
		of := ""
		if d.Path != "" {
			of = d.Path + " of "
		}
		who := Person(d.By)
		if d.By == AuthorUser {
			who = "somebody"
		}
		said = append(said, fmt.Sprintf("Elsewhere, %s has decided to %s %srevision %d. That does not count here.", who, d.Verdict, of, d.Revision))
	}
	return said
}
