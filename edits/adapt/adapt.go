// Package adapt fits a new text to the place where an old one was found. Where the old
// text and the place differ (in indentation and its unit, line ends, look-alikes), the
// form of the place stays.
package adapt

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// Adapter applies the difference between an old and a new text at the places where the
// old one was found. What the difference does not touch keeps the bytes of the place.
type Adapter struct {
	text       string   // the text to edit
	old, new   []string // lines of old and new, with their line ends
	pairs      pair.Pairing
	common     string // the indentation that all old lines share; "" if places are not shifted
	whole      string // if not "": the new text to insert byte for byte
	literal    bool   // insert whole, unchanged
	looks      bool   // look-alikes may differ
	path       string // see Tolerance.Path
	shifts     bool   // the indentation of a place may differ
	onlyIndent bool   // new differs from old only in indentation
	converted  bool   // a line end of new was replaced by another
	crs        bool   // old uses a lone CR as its line end
	ends       endings
	code       func() *linetext.Code // where lines of text end in code

	scales  bool                 // the unit of indentation of a place may differ
	shifted map[shift]reindented // the text to insert, by the shift of the place
	scaled  map[scale]reindented // the same, by the scale between the units
}

// Tolerance is how a place may differ from the old text. The zero value allows no
// difference.
type Tolerance struct {
	Form       bool   // in line ends, spaces or any of the following
	Indent     bool   // in indentation; the new text is then indented like the place
	Unit       bool   // in the unit of indentation
	LookAlikes bool   // in look-alikes
	Bytes      bool   // insert the new text byte for byte despite the differences
	Path       string // the file's name: where a line certainly ends in code, one with a new end loses the spaces that only the place has
}

// Clash is the reason why the new text cannot go into a place.
type Clash struct {
	Place edits.Span
	Why   string // a clause that continues "but"
	Looks bool   // it is unclear which look-alikes of the place the new text keeps
}

// Error implements error.
func (c *Clash) Error() string { return c.Why }

// New returns an Adapter that puts new in the places of text where old was found. The
// places differ from old at most as by allows.
func New(text, old, new string, by Tolerance) *Adapter {
	c := &Adapter{text: text, whole: new, shifts: by.Indent, scales: by.Unit, looks: by.LookAlikes, path: by.Path}
	c.code = sync.OnceValue(func() *linetext.Code { return linetext.CodeOf(c.path, c.text) })
	if by.Bytes || !by.Form && (endsFit(text, new) || OnlyEnds(old, new)) {
		c.literal = true
		return c
	}
	c.ends = endingsOf(text)
	if linetext.WithoutBOM(old) != old && by.Form {
		old, new = linetext.WithoutBOM(old), linetext.WithoutBOM(new)
	}
	c.old, c.new = linetext.Split(old), linetext.Split(new)
	c.crs = by.Form && strings.IndexByte(old, '\r') >= 0 && strings.IndexByte(old, '\n') < 0
	was, is := linetext.Contents(c.old), linetext.Contents(c.new)
	c.pairs = pair.Lines(was, is)
	if c.shifts {
		c.common = linetext.CommonIndent(was)
		c.onlyIndent = linetext.DifferInIndent(was, is)
	}
	return c
}

// Literal reports whether Into returns the new text byte for byte.
func (c *Adapter) Literal() bool { return c.literal }

// Converted reports whether Into has converted a line end of the new text.
func (c *Adapter) Converted() bool { return c.converted }

