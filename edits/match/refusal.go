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
	"redline/edits/internal/showdiff"
	"redline/internal/phrase"
)

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
