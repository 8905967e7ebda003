// Package film turns screens of a terminal into one moving picture for the documentation:
// an SVG file without external parts, whose text is text. It also reads such a picture
// back, so that a test can compare it with what the program shows today.
package film

import (
	"strconv"
	"strings"
	"unicode"
)

// Screen is the content of a terminal: its rows, each up to a number of cells wide.
type Screen struct {
	Columns int
	Rows    [][]Cell
	Cursor  *Cursor // nil: hidden
}

// Cursor is the position of a cell, from 0.
type Cursor struct{ Column, Row int }

// Cell is one place of a screen. An empty cell follows a wide character.
type Cell struct {
	Text  string // a character with its combining characters; "" after a wide one
	Style Style
}

// Style is the look of a cell. A colour is "" (the terminal's own), the number of one of
// its 256 colours, or "#rrggbb".
type Style struct {
	Fore, Back                                   string
	Bold, Faint, Italic, Underline, Struck, Swap bool
}

// Parse reads the rows of a screen with escape sequences for colours, as printed by `tmux
// capture-pane -e -p`. It ignores other sequences.
func Parse(text string, columns int) Screen {
	s := Screen{Columns: columns}
	var style Style
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		var row []Cell
		for line != "" {
			if line[0] == '\x1b' {
				line = escape(line, &style)
				continue
			}
			char, rest := first(line)
			line = rest
			if char == "\t" {
				for row = append(row, Cell{" ", style}); len(row)%8 != 0; {
					row = append(row, Cell{" ", style})
				}
				continue
			}
			switch w := width(char); {
			case w == 0 && len(row) > 0:
				row[len(row)-1].Text += char
			case w > 0:
				row = append(row, Cell{char, style})
				for range w - 1 {
					row = append(row, Cell{"", style})
				}
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// Text returns the text of the screen, without colours and without spaces at the ends of
// rows.
func (s Screen) Text() string {
	var b strings.Builder
	for _, row := range s.Rows {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func first(s string) (char, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// width returns the number of cells of a character: 0 if it combines with the one before it
// or is invisible, 2 if it is wide (East Asian characters and emoji).
func width(char string) int {
	r := []rune(char)[0]
	switch {
	case r < ' ' || r == 0x7f || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// escape reads one escape sequence, applies it to the style and returns the rest. A
// sequence begins with ESC; one with parameters extends to a letter (ECMA-48), one that
// sets a title or a link to BEL or ESC \.
func escape(line string, style *Style) (rest string) {
	if len(line) < 2 {
		return ""
	}
	switch line[1] {
	case '[':
		end := strings.IndexFunc(line[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return ""
		}
		if line[2+end] == 'm' {
			style.set(line[2 : 2+end])
		}
		return line[3+end:]
	case ']':
		for i := 2; i < len(line); i++ {
			if line[i] == '\a' {
				return line[i+1:]
			}
			if strings.HasPrefix(line[i:], "\x1b\\") {
				return line[i+2:]
			}
		}
		return ""
	case '(', ')':
		return line[min(3, len(line)):]
	}
	return line[2:]
}

// set applies the parameters of SGR (ECMA-48, 8.3.117) to the style.
func (s *Style) set(parameters string) {
	codes := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		*s = Style{}
	}
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			continue
		}
		switch {
		case n == 0:
			*s = Style{}
		case n == 1:
			s.Bold = true
		case n == 2:
			s.Faint = true
		case n == 3:
			s.Italic = true
		case n == 4:
			s.Underline = true
			if i+1 < len(codes) && strings.Contains(parameters, "4:"+codes[i+1]) { // the kind of underline
				i++
				s.Underline = codes[i] != "0"
			}
		case n == 7:
			s.Swap = true
		case n == 9:
			s.Struck = true
		case n == 22:
			s.Bold, s.Faint = false, false
		case n == 23:
			s.Italic = false
		case n == 24:
			s.Underline = false
		case n == 27:
			s.Swap = false
		case n == 29:
			s.Struck = false
		case n >= 30 && n <= 37:
			s.Fore = strconv.Itoa(n - 30)
		case n == 39:
			s.Fore = ""
		case n >= 40 && n <= 47:
			s.Back = strconv.Itoa(n - 40)
		case n == 49:
			s.Back = ""
		case n >= 90 && n <= 97:
			s.Fore = strconv.Itoa(n - 90 + 8)
		case n >= 100 && n <= 107:
			s.Back = strconv.Itoa(n - 100 + 8)
		case n == 38 || n == 48 || n == 58:
			colour, used := extended(codes[i+1:])
			i += used
			switch n {
			case 38:
				s.Fore = colour
			case 48:
				s.Back = colour
			}
		}
	}
}

// extended reads a colour that is one of 256 or has three parts, and returns the number of
// parameters used.
func extended(codes []string) (colour string, used int) {
	switch {
	case len(codes) >= 2 && codes[0] == "5":
		return codes[1], 2
	case len(codes) >= 4 && codes[0] == "2":
		out := "#"
		for _, c := range codes[1:4] {
			n, _ := strconv.Atoi(c) // not a number: 0
			hex := strconv.FormatInt(int64(min(max(n, 0), 255)), 16)
			out += strings.Repeat("0", 2-len(hex)) + hex
		}
		return out, 4
	}
	return "", len(codes)
}
