package patch

import (
	"errors"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/match"
)

// headers holds where a chunk may start by its context headers. They tell several places
// apart; a single place counts wherever they are.
type headers struct {
	in      []edits.Span // regions that Chunk.Within opens; nil for no header, or if unclear
	nearer  []edits.Span // of these, the regions that Chunk.below opens too; nil if unclear
	unclear error        // why they do not tell places apart
}

// headers reads the context headers of a chunk. The error names one that is not a line of
// the text: the file may be the wrong one.
func (c *Chunk) headers(text string) (h headers, err error) {
	if len(c.Within) > 0 {
		h.in, h.unclear = regions(text, c.Within)
		if missing, ok := errors.AsType[noHeader](h.unclear); ok {
			return headers{}, missing
		}
	}
	if len(c.below) > 0 {
		h.nearer, _ = regions(text, slices.Concat(c.below, c.Within))
	}
	return h, nil
}

// check refuses the only place of a chunk if the chunk belongs elsewhere: at the end of
// the file, or where its header is, if the text there is nearly the same.
func (c *Chunk) check(text string, place edits.Span, h headers) error {
	line := strings.Count(text[:place.Start], "\n") + 1
	if c.AtEnd && place.End != len(text) {
		return reasonf("The text to replace is on line %d, but not at the end of the file, as the patch says. Nothing was changed. Leave out the line that says that it is the end, or read the end of the file again.", line)
	}
	if h.in == nil || inRegions(place.Start, h.in) {
		return nil
	}
	for _, r := range merged(h.in) {
		m, err := match.Find(text[r.Start:r.End], c.Old, match.Where{Lines: true})
		if several, ok := errors.AsType[*match.Refusal](err); err != nil && (!ok || several.Reason != match.ReasonSeveral) {
			continue
		}
		near := strings.Count(text[:r.Start], "\n") + 1
		if err == nil {
			near += strings.Count(text[r.Start:r.Start+m.Spans[0].Start], "\n")
		}
		return reasonf("The text to replace is on line %d, which is not inside or below %s, and nearly the same text is there, on line %d. Nothing was changed. Correct the context header, or give the text word for word as it is at the place that you mean.", line, quoted(c.Within[len(c.Within)-1]), near)
	}
	return nil
}

// merged joins overlapping regions, which are sorted by their starts.
func merged(in []edits.Span) (out []edits.Span) {
	for _, r := range in {
		if n := len(out); n > 0 && r.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, r.End)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// narrow returns those of several places that the chunk can mean: it drops those that the
// chunk excludes, and then chooses by line number or heading.
func (c *Chunk) narrow(text string, places []edits.Span, h headers, numbered bool) []edits.Span {
	places = slices.DeleteFunc(slices.Clone(places), func(s edits.Span) bool {
		return h.in != nil && !inRegions(s.Start, h.in) || c.AtEnd && s.End != len(text)
	})
	if len(places) < 2 {
		return places
	}
	if numbered {
		line, at := 1, 0
		for _, s := range places {
			line += strings.Count(text[at:s.Start], "\n")
			if at = s.Start; line == c.Line {
				return []edits.Span{s}
			}
		}
	}
	if c.Heading != "" {
		if near := inside(places, headed(text, c.Heading)); len(near) > 0 {
			return near
		}
	}
	if near := inside(places, h.nearer); len(near) > 0 {
		return near
	}
	return places
}

// inside returns the places that start in one of the regions.
func inside(places, in []edits.Span) []edits.Span {
	return slices.DeleteFunc(slices.Clone(places), func(s edits.Span) bool { return !inRegions(s.Start, in) })
}
