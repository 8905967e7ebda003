// Package match finds the one place in a text that a model's edit quotes, and makes the
// edit there. If there is no such place, or there are several, it refuses with a message
// that the model can act on.
//
// Models copy text badly. So [Find] searches in steps, each more forgiving (tolerance.go):
// nothing (exact), line ends and the spaces before them, indentation by a shift or in another
// unit, look-alikes (also forms.go), a first line without its indentation (firstline.go), and runs of
// spaces (spaces.go). The first step that finds anything decides: it must find one place, unless
// [Where] asks for others. [Replace] then makes only the difference between the old text and the
// new one, see package adapt. The name of the step is shown with the hunk.
package match

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/closest"
	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
	"redline/internal/phrase"
)

// Match holds the places where the text to replace was found.
type Match struct {
	Spans []edits.Span // sorted, not overlapping, at least one
	Step  string       // how it was found, in the words of messages: "exact", "line endings", "indentation", "look-alikes", "spaces" or "line numbers"
	Ends  bool         // for Replace: line ends of the new text were replaced by those of the lines around it
}

// Where says which places of a text count. The zero value asks for exactly one place,
// anywhere.
type Where struct {
	All   bool   // every place, from left to right, none overlapping the one before
	Lines bool   // whole lines only
	Path  string // for Replace: the name of the file, which says what spaces at a line's end mean; see [adapt.Tolerance]
	Bytes bool   // for Replace: where old is found exactly, insert new byte for byte, with its own line ends

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
	return adapt.Tolerance{Form: !exact, Indent: s.shifts, Unit: s.scales, LookAlikes: s.name == StepLookAlikes, Bytes: exact && w.Bytes, Path: w.Path}
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
	if isNone(err) {
		if m, ok := findByForms(text, old, w); ok {
			return m, nil
		}
		there := onlyBySpaces(text, old, w)
		if m, ok := findByFirstLine(text, old, there, w); ok {
			return m, nil
		}
		if m, ok := findBySpaces(text, old, there, w); ok {
			return m, nil
		}
		err = notThere(text, old)
	}
	return m, err
}

// errNone is the result of find if there is no such place.
var errNone error = &Refusal{Reason: ReasonNone}

// isNone reports whether an error of find means that there is no such place.
func isNone(err error) bool { return err == errNone }

// find is Find without the step that forgives spaces, and also returns the step. Its error
// is errNone if there is no place. seesEnds means that the line ends of old
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
	return Match{}, step{}, errNone
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
	es, m, err := replace(text, old, new, w)
	if !isNone(err) {
		return es, m, err
	}
	if es, m, err, ok := replaceByNumbers(text, old, new, w); ok {
		return es, m, err
	}
	if es, m, err, ok := replaceInside(text, old, new, w); ok {
		return es, m, err
	}
	if es, m, err, ok := replaceByForms(text, old, new, w); ok {
		return es, m, err
	}
	there := onlyBySpaces(text, old, w)
	if es, m, err, ok := replaceByFirstLine(text, old, new, there, w); ok {
		return es, m, err
	}
	if es, m, err, ok := replaceBySpaces(text, old, new, there, w); ok {
		return es, m, err
	}
	return nil, Match{}, notThere(text, old)
}

