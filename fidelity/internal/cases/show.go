package cases

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// What would not be seen in a case is written out: ␍ for a carriage return at the end of a line,
// ␠ and ␉ for a space and a tab there, ∎ where a text ends without a line end, ⟨U+00A0⟩ for
// any other character that looks like another one or like nothing, and ⟨byte E9⟩ for a byte that is
// not UTF-8.

// Show returns a text as it stands in a case. It ends with a line end, unless the text is empty.
func Show(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content, ended := strings.CutSuffix(line, "\n")
		content, returned := strings.CutSuffix(content, "\r")
		bare := strings.TrimRight(content, " \t")
		for i, r := range bare {
			switch _, size := utf8.DecodeRuneInString(bare[i:]); {
			case r == utf8.RuneError && size == 1:
				fmt.Fprintf(&b, "⟨byte %02X⟩", bare[i])
			case hidden(r):
				fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			default:
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
	character = regexp.MustCompile(`⟨(U\+|byte )([0-9A-F]{2,6})⟩`)
	signs     = strings.NewReplacer("␠", " ", "␉", "\t", "␍", "\r", "∎\n", "")
)

// Read returns the text that Show has written.
func Read(shown string) string {
	return character.ReplaceAllStringFunc(signs.Replace(shown), func(name string) string {
		parts := character.FindStringSubmatch(name)
		n, err := strconv.ParseInt(parts[2], 16, 32)
		switch {
		case err != nil:
			return name
		case parts[1] == "byte ":
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	})
}

// inUTF16 follows the path in the head of a section whose file is in UTF-16.
const inUTF16 = " in UTF-16"

// UTF16 returns a text in UTF-16, little end first, with a byte order mark.
func UTF16(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// fromUTF16 returns the text of a file that UTF16 has made, and whether it is one.
func fromUTF16(file string) (string, bool) {
	rest, ok := strings.CutPrefix(file, "\xff\xfe")
	if !ok || len(rest)%2 != 0 {
		return "", false
	}
	var units []uint16
	for ; rest != ""; rest = rest[2:] {
		units = append(units, binary.LittleEndian.Uint16([]byte(rest[:2])))
	}
	return string(utf16.Decode(units)), true
}