// Into returns the text that replaces a place. The error is a *Clash if the new text
// cannot be indented like the place, or if it is not clear which look-alikes it keeps.
func (c *Adapter) Into(place edits.Span) (string, error) {
	if c.literal {
		return c.whole, nil
	}
	there := linetext.Split(place.Of(c.text))
	for len(there) < len(c.old) {
		there = append(there, "") // the place ends with a blank line that the end of the text cuts off
	}
	if c.scales {
		return c.reindent(place, c.scaledTo(there))
	}
	by := c.deviationOf(there)
	if by.shift != (shift{}) {
		if s := c.shiftedBy(by.shift, there); s != (reindented{}) {
			return c.reindent(place, s)
		}
	}
	var b strings.Builder
	ends := c.ends.around(place, there)
	for j := range c.new {
		line, why, looks := c.line(j, place, there, by)
		if why != "" {
			return "", &Clash{place, why, looks}
		}
		end := c.end(j, there, ends)
		if line == "" && end == "\n" && strings.HasSuffix(b.String(), "\r") {
			if end = "\r"; linetext.End(c.new[j]) == "\r\n" {
				end = "\r\n" // so that it does not join the "\r" before it
			}
		}
		b.WriteString(line)
		b.WriteString(end)
	}
	put := c.ends.separate(place, b.String())
	if n := len(c.old); n > 0 && linetext.End(c.old[n-1]) != "" && linetext.End(there[n-1]) == "" {
		// The old text ended with a line end, but the text ends there without one: keep
		// it so.
		put = strings.TrimSuffix(put, linetext.End(put))
	}
	return put, nil
}

// line returns new line j as it goes into the place, without its line end. If there is no
// such line, why says so; looks then means that it is unclear which look-alikes the new
// text keeps.
func (c *Adapter) line(j int, place edits.Span, there []string, by deviation) (line, why string, looks bool) {
	now := linetext.Content(c.new[j])
	i := c.pairs.Of[j]
	if i < 0 {
		p := linetext.PartsOf(now)
		if p.Body == "" {
			return strings.TrimPrefix(now, by.drop), "", false
		}
		p.Indent, why = by.apply(p, by.mixes)
		p.Body = by.seen(p.Body)
		return p.String(), why, false
	}
	was, is := linetext.Content(c.old[i]), linetext.Content(there[i])
	if was == now {
		return is, "", false
	}
	p, before, here := linetext.PartsOf(now), linetext.PartsOf(was), linetext.PartsOf(is)
	if p.Body == "" {
		return now, "", false
	}
	if before.Body != "" && p.Indent == before.Indent {
		p.Indent = here.Indent
	} else {
		p.Indent, why = by.apply(p, by.mixes)
	}
	if before.Body != "" && p.Tail == before.Tail && !(p.Tail == "" && here.Tail != "" && c.endsAnew(before.Body, p.Body, place, there[:i+1])) {
		p.Tail = here.Tail
	}
	if before.Body != here.Body {
		body, unclear := by.mergeWords(here.Body, before.Body, p.Body)
		if p.Body = body; unclear != "" {
			return "", unclear, true
		}
	} else {
		p.Body = by.seen(p.Body)
	}
	return p.String(), why, false
}

// endsAnew reports whether a changed line of code ends with another word than before.
// there has the lines of the place up to this one.
func (c *Adapter) endsAnew(was, now string, place edits.Span, there []string) bool {
	if was == now {
		return false
	}
	same := was[len(was)-linetext.CommonSuffix(was, now):]
	if i := strings.IndexFunc(same, func(r rune) bool { return !linetext.IsWord(r) }); i >= 0 && strings.IndexFunc(same[i:], linetext.IsWord) >= 0 {
		return false
	}
	end := place.Start
	for _, line := range there {
		end += len(line)
	}
	line := there[len(there)-1]
	return c.code().At(end - len(line) + len(strings.TrimRightFunc(linetext.Content(line), linetext.IsBlank)))
}

// deviationOf returns how a place differs from the old text.
func (c *Adapter) deviationOf(there []string) deviation {
	d := deviation{}
	if c.looks {
		d.looks = looksOf(linetext.Contents(there), linetext.Contents(c.old))
	}
	if !c.shifts {
		return d
	}
	for i, line := range c.old {
		if p := linetext.PartsOf(linetext.Content(line)); p.Body != "" {
			d.shift = shiftOf(linetext.Plain(p.Indent), linetext.Plain(linetext.PartsOf(linetext.Content(there[i])).Indent), c.common)
			break
		}
	}
	d.mixes = d.shift != (shift{}) && anyMixed(there)
	return d
}