// replace is Replace without the step that forgives spaces. Its error is errNone if there
// is no place.
func replace(text, old, new string, w Where) ([]edits.Edit, Match, error) {
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

// Reasons of a Refusal.
const (
	ReasonNone    = "none"    // the text to replace is not there
	ReasonSeveral = "several" // it is there more than once
	ReasonEmpty   = "empty"   // there is no text to replace
	ReasonNoop    = "noop"    // the replacement is already there
	ReasonSize    = "size"    // replacing all places would make the text too long
	ReasonLooks   = "looks"   // it is there with look-alikes, and it is unclear which of these the new text keeps
	ReasonIndent  = "indent"  // it is there with another indentation, which the new text cannot take over
)

// Refusal is the reason why an edit has no place. Its message is for the model that asked
// for the edit: one paragraph that says what was found and what to do.
type Refusal struct {
	Reason  string
	Step    string         // for "several": the step that found them; see Match.Step
	Count   int            // for "several": how many places were found
	Lines   []int          // for "several": the lines, counted from 1, where the first of the places start; at most 10
	Nearest *closest.Place // for "none": the most similar text, if any; for "indent" and "looks": the place
	why     string         // for "indent" and "looks": a clause that continues "but"
	old     string
	text    string
	places  []edits.Span // for "several": the first of them
	blank   bool         // for "none": the file has no text
	empty   bool         // not even a line end
}

// Error implements error.
func (r *Refusal) Error() string {
	switch r.Reason {
	case ReasonEmpty:
		return "The text to replace is empty, so there is no place for the new text. Nothing was changed. Give some of the text that is there, word for word, and repeat it in the new text; to make a new file, use write_file." + r.toAppend()
	case ReasonNoop:
		return "The new text is the same as the text to replace, so there is nothing to change."
	case ReasonSize:
		return fmt.Sprintf("The new text in all places would be more than %d MiB. Nothing was changed. Replace fewer places at once, or put less in each.", maxPut>>20)
	case ReasonSeveral:
		return strings.TrimSpace(fmt.Sprintf("The text to replace was found in %d places, on lines %s%s. Nothing was changed. Add lines above or below, to both texts, so that only one place fits, or ask for all places to be replaced.%s",
			r.Count, r.listed(), r.forgiven(), r.tellingApart()))
	case ReasonIndent:
		d := showdiff.Of(r.old, r.Nearest.Text)
		return fmt.Sprintf("The text to replace was found on line %d with another indentation, but %s. Nothing was changed. Lines with - are yours, lines with + are in the file:\n%s\n%sSend both texts indented as the file is.%s",
			r.Nearest.Line, r.why, d.Text(), d.Legend(), r.read(d))
	case ReasonLooks:
		d := showdiff.Of(r.old, r.Nearest.Text)
		return fmt.Sprintf("The text to replace was found on line %d with look-alikes of its characters, but %s. Nothing was changed. Lines with - are yours, lines with + are in the file:\n%s\n%sSend both texts with the characters that the file has.%s",
			r.Nearest.Line, r.why, d.Text(), d.Legend(), r.read(d))
	default:
		return r.notFound()
	}
}

// toAppend returns how to append to the file.
func (r *Refusal) toAppend() string {
	last := LastLines(r.text)
	if last == nil {
		return ""
	}
	return " To append to the file, put its last lines, which stay, above the new ones, in both texts:\n  " + strings.Join(last, "\n  ")
}

// notFound returns the message for a text that is not there.
func (r *Refusal) notFound() string {
	switch {
	case r.empty:
		return "The file is empty, so the text to replace was not found. Nothing was changed. Send an empty text to replace and the whole text of the file as the new one, or use write_file."
	case r.blank:
		return "The file has only blank lines, so the text to replace was not found. Nothing was changed. Write the whole file with write_file."
	case r.Nearest == nil:
		return "The text to replace was not found, and nothing in the file is much like it. Nothing was changed. Read the file again and send its text word for word."
	}
	if n := len(r.Nearest.Others); n > 0 && n < maxPlaces {
		return r.severalNear()
	}
	d := showdiff.Of(r.old, r.Nearest.Text)
	others := ""
	if len(r.Nearest.Others) > 0 {
		others = fmt.Sprintf("; what is on %s is nearly as much like it", numbers(r.Nearest.Others))
	}
	return fmt.Sprintf("The text to replace was not found. Nothing was changed. The nearest text is on line %d%s. Lines with - are yours, lines with + are in the file:\n%s\n%s%sSend the edit again with the file's lines in the text to replace, and in the new text where they stay.%s",
		r.Nearest.Line, others, d.Text(), showdiff.Blanks(r.old, r.Nearest.Text), d.Legend(), r.read(d))
}

// maxPlaces is how many equally close places a message may show.
const maxPlaces = 5

// maxLegends limits the explanation of the signs, in bytes.
const maxLegends = 1000

// severalNear returns the message for several places that are equally close.
func (r *Refusal) severalNear() string {
	places := append([]*closest.Place{r.Nearest}, r.Nearest.Others...)
	slices.SortFunc(places, func(a, b *closest.Place) int { return cmp.Compare(a.Line, b.Line) })
	var b strings.Builder
	legends := ""
	for _, p := range places {
		d := showdiff.Of(r.old, p.Text)
		if d.Partial() || b.Len()+d.Size() > showdiff.MaxSize {
			continue
		}
		fmt.Fprintf(&b, "on line %d:\n%s\n", p.Line, d.Text())
		if legend := d.Legend(); !strings.Contains(legends, legend) && len(legends)+len(legend) < maxLegends {
			legends += legend
		}
	}
	return fmt.Sprintf("The text to replace was not found. Nothing was changed. Several places are about equally near, on %s. Lines with - are yours, lines with + are in the file:\n%s%sSend the edit again with the lines of the one that you mean in the text to replace, and in the new text where they stay.",
		numbers(places), b.String(), legends)
}

// numbers names the lines of places.
func numbers(places []*closest.Place) string {
	if len(places) == 1 {
		return fmt.Sprintf("line %d", places[0].Line)
	}
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = fmt.Sprint(p.Line)
	}
	return "lines " + phrase.And(names)
}

// read returns which lines to read if a difference does not show all of them.
func (r *Refusal) read(d *showdiff.Diff) string {
	if !d.Partial() {
		return ""
	}
	last := r.Nearest.Line + max(edits.CountLines(r.Nearest.Text), 1) - 1
	if last == r.Nearest.Line {
		return fmt.Sprintf(" Not all is shown. Read line %d for the rest.", last)
	}
	return fmt.Sprintf(" Not all is shown. Read lines %d to %d for the rest.", r.Nearest.Line, last)
}

// forgiven returns what the step forgave to find the places.
func (r *Refusal) forgiven() string {
	switch r.Step {
	case "", StepExact:
		return ""
	case StepLookAlikes:
		return " (forgiving Unicode look-alikes of quotes, dashes and spaces)"
	default:
		return fmt.Sprintf(" (forgiving other %s)", r.Step)
	}
}

// listed names the lines of the first places.
func (r *Refusal) listed() string {
	names := make([]string, len(r.Lines))
	for i, line := range r.Lines {
		names[i] = fmt.Sprint(line)
	}
	if r.Count > len(r.Lines) {
		return strings.Join(names, ", ") + " and further down"
	}
	return phrase.And(names)
}

// refusalOf returns the refusal of a place that cannot take the new text, from the
// error of the Adapter.
func refusalOf(text, old string, err error) error {
	var c *adapt.Clash
	if !errors.As(err, &c) {
		return err
	}
	r := &Refusal{Reason: ReasonIndent, Nearest: &closest.Place{Line: edits.LineOf(text, c.Place.Start) + 1, Text: c.Place.Of(text)}, why: c.Why, old: old}
	if c.Looks {
		r.Reason = ReasonLooks
	}
	return r
}

// notThere returns the refusal of a text that is not there.
func notThere(text, old string) *Refusal {
	r := &Refusal{Reason: ReasonNone, old: old, empty: text == "", blank: strings.TrimSpace(text) == ""}
	if !r.blank {
		r.Nearest = closest.Find(text, old)
	}
	return r
}
