package patch

import (
	"errors"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/match"
	"redline/edits/placeholder"
)

// site is the place of a chunk in a text.
type site struct {
	target *target
	chunk  *Chunk
	found  []placed     // the edits that it makes
	spans  []edits.Span // its possible places, in target.ended
	step   string       // the step that found them
	err    error        // why there are none
}

// site searches for a chunk.
func (t *target) site(c *Chunk) site {
	switch {
	case c.changesNothing():
		return site{target: t, chunk: c}
	case c.Old == "":
		s := site{target: t, chunk: c}
		s.found, s.err = t.add(c)
		return s
	}
	return t.read(c)
}

// read searches for a chunk that has old lines, reading it in several ways: as written;
// with unchanged lines taken without a mark, or without a second space before each, if
// the file has that word for word and not the former; and without blank lines at its
// ends. It refuses the chunk if two ways lead to different places.
func (t *target) read(c *Chunk) site {
	if c.fault != nil {
		return t.readBare(c)
	}
	s := t.look(c, nil)
	if s.isExact() {
		return s
	}
	if c.block && s.notFound() {
		if full, ok := t.expanded(c); ok {
			return full
		}
	}
	if s.hasLostMarks() {
		return site{target: t, chunk: c, err: reason("Some of the lines that stay begin with a space that marks them, and others do not. Nothing was changed. Put a space in front of every line that stays, before its indentation.")}
	}
	if c.bare != nil {
		if bare := t.look(c.as(*c.bare), nil); bare.isExact() {
			return bare.refuseIfElsewhere(s, "with its lines that stay as they are, without a space that marks them")
		}
	}
	if c.doubled != nil {
		if once := t.look(c.as(*c.doubled), nil); once.isExact() {
			return once.refuseIfUnclear(c.unclear, s)
		}
	}
	return t.withoutBlanks(c, s)
}

// expanded searches for a block whose texts both leave lines out, with these lines.
func (t *target) expanded(c *Chunk) (site, bool) {
	olds, news, _, ok := placeholder.Expand(c.path, t.textFor(c), c.Old, c.New)
	if !ok {
		return site{}, false
	}
	s := t.look(c.as(texts{old: olds, new: news}), nil)
	for i := range s.found {
		s.found[i].step = placeholder.Step(s.found[i].step, true)
	}
	return s, true
}

// withoutBlanks searches for a chunk without the blank lines at its end, at its start,
// and at both. other is its site as written.
func (t *target) withoutBlanks(c *Chunk, other site) site {
	end, start := c.trimmed(), c.trimmedStart()
	var both *Chunk
	if end != nil {
		both = end.trimmedStart()
	}
	found := other
	for _, way := range []struct {
		chunk *Chunk
		how   string
	}{{end, "without the blank lines at its end"}, {start, "without the blank lines at its start"}, {both, "without the blank lines at its ends"}} {
		if way.chunk == nil || way.chunk == both && !found.notFound() {
			continue
		}
		short := t.look(way.chunk, nil)
		switch {
		case way.chunk == start && !found.notFound():
			if short.isExact() && !short.makesSame(found) {
				found.spans, found.err = nil, reason("The text to replace is in one place without the blank lines at its start, and in another with them. Nothing was changed. Leave out the blank lines at both ends, or give more lines around the change.")
			}
		case found.notFound() && !short.notFound(), short.isExact():
			found = short.refuseIfElsewhere(found, way.how)
		}
	}
	return found
}

// makesSame reports whether two ways to read a chunk make the same edits.
func (s *site) makesSame(other site) bool {
	return s.err == nil && other.err == nil && slices.EqualFunc(s.found, other.found, func(a, b placed) bool { return a.Edit == b.Edit })
}

// isElsewhere reports whether both were found, in different places.
func (s *site) isElsewhere(other site) bool {
	return len(other.spans) > 0 && len(s.spans) > 0 && !slices.ContainsFunc(other.spans, func(p edits.Span) bool { return p.Start == s.spans[0].Start })
}

