package adapt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// WithForms returns the new text with the characters of the place where it does not change them.
// was has the lines of the old text, and is the same lines as the place has them; they differ only in
// the forms of characters, see [linetext.Form]. why is not "" if it is unclear which characters stay.
func WithForms(was, is []string, new string) (with, why string) {
	now := linetext.Split(new)
	of := pair.Lines(linetext.Contents(was), linetext.Contents(now)).Of
	var b strings.Builder
	for j, line := range now {
		if i := of[j]; i >= 0 && was[i] != is[i] {
			content, why := withForms(linetext.Content(was[i]), linetext.Content(is[i]), linetext.Content(line))
			if why != "" {
				return "", why
			}
			line = content + linetext.End(line)
		}
		b.WriteString(line)
	}
	return b.String(), ""
}

// withForms is WithForms for a line. The characters before and behind the change stay. Those inside
// it stay if the old and the new line have equally many of them there.
func withForms(was, is, now string) (with, why string) {
	if was == now {
		return is, ""
	}
	before, asked := linetext.Forms(was)
	here, found := linetext.Forms(is)
	after, _ := linetext.Forms(now)
	if !slices.Equal(asked, found) {
		return "", "its characters are composed in other ways"
	}
	lead, most := 0, min(len(before), len(after))
	for lead < most && before[lead] == after[lead] {
		lead++
	}
	tail := 0
	for tail < most-lead && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	old, own, new := before[lead:len(before)-tail], here[lead:len(here)-tail], slices.Clone(after[lead:len(after)-tail])
	differ := map[string][]string{} // for each character that the place has in another form: the forms, in order
	for i, c := range old {
		if c != own[i] || differ[c] != nil {
			differ[c] = append(differ[c], own[i])
		}
	}
	count := map[string]int{}
	for _, c := range new {
		count[c]++
	}
	for j, c := range new {
		forms := differ[c]
		switch {
		case forms == nil:
		case count[c] == len(forms):
			new[j], differ[c] = forms[0], forms[1:]
			count[c]--
		case linetext.HasNoWidth(c + forms[0]): // as it is sent
		case isSign(c) || isSign(forms[0]):
			return "", fmt.Sprintf("it is not clear which of the %q in the new text is the %q of the file", c, forms[0])
		default:
			new[j] = forms[0] // the same text in any case
		}
	}
	return strings.Join(slices.Concat(here[:lead], new, here[len(here)-tail:]), ""), ""
}

// isSign reports whether a character is an ellipsis or the full-width form of an ASCII character, which
// may mean something else than that.
func isSign(char string) bool {
	r, size := utf8.DecodeRuneInString(char)
	return size == len(char) && (linetext.IsFullWidth(r) || r == linetext.Ellipsis)
}
