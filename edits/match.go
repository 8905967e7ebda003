package edits

import (
	"slices"
	"strings"
)

// Match is where a text to be replaced was found.
type Match struct {
	Spans []Span // sorted, not overlapping, at least one
	Step  string // which way of looking found it, in the user's words: "exact"
}

// Where says which places of a text count. The zero value means: exactly one
// place, anywhere.
type Where struct {
	All   bool // every place, from left to right, none overlapping the one before
	Lines bool // only whole lines

	// Narrow is asked when there are several places and one is wanted. It
	// returns those of them that can be meant, in the same order. nil: all can.
	Narrow func(places []Span) []Span
}

// maxPlaces is how many places are looked for, at most, when one is wanted.
const maxPlaces = 100

// step is one way of looking for old, which is not empty, in text. With all,
// places returns every place from left to right that does not overlap the one
// before; without, the first maxPlaces, overlapping or not.
type step struct {
	name   string
	places func(text, old string, all bool) []Span
}

// steps are tried in order, until one finds something.
var steps = []step{
	{"exact", exact},
}

// Find returns where old is in text, as w wants it. The error, always a
// *Refusal, says why there is no such place, or that there are several.
// Without w.All, places that overlap count as several: "aa" is in "aaa" twice.
func Find(text, old string, w Where) (Match, error) {
	if old == "" {
		return Match{}, &Refusal{Reason: ReasonEmpty}
	}
	for _, s := range steps {
		places := s.places(text, old, w.All)
		if w.Lines {
			places = slices.DeleteFunc(places, func(s Span) bool { return !boundsLines(text, s) })
		}
		if len(places) > 1 && !w.All && w.Narrow != nil {
			if narrowed := w.Narrow(places); len(narrowed) > 0 {
				places = narrowed
			}
		}
		switch {
		case len(places) == 0:
			continue
		case len(places) == 1 || w.All:
			return Match{places, s.name}, nil
		default:
			return Match{}, several(text, places)
		}
	}
	return Match{}, &Refusal{Reason: ReasonNone, Nearest: nearest(text, old), old: old}
}

// Replace returns the edits of text that replace old, where Find finds it,
// with new. The error, always a *Refusal, is Find's, or says that old and new
// are the same.
func Replace(text, old, new string, w Where) ([]Edit, Match, error) {
	if old == new && old != "" {
		return nil, Match{}, &Refusal{Reason: ReasonNoop}
	}
	m, err := Find(text, old, w)
	if err != nil {
		return nil, Match{}, err
	}
	es := make([]Edit, len(m.Spans))
	for i, s := range m.Spans {
		es[i] = Edit{s, new}
	}
	return es, m, nil
}

// exact is the step that finds the very bytes of old.
func exact(text, old string, all bool) []Span {
	step := 1
	if all {
		step = len(old)
	}
	var places []Span
	for from := 0; all || len(places) < maxPlaces; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		places = append(places, Span{from + i, from + i + len(old)})
		from += i + step
	}
	return places
}

// several returns the refusal for text being found in more than one place.
func several(text string, places []Span) *Refusal {
	r := &Refusal{Reason: ReasonSeveral}
	l := NewLines(text)
	for _, s := range places {
		r.Lines = append(r.Lines, l.LineOf(s.Start)+1)
	}
	return r
}
