package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// Some differences nobody can see, or hardly: an accent that is a character of its own or is composed
// with its letter; full-width signs and an ellipsis, which models write as ASCII; and characters of no
// width, which they do not write. They are forgiven, as look-alikes,
// where they are the only difference and no other place could be meant, even if indentation,
// runs of spaces and other look-alikes did not count. The other steps then search for the text as
// the place has it.

// byForms compares lines so: characters in one form, and one ASCII space for each run of spaces.
var byForms = lineFolding{add: appendForm, raw: rawOffsetOfForm}

// nextForm returns the first character of s as byForms compares it.
func nextForm(s string) (form string, size int) {
	form, size = linetext.Form(s)
	if form == "" {
		return "", size
	}
	if c, width, plain := linetext.PlainRune(form); plain < width && width == len(form) {
		form = string(rune(c))
	} else if form == "\t" {
		form = " "
	}
	return form, size
}

// appendForm appends a line as byForms compares it.
func appendForm(b []byte, line string) []byte {
	line = linetext.Content(line)
	start, space := len(b), false
	for line != "" {
		form, size := nextForm(line)
		line = line[size:]
		if form == " " {
			space = len(b) > start
			continue
		}
		if space {
			b, space = append(b, ' '), false
		}
		b = append(b, form...)
	}
	return b
}

// rawOffsetOfForm returns the offset in a line without spaces around it of an offset in what
// appendForm makes of it.
func rawOffsetOfForm(body string, offset int) int {
	at, n, inRun := 0, 0, false
	for at < len(body) {
		form, size := nextForm(body[at:])
		space := form == " "
		if n >= offset && !(inRun && space) {
			break
		}
		if at += size; !(inRun && space) {
			n += len(form)
		}
		inRun = space
	}
	return at
}

// formsMayDiffer reports whether text may have old in other forms. wide means that it may have
// others for ASCII characters, hidden that it has some that are not in old at all.
func formsMayDiffer(text, old string) (differ, wide, hidden bool) {
	hidden = linetext.HasNoWidth(text)
	wide = linetext.HasFullWidth(text)
	ellipsis := string(linetext.Ellipsis)
	switch {
	case hidden || wide || linetext.HasFullWidth(old) || linetext.HasNoWidth(old):
	case strings.Contains(old, ellipsis), strings.Contains(old, "...") && strings.Contains(text, ellipsis):
	case linetext.IsASCII(old):
		return false, false, false
	case norm.NFC.IsNormalString(old) && (norm.NFD.IsNormalString(old) || norm.NFC.IsNormalString(text)):
		return false, false, false
	}
	return utf8.ValidString(text) && utf8.ValidString(old), wide, hidden
}

// withOwnForms returns the lines of old with the characters of the one place in text that differs
// from it in nothing but their forms and, perhaps, its indentation. ok is false if there is no such
// place, or if the characters are the same.
func withOwnForms(text, old string, w Where) (was, is []string, ok bool) {
	differ, wide, hidden := formsMayDiffer(text, old)
	if !differ || hiddenBesideSpace(text) || hiddenBesideSpace(old) {
		return nil, nil, false
	}
	was = linetext.Split(linetext.WithoutBOM(old))
	folded := make([]string, len(was))
	formed := ""
	for i, line := range was {
		folded[i] = string(appendForm(nil, line))
		_, forms := linetext.Forms(line)
		formed += strings.Join(forms, "")
	}
	want := strings.Join(folded, "\n")
	if strings.Trim(want, "\n") == "" || hiddenAtEnds(old) {
		return nil, nil, false
	}
	by := byForms
	by.splits = func(r rune) bool {
		if r < utf8.RuneSelf {
			return wide || hidden || r == '.' || hasLook(r)
		}
		return hidden || hasLook(r) || r == linetext.Ellipsis || linetext.IsFullWidth(r) || linetext.IsComposed(r) || unicode.Is(unicode.M, r) || 0x1100 <= r && r <= 0x11FF // letters of syllables
	}
	there, ok := onlyLoosely(text, formed, want, w.Lines, by)
	if !ok {
		return nil, nil, false
	}
	return there.withForms(text, was)
}

