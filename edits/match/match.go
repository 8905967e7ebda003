package match

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// Match holds the places where the text to replace was found.
type Match struct {
	Spans []edits.Span // sorted, not overlapping, at least one
	Step  string       // how it was found, in the words of messages: "exact", "line endings", "indentation" or "look-alikes"
	Ends  bool         // for Replace: line ends of the new text were replaced by those of the lines around it
}

// Where says which places of a text count. The zero value asks for exactly one place,
// anywhere.
type Where struct {
	All   bool // every place, from left to right, none overlapping the one before
	Lines bool // whole lines only
	Bytes bool // for Replace: where old is found exactly, insert new byte for byte, with its own line ends

	// Narrow chooses among several places when one is wanted: it returns those that can
	// be meant, in the same order. If nil, all can be meant.
	Narrow func(places []edits.Span) []edits.Span
}

// maxListed is how many places a Refusal lists.
const maxListed = 10

// maxPut is how many bytes a replacement may insert in all places together, if they do
// not all get the same string.
const maxPut = 64 << 20

// step is one way to search for a text. Each step forgives more than those before it;
// none finds a place with more lines than the text has.
type step struct {
	name   string
	shifts bool // the place may have another indentation, which the new text then gets
	scales bool // the place may have another unit of indentation
	look   func(*search)
}

// tolerance returns what the step forgives.
func (s step) tolerance(w Where) adapt.Tolerance {
	exact := s.name == StepExact
	return adapt.Tolerance{Form: !exact, Indent: s.shifts, Unit: s.scales, LookAlikes: s.name == StepLookAlikes, Bytes: exact && w.Bytes}
}

// Names of the steps.
const (
	StepExact       = "exact"
	StepLineEndings = "line endings"
	StepIndentation = "indentation"
	StepLookAlikes  = "look-alikes"
)

// steps are tried in order until one finds something. The doc comment of each function
// lists what it forgives.
var steps = []step{
	{name: StepExact, look: exact},
	byLineEndings,
	{name: StepIndentation, shifts: true, look: indentation},
	{name: StepIndentation, shifts: true, scales: true, look: inOtherUnits},
	{name: StepLookAlikes, look: lookAlikes},
	{name: StepLookAlikes, shifts: true, look: indentedLookAlikes},
}

// byLineEndings is also the step of places that exact finds with other line ends.
var byLineEndings = step{name: StepLineEndings, look: lineEndings}

// Find returns the places of old in text that w asks for. The error is a *Refusal: there
// is no such place, or there are several. Without w.All, places that overlap count as
// several: "aa" is in "aaa" twice.
func Find(text, old string, w Where) (Match, error) {
	m, _, err := find(text, old, w, false)
	return m, err
}

// find is Find, and also returns the step. seesEnds means that the line ends of old
// count.
func find(text, old string, w Where, seesEnds bool) (Match, step, error) {
	if old == "" {
		return Match{}, step{}, &Refusal{Reason: ReasonEmpty, text: text}
	}
	s := newSearch(text, old, w)
	s.seesEnds = seesEnds
	for _, step := range steps {
		// Without an exact match, a part of a word could as well be meant to be another
		// word.
		s.places, s.count, s.words = nil, 0, step.name != StepExact
		step.look(s)
		places := s.places
		if len(places) > 1 && !w.All && w.Narrow != nil {
			if narrowed := w.Narrow(places); len(narrowed) > 0 {
				places, s.count = narrowed, len(narrowed)
			}
		}
		if len(places) > 0 && step.name == StepExact && slices.ContainsFunc(places, func(p edits.Span) bool { return p.Of(text) != old }) {
			step = byLineEndings
		}
		switch {
		case len(places) == 0:
			continue
		case len(places) == 1 || w.All:
			return Match{Spans: places, Step: step.name}, step, nil
		default:
			return Match{}, step, several(text, old, step.name, places, s.count)
		}
	}
	return Match{}, step{}, notThere(text, old)
}

// Replace returns the edits of text that replace old by new where Find finds old. It
// makes only the difference between old and new: what a step forgave stays as it is in
// the text. However old and new are written, line ends follow the replaced lines or, for
// new lines, their neighbours. If old is indented differently from the text, or lacks the
// indentation of its first line, and new is indented like the text, new stays so. There
// are two exceptions. Where old is found exactly, a change of only line ends is made as
// written. A change of only the indentation must be written with the indentation of the
// text.
//
// The error is a *Refusal: from Find, or because nothing would change, or because new
// cannot be indented like the place.
func Replace(text, old, new string, w Where) ([]edits.Edit, Match, error) {
	if old == new && old != "" {
		return nil, Match{}, &Refusal{Reason: ReasonNoop}
	}
	m, step, err := find(text, old, w, adapt.OnlyEnds(old, new))
	if err != nil {
		return nil, Match{}, err
	}
	if linetext.AtBOM(text, m.Spans[0].Start) {
		new = linetext.WithoutBOM(new) // the text already has a mark before the place
	}
	c := adapt.New(text, old, new, step.tolerance(w))
	twice := ""
	if !step.shifts {
		if twice = adapt.RepeatedIndent(text, m.Spans, old, new); twice != "" && step.name != StepLookAlikes {
			m.Step = StepIndentation // looking for look-alikes forgives that too, and more
		}
	}
	var es []edits.Edit
	size := 0
	for _, s := range m.Spans {
		put, err := c.Into(s)
		if err != nil {
			return nil, Match{}, refusalOf(text, old, err)
		}
		put = strings.TrimPrefix(put, twice)
		if size += len(put); size > maxPut && !c.Literal() {
			return nil, Match{}, &Refusal{Reason: ReasonSize}
		}
		if put != s.Of(text) {
			es = append(es, edits.Edit{Span: s, New: put})
		}
	}
	if len(es) == 0 {
		return nil, Match{}, &Refusal{Reason: ReasonNoop}
	}
	m.Ends = c.Converted()
	return es, m, nil
}

// several returns the refusal of a text that is in several places, with a list of the
// first ones.
func several(text, old, step string, places []edits.Span, count int) *Refusal {
	r := &Refusal{Reason: ReasonSeveral, Step: step, Count: count, text: text, old: old, places: places[:min(len(places), maxListed)]}
	for _, s := range r.places {
		r.Lines = append(r.Lines, edits.LineOf(text, s.Start)+1)
	}
	return r
}

// Limits of LastLines.
const (
	maxLast      = 4   // lines
	maxLastWidth = 200 // bytes of one
)

// LastLines returns the fewest last lines of a text that occur nowhere else in it, at
// most four, without their line ends. It returns nil if it would need more, or if a line
// is too long to be quoted or has invisible characters.
func LastLines(text string) []string {
	text = linetext.Content(text)
	var last []string
	for at := len(text); at > 0 && len(last) < maxLast; {
		end := at
		at = strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSuffix(text[at:end], "\r")
		if len(line) > maxLastWidth || edits.VisibleLine(strings.ReplaceAll(line, "\t", "")) != strings.ReplaceAll(line, "\t", "") {
			return nil
		}
		last = append([]string{line}, last...)
		if linetext.TrimSpace(line) != "" && strings.Index(text, text[at:]) == at {
			return last
		}
		at--
	}
	return nil
}
