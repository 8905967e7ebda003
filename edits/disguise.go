package edits

import (
	"maps"
	"strings"
	"unicode/utf8"

	"znkr.io/diff"
)

// disguise is how a place differs, on all lines, from the text that was asked
// for. New text is to differ in the same way.
type disguise struct {
	shift
	looks map[string]string // characters that were asked for, and the ASCII ones that are there instead
}

// looksOf returns the characters of the old lines for which there always are
// ASCII ones in the lines that are there.
func looksOf(there, old []string) map[string]string {
	looks := map[string]string{}
	for i := range old {
		here, before := words(partsOf(there[i]).body), words(partsOf(old[i]).body)
		for k := range min(len(here), len(before)) {
			if _, size, width := plainRune(before[k]); width < size {
				if was, ok := looks[before[k]]; ok && was != here[k] || here[k][0] >= utf8.RuneSelf {
					looks[before[k]] = "" // not always
				} else {
					looks[before[k]] = here[k]
				}
			}
		}
	}
	maps.DeleteFunc(looks, func(_, here string) bool { return here == "" })
	return looks
}

// seen returns s with the characters that are there for those that were asked
// for.
func (d disguise) seen(s string) string {
	if len(d.looks) == 0 {
		return s
	}
	pieces := words(s)
	for i, p := range pieces {
		if here, ok := d.looks[p]; ok {
			pieces[i] = here
		}
	}
	return strings.Join(pieces, "")
}

// carryWords carries the difference between was and now over to is, which is
// was but for look-alikes: words of is that stay keep their bytes.
func (d disguise) carryWords(is, was, now string) string {
	here, before := words(is), words(was)
	if len(here) != len(before) {
		return now
	}
	after := words(now)
	var options []diff.Option
	if len(before)+len(after) > usualBounds.always {
		options = append(options, diff.Fast())
	}
	var b strings.Builder
	for _, e := range diff.Edits(before, after, options...) {
		switch e.Op {
		case diff.Match:
			b.WriteString(here[e.PosX])
		case diff.Insert:
			b.WriteString(d.seen(e.Y))
		}
	}
	return b.String()
}
