package match

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// Match is where a text to be replaced was found.
type Match struct {
	Spans []edits.Span // sorted, not overlapping, at least one
	Step  string       // which way of looking found it, in the user's words: "exact", "line endings", "indentation" or "look-alikes"
	Ends  bool         // of Replace: line ends that the new text brings were made those of the lines around them
}

// Where says which places of a text count. The zero value means: exactly one
// place, anywhere.
type Where struct {
	All   bool // every place, from left to right, none overlapping the one before
	Lines bool // only whole lines
	Bytes bool // of Replace: found exactly, the new text is put byte for byte, also its line ends

	// Narrow is asked when there are several places and one is wanted. It
	// returns those of them that can be meant, in the same order. nil: all can.
	Narrow func(places []edits.Span) []edits.Span
}

// maxListed is how many places a Refusal has, at most.
const maxListed = 10

// maxPut is how many bytes a replacement may put in all places together, where
// they are not the same string in each.
const maxPut = 64 << 20

// step is one way of looking for a text. Each forgives more than the ones
// before it; none finds a place that has more lines than were asked for.
type step struct {
	name   string
	shifts bool // the place may be indented otherwise; the new text is then indented as the place is
	scales bool // it is indented in another unit
	look   func(*search)
}

// Tolerance returns what the step forgives.
func (s step) tolerance(w Where) adapt.Tolerance {
	exact := s.name == StepExact
	return adapt.Tolerance{Form: !exact, Indent: s.shifts, Unit: s.scales, LookAlikes: s.name == StepLookAlikes, Bytes: exact && w.Bytes}
}

// The steps' names.
const (
	StepExact       = "exact"
	StepLineEndings = "line endings"
	StepIndentation = "indentation"
	StepLookAlikes  = "look-alikes"
)

// steps are tried in order, until one finds something. The doc comment of each
// function says what it forgives.
var steps = []step{
	{name: StepExact, look: exact},
	byLineEndings,
	{name: StepIndentation, shifts: true, look: indentation},
	{name: StepIndentation, shifts: true, scales: true, look: inOtherUnits},
	{name: StepLookAlikes, look: lookAlikes},
	{name: StepLookAlikes, shifts: true, look: indentedLookAlikes},
}

// byLineEndings is also the step of places that exact finds but for their line ends.
var byLineEndings = step{name: StepLineEndings, look: lineEndings}

// Find returns where old is in text, as w wants it. The error, always a
// *Refusal, says why there is no such place, or that there are several.
// Without w.All, places that overlap count as several: "aa" is in "aaa" twice.
func Find(text, old string, w Where) (Match, error) {
	m, _, err := find(text, old, w, false)
	return m, err
}

// find is Find. It also returns the step. seesEnds tells that old is exact in
// its line ends.
func find(text, old string, w Where, seesEnds bool) (Match, step, error) {
	if old == "" {
		return Match{}, step{}, &Refusal{Reason: ReasonEmpty, text: text}
	}
	s := newSearch(text, old, w)
	s.seesEnds = seesEnds
	for _, step := range steps {
		// What is not found exactly could as well be meant to be another word.
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

// Replace returns the edits of text that replace old, where Find finds it,
// with new. What a step forgave stays as it is in the text: only the
// difference between old and new is made, and line ends are those of the lines
// that are replaced, or beside which new ones are put, however old and new are
// written. Where old is indented otherwise than the text, or lacks the
// indentation of its first line, and new is indented as the text, new stays so.
// Two exceptions: found exactly, a change of nothing but line ends is made as it
// was asked for; and a change of nothing but the indentation has to be asked for
// as the text is indented.
// The error, always a *Refusal, is Find's, or says that nothing would change
// or that new cannot be indented as the place is.
func Replace(text, old, new string, w Where) ([]edits.Edit, Match, error) {
	if old == new && old != "" {
		return nil, Match{}, &Refusal{Reason: ReasonNoop}
	}
	m, step, err := find(text, old, w, adapt.OnlyEnds(old, new))
	if err != nil {
		return nil, Match{}, err
	}
	if linetext.AtBOM(text, m.Spans[0].Start) {
		new = linetext.WithoutBOM(new) // the text has one in front of the place
	}
	c := adapt.New(text, old, new, step.tolerance(w))
	twice := ""
	if !step.shifts {
		if twice = adapt.RepeatedIndent(text, m.Spans, old, new); twice != "" {
			m.Step = StepIndentation
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

// several returns the Refusal for a text that was found in several places. It
// names the first of them.
func several(text, old, step string, places []edits.Span, count int) *Refusal {
	r := &Refusal{Reason: ReasonSeveral, Step: step, Count: count, text: text, old: old, places: places[:min(len(places), maxListed)]}
	for _, s := range r.places {
		r.Lines = append(r.Lines, edits.LineOf(text, s.Start)+1)
	}
	return r
}
