package match

import (
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// StepSpaces is the last step. It forgives runs of spaces and tabs inside a line that have
// another length, outside of strings. It finds a place only if no other could be meant,
// even if indentation, look-alikes and strings did not count. The other steps then search
// for the text with the runs of the file.
const StepSpaces = "spaces"

// inner returns a line as this step compares it: without the spaces around it, and with
// one space for each run in it.
func inner(line string) string { return string(appendInner(nil, line)) }

// appendInner appends inner of a line to b.
func appendInner(b []byte, line string) []byte {
	line = linetext.Plain(linetext.Content(line))
	start, space := len(b), false
	for i := range len(line) {
		c := line[i]
		if c == ' ' || c == '\t' {
			space = len(b) > start
			continue
		}
		if space {
			b, space = append(b, ' '), false
		}
		b = append(b, c)
	}
	return b
}

const (
	maxUnread = 64 << 10 // bytes of a stretch that is searched at once
	maxWords  = 256      // words that are looked for first in a longer one
)

// hasWords reports whether text has the first words of old between spaces. Else no place
// differs only in runs of spaces.
func hasWords(text, old string) bool {
	n := 0
	for word := range strings.FieldsSeq(linetext.WithoutBOM(old)) {
		if n++; n > maxWords {
			break
		}
		if index(text, word, rareIn(word)) < 0 {
			return false
		}
	}
	return true
}

// onlyBySpaces returns the only place of old in text if spaces do not count, nil if there is none, if there
// are several, or if old has no spaces that could differ.
func onlyBySpaces(text, old string, w Where) *loose {
	lines := linetext.Split(linetext.WithoutBOM(old))
	folded := make([]string, len(lines))
	for i, line := range lines {
		folded[i] = inner(line)
	}
	want := strings.Join(folded, "\n")
	if strings.IndexByte(want, ' ') < 0 && !(w.Lines && lacksFirstIndent(lines)) {
		return nil
	}
	if place, ok := onlyLoosely(text, old, want, w.Lines, bySpaces); ok {
		return &place
	}
	return nil
}

// withOwnRuns returns the lines of old with the runs of spaces of the one place in text that
// differs from it in nothing else but, perhaps, its indentation. ok is false if that is not so, or
// if the runs are the same.
func withOwnRuns(text, old string, there *loose) (was, is []string, ok bool) {
	if there == nil {
		return nil, nil, false
	}
	was = linetext.Split(linetext.WithoutBOM(old))
	is, ok = there.take(text, was)
	return was, is, ok
}

// lineFolding is a way to compare lines in which more of them are the same.
type lineFolding struct {
	add    func(b []byte, line string) []byte // appends the folded line
	raw    func(body string, offset int) int  // the offset in a line without spaces around it of an offset in the folded one
	splits func(rune) bool                    // the characters that it changes
	words  bool                               // it changes nothing in words between spaces
}

// bySpaces is the folding of inner.
var bySpaces = lineFolding{add: appendInner, raw: rawOffset, splits: hasLook, words: true}

// loose is a place that was found in folded lines.
type loose struct {
	by    lineFolding
	lines []edits.Span // in the text, with their line ends
	from  int          // the offset in the first folded line
	to    int          // the same in the last line
}

// onlyLoosely returns the place of old in text, if there is only one. want is old in folded lines;
// whole means that a place must be whole lines.
func onlyLoosely(text, old, want string, whole bool, by lineFolding) (place loose, ok bool) {
	found := 0
	closed := whole || linetext.End(old) != ""
	for _, span := range stretches(text, old, by.splits) {
		if span.Len() > maxUnread && by.words && !hasWords(text, old) {
			return loose{}, false
		}
		part := span.Of(text)
		if span.Start == 0 {
			part = linetext.WithoutBOM(part)
		}
		lines := linetext.Split(part)
		if len(lines) <= strings.Count(want, "\n") {
			continue
		}
		folded := make([]byte, 0, len(part))
		for i, line := range lines {
			if i > 0 {
				folded = append(folded, '\n')
			}
			folded = by.add(folded, line)
		}
		in := string(folded)
		at := lineOf{text: in}
		occurrences(in, want, func(i int) int {
			end := i + len(want)
			line, start := at.seek(i)
			switch {
			case linetext.InsideWord(in, i) || linetext.InsideWord(in, end) || linetext.Divides(in, i) || linetext.Divides(in, end):
			case closed && end < len(in) && in[end] != '\n', whole && i > start:
			default:
				if found++; found > 1 {
					return len(in)
				}
				count := strings.Count(want, "\n") + 1
				place = loose{by: by, from: i - start, to: end - max(strings.LastIndexByte(in[:end], '\n')+1, start)}
				place.add(lines, line, line+count, span.End-len(part))
			}
			return i + 1
		})
		if found > 1 {
			return loose{}, false
		}
	}
	return place, found == 1
}

// add adds the spans of some lines, which start at offset in the text.
func (p *loose) add(lines []string, from, to, offset int) {
	for i, line := range lines[:to] {
		if i >= from {
			p.lines = append(p.lines, edits.Span{Start: offset, End: offset + len(line)})
		}
		offset += len(line)
	}
}

// take returns the old lines with the runs of the place. ok means that these are all that
// differs, and that some of them do, outside of strings.
func (p *loose) take(text string, was []string) (out []string, ok bool) {
	quotes := linetext.QuotesOf(text)
	differ := false
	for i, line := range was {
		parts := linetext.PartsOf(linetext.Content(line))
		span := p.body(text, i)
		there := span.Of(text)
		if !linetext.SameButRuns(parts.Body, there, func(at int) bool {
			differ = true
			return !quotes.May(span.Start + at)
		}) {
			return nil, false
		}
		out = append(out, parts.Indent+there+parts.Tail+linetext.End(line))
	}
	return out, differ
}

// body returns where the text of line i of the place is, without the spaces around it, and
// without what is before and behind the place.
func (p *loose) body(text string, i int) edits.Span {
	line := linetext.Content(p.lines[i].Of(text))
	parts := linetext.PartsOf(line)
	start := p.lines[i].Start + len(parts.Indent)
	from, to := 0, len(parts.Body)
	if i == len(p.lines)-1 {
		to = p.by.raw(parts.Body, p.to)
	}
	if i == 0 {
		from = p.by.raw(parts.Body, p.from)
	}
	return edits.Span{Start: start + from, End: start + max(from, to)}
}

// rawOffset returns the offset in a line without spaces around it of an offset in what inner makes
// of it.
func rawOffset(body string, offset int) int {
	at, n, inRun := 0, 0, false
	for at < len(body) {
		c, size, width := linetext.PlainRune(body[at:])
		space := c == ' ' || c == '\t'
		if n >= offset && !(inRun && space) {
			break
		}
		if at += size; !(inRun && space) {
			n += width
		}
		inRun = space
	}
	return at
}

// findBySpaces is the step for Find.
func findBySpaces(text, old string, there *loose, w Where) (Match, bool) {
	_, is, ok := withOwnRuns(text, old, there)
	if !ok {
		return Match{}, false
	}
	w.Narrow = nil
	m, step, err := find(text, strings.Join(is, ""), w, false)
	if err != nil || len(m.Spans) > 1 || step.name == StepLookAlikes {
		return Match{}, false
	}
	m.Step = StepSpaces
	return m, true
}

// replaceBySpaces is the step for Replace. ok is false if it does not find a place.
func replaceBySpaces(text, old, new string, there *loose, w Where) (es []edits.Edit, m Match, err error, ok bool) {
	was, is, ok := withOwnRuns(text, old, there)
	if !ok {
		return nil, Match{}, nil, false
	}
	w.Narrow = nil
	new = linetext.WithoutBOM(new)
	es, m, err = replace(text, strings.Join(is, ""), adapt.WithRuns(was, is, new), w)
	if r, refused := err.(*Refusal); refused && (r.Reason == ReasonNone || r.Reason == ReasonSeveral) || err == nil && (len(m.Spans) > 1 || m.Step == StepLookAlikes) {
		return nil, Match{}, nil, false
	}
	m.Step = StepSpaces
	return es, m, err, true
}