// refuseIfUnclear is refuseIfElsewhere for a chunk whose unchanged lines have an extra
// space. If the chunk was found as written, its new lines have the space too: unclear
// means that they do not show it.
func (s site) refuseIfUnclear(unclear bool, other site) site {
	if unclear && len(other.spans) > 0 {
		other.err = reason("The lines that stay have one space more before them than in the file, and it is not clear whether the new lines have, too. Nothing was changed. Begin each line that stays with one space, and each that comes with +, and put the line behind it as it is in the file.")
		other.spans = nil
		return other
	}
	return s.refuseIfElsewhere(other, "with one space less before each line that stays")
}

// refuseIfElsewhere returns the site, or a refused one if the chunk was also found as
// written, in other. how is how the site was found.
func (s site) refuseIfElsewhere(other site, how string) site {
	if !s.isElsewhere(other) {
		return s
	}
	line := func(s site) int { return strings.Count(s.target.ended[:s.spans[0].Start], "\n") + 1 }
	other.err = reasonf("The text to replace is on line %d with other spaces or characters, and on line %d %s. Nothing was changed. Give it word for word as it is at the place that you mean.", line(other), line(s), how)
	other.spans = nil
	return other
}

// readBare is read for a chunk that has lines without a mark.
func (t *target) readBare(c *Chunk) site {
	if c.bare == nil { // the line without a mark is only white space, such as a vertical tab
		return site{target: t, chunk: c, err: c.fault}
	}
	bare := c.as(*c.bare)
	for _, c := range []*Chunk{bare, bare.trimmed()} {
		if c == nil {
			continue
		}
		if s := t.look(c, nil); s.isExact() {
			return s
		}
	}
	return site{target: t, chunk: c, err: c.fault}
}

// isExact reports whether the chunk was found, in one place or several, exactly except
// for trailing spaces.
func (s *site) isExact() bool {
	step := s.step
	if r, ok := errors.AsType[*match.Refusal](s.err); ok {
		step = r.Step
	}
	return step == "exact" || step == "line endings"
}

// notFound reports whether the chunk was not found.
func (s *site) notFound() bool {
	r, ok := errors.AsType[*match.Refusal](s.err)
	return ok && r.Reason == match.ReasonNone
}

// textFor returns the text to search for the chunk's lines.
func (t *target) textFor(c *Chunk) string {
	if strings.HasSuffix(c.Old, "\n") {
		return t.ended
	}
	return t.text
}

// look searches for a chunk that has old lines. pick, if not nil, returns those of
// several places that it can mean.
func (t *target) look(c *Chunk, pick func([]edits.Span) []edits.Span) site {
	s := site{target: t, chunk: c}
	text := t.textFor(c)
	in, err := c.headers(text)
	if err != nil {
		s.err = err
		return s
	}
	es, m, err := match.Replace(text, c.Old, c.New, match.Where{Lines: true, Bytes: c.meansEnds(text), Path: c.path, Narrow: func(places []edits.Span) []edits.Span {
		s.spans = c.narrow(text, places, in, t.numbered)
		if pick != nil {
			s.spans = pick(s.spans)
		}
		return s.spans
	}})
	switch {
	case err == nil:
		err = c.check(text, m.Spans[0], in)
	case len(s.spans) > 1 && in.unclear != nil:
		s.spans, err = nil, in.unclear
	}
	if err != nil {
		s.err = err
		return s
	}
	s.spans, s.step = m.Spans, m.Step
	for _, e := range es {
		if e.Span == m.Spans[0] {
			e = c.core(text, e)
		}
		s.found = append(s.found, placed{Edit: t.fit(e), step: m.Step})
	}
	return s
}

// everywhere returns the places of a chunk that changes nothing, nil if it has
// none.
func (s *site) everywhere() (places []edits.Span) {
	c, text := s.chunk, s.target.textFor(s.chunk)
	in, err := c.headers(text)
	if err != nil {
		return nil
	}
	m, err := match.Find(text, c.Old, match.Where{Lines: true, Narrow: func(found []edits.Span) []edits.Span {
		places = c.narrow(text, found, in, s.target.numbered)
		return places
	}})
	if err == nil {
		return m.Spans
	}
	return places
}
