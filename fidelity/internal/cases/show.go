package cases

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// What would not be seen in a case is written out: ␍ for a carriage return at the end of a line,
// ␠ and ␉ for a space and a tab there, ∎ where a text ends without a line end, and ⟨U+00A0⟩ for
// any other character that looks like another one or like nothing.

// Show returns a text as it stands in a case. It ends with a line end, unless the text is empty.
func Show(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content, ended := strings.CutSuffix(line, "\n")
		content, returned := strings.CutSuffix(content, "\r")
		bare := strings.TrimRight(content, " \t")
		for _, r := range bare {
			if hidden(r) {
				fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			} else {
				b.WriteRune(r)
			}
		}
		b.WriteString(strings.NewReplacer(" ", "␠", "\t", "␉").Replace(content[len(bare):]))
		if returned {
			b.WriteString("␍")
		}
		if !ended {
			b.WriteString("∎")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func hidden(r rune) bool {
	return r != '\t' && (unicode.Is(unicode.Mn, r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r != ' ' && unicode.IsSpace(r))
}

var (
	codePoint = regexp.MustCompile(`⟨U\+([0-9A-F]{4,6})⟩`)
	signs     = strings.NewReplacer("␠", " ", "␉", "\t", "␍", "\r", "∎\n", "")
)

// Read returns the text that Show has written.
func Read(shown string) string {
	return codePoint.ReplaceAllStringFunc(signs.Replace(shown), func(name string) string {
		r, err := strconv.ParseInt(codePoint.FindStringSubmatch(name)[1], 16, 32)
		if err != nil {
			return name
		}
		return string(rune(r))
	})
}
