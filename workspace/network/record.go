package network

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"redline/internal/phrase"
)

// Report is what a command did with its network.
type Report struct {
	Host    bool      `json:"host,omitempty"`    // it had the network of the host, so nothing else is known
	Reached []Contact `json:"reached,omitempty"` // by their names
	Refused []Contact `json:"refused,omitempty"`
	Past    int       `json:"past,omitempty"`    // how often it tried to reach something without the proxy
	More    int       `json:"more,omitempty"`    // how many attempts are not listed
	Through string    `json:"through,omitempty"` // the user's own proxy, if it was used: HOST:PORT
}

// Contact is a peer that a command asked for.
type Contact struct {
	Peer  string `json:"peer"` // HOST:PORT
	Count int    `json:"count"`
	Why   string `json:"why,omitempty"` // why it was refused, if it was named: a part of a sentence
}

// shown is how many contacts a sentence has.
const shown = 10

// Sentence describes a report in a line, "" if there is nothing to say.
func (r Report) Sentence() string {
	if r.Host {
		return "It may have reached the network, services of this machine included."
	}
	var said []string
	list := func(of []Contact) string {
		parts := make([]string, len(of))
		for i, c := range of {
			parts[i] = c.Peer
			if c.Count > 1 {
				parts[i] += fmt.Sprintf(" (%d times)", c.Count)
			}
			if c.Why != "" {
				parts[i] += " (" + c.Why + ")"
			}
		}
		return phrase.And(phrase.FirstOf(parts, shown, "host"))
	}
	if len(r.Reached) > 0 {
		by := ""
		if r.Through != "" {
			by = " by your proxy " + r.Through
		}
		said = append(said, "It reached "+list(r.Reached)+by+".")
	}
	if len(r.Refused) > 0 {
		said = append(said, "It could not reach "+list(r.Refused)+".")
	}
	if r.Past > 0 {
		said = append(said, fmt.Sprintf("It tried to reach something without the proxy, which leads nowhere (%s).", phrase.Count(r.Past, "time")))
	}
	if r.More > 0 {
		said = append(said, "Not listed: "+phrase.Count(r.More, "more attempt")+".")
	}
	return strings.Join(said, " ")
}

// maxContacts is how many peers a record has of each kind.
const maxContacts = 100

// record is a report that is being made. Its methods may be called from any goroutine.
type record struct {
	mu               sync.Mutex
	reached, refused map[string]Contact
	more             int
	by               string
}

func (r *record) reach(t target) { r.add(&r.reached, t.String(), "") }

func (r *record) refuse(peer, why string) { r.add(&r.refused, peer, why) }

func (r *record) add(to *map[string]Contact, peer, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *to == nil {
		*to = map[string]Contact{}
	}
	c, known := (*to)[peer]
	if !known && len(*to) >= maxContacts {
		r.more++
		return
	}
	(*to)[peer] = Contact{peer, c.Count + 1, why}
}

func (r *record) wentThrough(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by = host
}

func (r *record) report() Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	sorted := func(of map[string]Contact) []Contact {
		return slices.SortedFunc(maps.Values(of), func(a, b Contact) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Peer, b.Peer))
		})
	}
	return Report{Reached: sorted(r.reached), Refused: sorted(r.refused), More: r.more, Through: r.by}
}

// visible returns what a command asks for so that it can be shown: in one line, not too long, and of what
// names and addresses have, since a description is Markdown and the command has chosen the words.
func visible(text string) string {
	const most = 100
	text = strings.Map(func(r rune) rune {
		if r > '~' || !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._:[]%", r)) {
			return '?'
		}
		return r
	}, text)
	return phrase.ClipBytes(text, most)
}