// end returns the line end of new line j: that of the line it replaces, else that of the
// lines around it. Most programs do not end a line at a lone "\r": unless old ends its
// lines so, the author means the character.
func (c *Adapter) end(j int, there, ends []string) string {
	given := linetext.End(c.new[j])
	if given == "" {
		return ""
	}
	asked, own := "", ""
	if i := c.pairs.Of[j]; i >= 0 {
		asked, own = linetext.End(c.old[i]), linetext.End(there[i])
	}
	end := ends[max(c.pairs.Like[j], 0)]
	switch {
	case own != "" && asked == given:
		end = own
	case given == "\r" && !c.crs || end == "":
		return given
	case own == "\n" || own == "\r\n":
		end = own
	}
	if i := c.pairs.Of[j]; end != given && !(asked == given && linetext.Content(c.old[i]) == linetext.Content(c.new[j])) {
		c.converted = true
	}
	return end
}

// deviation is how all lines of a place differ from the old text. New lines get the same
// difference.
type deviation struct {
	shift
	mixes bool              // a line of the place is indented with both tabs and spaces
	looks map[string]string // maps characters of the old text to the ASCII ones in the place
}

// looksOf returns the look-alikes of the old lines that always stand for the same ASCII
// character in the lines of the place.
func looksOf(there, old []string) map[string]string {
	looks := map[string]string{}
	for i := range old {
		here, before := linetext.Words(linetext.PartsOf(there[i]).Body), linetext.Words(linetext.PartsOf(old[i]).Body)
		for k := range min(len(here), len(before)) {
			if _, size, width := linetext.PlainRune(before[k]); width < size {
				if was, ok := looks[before[k]]; ok && was != here[k] || here[k][0] >= utf8.RuneSelf {
					looks[before[k]] = "" // it stands for different characters
				} else {
					looks[before[k]] = here[k]
				}
			}
		}
	}
	maps.DeleteFunc(looks, func(_, here string) bool { return here == "" })
	return looks
}

// seen returns s with the author's look-alikes replaced by the characters of the place.
func (d deviation) seen(s string) string {
	if len(d.looks) == 0 {
		return s
	}
	pieces := linetext.Words(s)
	for i, p := range pieces {
		if here, ok := d.looks[p]; ok {
			pieces[i] = here
		}
	}
	return strings.Join(pieces, "")
}

// mergeWords applies the difference between was and now to is, a text that differs from
// was in look-alikes. Words that stay keep the bytes of is. why is not "" if the result
// is unclear.
func (d deviation) mergeWords(is, was, now string) (line, why string) {
	here, before, after := linetext.Words(is), linetext.Words(was), linetext.Words(now)
	if len(here) != len(before) {
		return now, ""
	}
	seen := make([]string, len(after))
	for j, word := range after {
		if seen[j] = word; d.looks[word] != "" {
			seen[j] = d.looks[word]
		}
	}
	var best *lookalikeMerge
	for _, align := range []func(old, new []string) []int{byWords, byChunks, byWordsBackwards} {
		of := align(before, after)
		alike := newLookalikeMerge(here, before, after, seen, slices.Clone(of))
		if best == nil || alike.better(best) {
			best = alike
		}
		if best.unclear < 0 && slices.Equal(best.of, of) {
			break // keep the words that are the same
		}
	}
	return best.String(), best.why()
}

// Kept says what a whole new text took over from the file.
type Kept struct {
	Ends bool // line ends: unchanged lines keep theirs, new lines get those of their neighbours
	Last bool // the line end of the last line
}

// Whole returns content, the new text of a file, in the form of base, the text that it
// replaces. A model that rewrites a file means its lines: it overlooks "\r\n" or writes
// it everywhere, and often forgets the last line end. So content gets the line ends of
// base, line by line, and one after its last line if base has one there. But if content
// has a "\r" and differs from base only in line ends, it means these and stays as it is.
// Whole drops a byte order mark: it is not part of a text, and the file keeps its own. An
// empty text stays empty.
func Whole(base, content string) (string, Kept) {
	var k Kept
	content = linetext.WithoutBOM(content)
	if base == "" || content == "" {
		return content, k
	}
	given := content
	if k.Last = linetext.End(base) != "" && linetext.End(content) == ""; k.Last {
		content += "\n"
	}
	e, _ := WithEnds(base, edits.Edit{Span: edits.Span{Start: 0, End: len(base)}, New: content})
	content = e.New
	k.Ends = content != given
	if k.Last {
		k.Ends = strings.TrimSuffix(content, linetext.End(content)) != given
	}
	return content, k
}
