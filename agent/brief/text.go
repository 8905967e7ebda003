package brief

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/fence"
)

// maxLeft is how many omissions are listed.
const maxLeft = 20

// Text formats the brief for the end of a request: one fenced block, in which each text has its
// own fence. Nothing in a fence can close it, since it is longer than every run of backticks
// there. The text of an empty brief is "".
func (b Brief) Text() string {
	if len(b.sections) == 0 && len(b.left) == 0 {
		return ""
	}
	left, nested := b.leftLines(), false
	inside := []string{left}
	for _, s := range b.sections {
		inside = append(inside, s.label, s.text)
		nested = nested || s.text != ""
	}
	inner := fence.Around(inside...)
	outer := inner
	if nested {
		outer += "`"
	}
	var out strings.Builder
	out.WriteString(outer + "context\n")
	for _, s := range b.sections {
		out.WriteString(s.label + "\n")
		if s.text == "" {
			continue
		}
		out.WriteString(inner + "\n" + s.text)
		if !strings.HasSuffix(s.text, "\n") {
			out.WriteString("\n")
		}
		out.WriteString(inner + "\n")
	}
	out.WriteString(left + outer)
	return out.String()
}

// leftLines lists what was left out.
func (b Brief) leftLines() string {
	if len(b.left) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("left out:\n")
	for i, o := range b.left {
		if i == maxLeft {
			fmt.Fprintf(&out, "- … %d more\n", len(b.left)-i)
			break
		}
		fmt.Fprintf(&out, "- %s: %s\n", shown(o.What), shown(o.Why))
	}
	return out.String()
}

// Notice returns a message to the user about requested files, symbols and project rules that
// were left out, "" if there are none.
func (b Brief) Notice() string {
	var parts []string
	more, room := 0, false
	for _, o := range b.left {
		switch {
		case !o.Asked:
			continue
		case len(parts) == 5:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s (%s)", shown(o.What), shown(o.Why)))
		}
		room = room || o.Room
	}
	if len(parts) == 0 {
		return ""
	}
	text := "The model was not shown: " + strings.Join(parts, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if room {
		return text + ". The setting context.tokens makes room for more."
	}
	return text + "."
}

// shown returns a name for a line: quoted if it has characters that cannot be seen.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Tokens estimates how many tokens a text has: one for four bytes of ASCII, one for each
// other character. Models differ; the estimate is too high for prose and about right for
// code.
func Tokens(text string) int {
	ascii, others := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		others++
	}
	return (ascii+3)/4 + others
}

// fit returns the lines at the beginning of text that fit in room tokens, how many they are, and
// whether they are the whole text. It never cuts a line.
func fit(text string, room int) (cut string, lines int, whole bool) {
	used, end := 0, 0
	for line := range strings.Lines(text) {
		n := Tokens(line)
		if used+n > room {
			return text[:end], lines, false
		}
		used += n
		end += len(line)
		lines++
	}
	return text, lines, true
}