// hiddenAtEnds reports whether a text begins or ends with a character of no width, which may belong to
// what is beside it.
func hiddenAtEnds(text string) bool {
	body := strings.Trim(linetext.WithoutBOM(text), " \t\r\n")
	_, first := utf8.DecodeRuneInString(body)
	_, last := utf8.DecodeLastRuneInString(body)
	return linetext.HasNoWidth(body[:first]) || linetext.HasNoWidth(body[len(body)-last:])
}

// hiddenBesideSpace reports whether a character of no width is beside a space, so that it is not clear which
// character it belongs to.
func hiddenBesideSpace(text string) bool {
	if !linetext.HasNoWidth(text) {
		return false
	}
	before := rune(0)
	for _, r := range text {
		if hidden := linetext.HasNoWidth(string(r)); hidden && linetext.IsBlank(before) || linetext.IsBlank(r) && linetext.HasNoWidth(string(before)) {
			return true
		}
		before = r
	}
	return false
}

// betweenDots reports whether an offset is between two dots, which may be parts of an ellipsis.
func betweenDots(text string, offset int) bool {
	const dots = ".．…"
	before, _ := utf8.DecodeLastRuneInString(text[:offset])
	after, _ := utf8.DecodeRuneInString(text[offset:])
	return strings.ContainsRune(dots, before) && strings.ContainsRune(dots, after)
}

// withForms returns the old lines with the characters of the place. ok means that only their
// forms differ, and that some do.
func (p *loose) withForms(text string, old []string) (was, is []string, ok bool) {
	differ := false
	for i, line := range old {
		parts := linetext.PartsOf(linetext.Content(line))
		span := p.body(text, i)
		if betweenDots(text, span.Start) || betweenDots(text, span.End) {
			return nil, nil, false
		}
		there := span.Of(text)
		if there != parts.Body {
			_, a := linetext.Forms(parts.Body)
			_, b := linetext.Forms(there)
			if strings.Join(a, "") != strings.Join(b, "") {
				return nil, nil, false
			}
			differ = true
		}
		is = append(is, parts.Indent+there+parts.Tail+linetext.End(line))
	}
	return old, is, differ
}

// findByForms is Find for a text in other forms.
func findByForms(text, old string, w Where) (Match, bool) {
	_, is, ok := withOwnForms(text, old, w)
	if !ok {
		return Match{}, false
	}
	w.Narrow = nil
	m, step, err := find(text, strings.Join(is, ""), w, false)
	if err != nil || len(m.Spans) > 1 || step.name == StepLookAlikes {
		return Match{}, false
	}
	m.Step = StepLookAlikes
	return m, true
}

// replaceByForms is Replace for a text in other forms. ok is false if it does not find a place.
func replaceByForms(text, old, new string, w Where) (es []edits.Edit, m Match, err error, ok bool) {
	was, is, ok := withOwnForms(text, old, w)
	if !ok {
		return nil, Match{}, nil, false
	}
	w.Narrow = nil
	own := strings.Join(is, "")
	now, why := adapt.WithForms(was, is, linetext.WithoutBOM(new))
	if why != "" {
		m, _, err := find(text, own, w, false)
		if err != nil || len(m.Spans) > 1 {
			return nil, Match{}, nil, false
		}
		return nil, Match{}, refusalOf(text, old, &adapt.Clash{Place: m.Spans[0], Why: why, Looks: true}), true
	}
	es, m, err = replace(text, own, now, w)
	if r, refused := err.(*Refusal); refused && (r.Reason == ReasonNone || r.Reason == ReasonSeveral) || err == nil && (len(m.Spans) > 1 || m.Step == StepLookAlikes) {
		return nil, Match{}, nil, false
	}
	m.Step = StepLookAlikes
	return es, m, err, true
}
