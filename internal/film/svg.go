package film

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Film is a sequence of screens.
type Film struct {
	Title  string // describes the content, for those who cannot see it
	Maker  string // the program that is shown, with its version
	Frames []Frame
}

// Frame is one screen with its caption.
type Frame struct {
	Caption string
	Seconds float64
	Screen  Screen
}

// The measures of a picture, in its own units.
const (
	cellWidth  = 8
	cellHeight = 18
	fontSize   = 13
	baseline   = 13.5 // of a row, from its top
	margin     = 12
	bar        = 34 // height of the caption's bar
)

// The terminal's own colours: light text on a dark window, readable on light and on dark
// pages alike.
const (
	fore   = "#e0e2ea"
	back   = "#14161b"
	border = "#6e7681"
	accent = "#8cf8f7"
)

// palette are the first 16 of the 256 colours.
var palette = [16]string{
	"#07080d", "#ff9d94", "#90e8a3", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#c4c6cd",
	"#5c6068", "#ffc0b9", "#b3f6c0", "#fff2cc", "#c7e8ff", "#ffe0ff", "#b8fffe", "#ffffff",
}

// colour returns a colour for SVG.
func colour(c, own string) string {
	if c == "" || c[0] == '#' {
		if c == "" {
			return own
		}
		return c
	}
	n, err := strconv.Atoi(c)
	switch {
	case err != nil || n < 0 || n > 255:
		return own
	case n < 16:
		return palette[n]
	case n < 232: // a cube with six steps each of red, green and blue
		step := func(i int) int {
			if i == 0 {
				return 0
			}
			return 55 + 40*i
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

func (s Style) colours() (text, ground string) {
	text, ground = colour(s.Fore, fore), colour(s.Back, back)
	if s.Swap {
		text, ground = ground, text
	}
	return text, ground
}

// SVG returns the picture. It plays the frames in a loop; for users who prefer no motion it
// shows only the last one.
func (f Film) SVG() []byte {
	columns, rows := 0, 0
	for _, frame := range f.Frames {
		columns, rows = max(columns, frame.Screen.Columns), max(rows, len(frame.Screen.Rows))
	}
	width, height := columns*cellWidth+2*margin, rows*cellHeight+2*margin+bar
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(f.Title), html.EscapeString(f.Maker))
	f.style(&b)
	rowsOf, definitions := f.rows()
	b.WriteString("<defs>\n" + definitions + "</defs>\n")
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, back, border)
	for i, frame := range f.Frames {
		fmt.Fprintf(&b, `<g class="f f%d">`+"\n", i)
		fmt.Fprintf(&b, `<text class="c" x="%d" y="22">%s</text>`+"\n", margin, html.EscapeString(frame.Caption))
		for row, id := range rowsOf[i] {
			if id != "" {
				fmt.Fprintf(&b, `<use href="#%s" y="%d"/>`+"\n", id, bar+margin+row*cellHeight)
			}
		}
		if at := frame.Screen.Cursor; at != nil {
			fmt.Fprintf(&b, `<rect class="k" x="%d" y="%d" width="%d" height="%d"/>`+"\n", margin+at.Column*cellWidth, bar+margin+at.Row*cellHeight, cellWidth, cellHeight)
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// style writes the style sheet: the font, and when each frame is visible.
func (f Film) style(b *strings.Builder) {
	fmt.Fprintf(b, "<style>\ntext{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:%s}\n", fontSize, fore)
	fmt.Fprintf(b, ".c{font-weight:bold;fill:%s}\n.b{font-weight:bold}.i{font-style:italic}.u{text-decoration:underline}.s{text-decoration:line-through}.d{opacity:.6}\n", accent)
	fmt.Fprintf(b, ".k{fill:%s;opacity:.5}\n", fore)
	whole := 0.0
	for _, frame := range f.Frames {
		whole += frame.Seconds
	}
	if len(f.Frames) > 1 {
		fmt.Fprintf(b, ".f{opacity:0;animation:%gs step-end infinite}\n", whole)
		from := 0.0
		for i, frame := range f.Frames {
			to := from + frame.Seconds
			fmt.Fprintf(b, ".f%d{animation-name:f%[1]d}@keyframes f%[1]d{0%%{opacity:%[2]d}%.2[3]f%%{opacity:1}%.2[4]f%%,100%%{opacity:%[5]d}}\n",
				i, bit(i == 0), 100*from/whole, 100*to/whole, bit(i == len(f.Frames)-1))
			from = to
		}
		fmt.Fprintf(b, "@media(prefers-reduced-motion:reduce){.f{animation:none}.f%d{opacity:1}}\n", len(f.Frames)-1)
	}
	b.WriteString("</style>\n")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rows draws each different row once. It returns the names of the rows of each frame, ""
// for an empty one, and their definitions.
func (f Film) rows() (names [][]string, definitions string) {
	var b strings.Builder
	known := map[string]string{}
	for _, frame := range f.Frames {
		var of []string
		for _, row := range frame.Screen.Rows {
			drawn := draw(row)
			if drawn == "" {
				of = append(of, "")
				continue
			}
			id, ok := known[drawn]
			if !ok {
				id = "r" + strconv.Itoa(len(known))
				known[drawn] = id
				fmt.Fprintf(&b, `<g id="%s">%s</g>`+"\n", id, drawn)
			}
			of = append(of, id)
		}
		names = append(names, of)
	}
	return names, b.String()
}

// draw draws one row at the height 0: first the backgrounds, then the text, one piece for
// each run of cells with the same look. textLength keeps the pieces in their columns in any
// font.
func draw(row []Cell) string {
	var grounds, texts strings.Builder
	for from := 0; from < len(row); {
		_, ground := row[from].Style.colours()
		to := from + 1
		for to < len(row) {
			if _, other := row[to].Style.colours(); other != ground {
				break
			}
			to++
		}
		if ground != back {
			fmt.Fprintf(&grounds, `<rect x="%d" width="%d" height="%d" fill="%s"/>`, margin+from*cellWidth, (to-from)*cellWidth, cellHeight, ground)
		}
		from = to
	}
	for from := 0; from < len(row); {
		to := from + 1
		for to < len(row) && row[to].Style == row[from].Style && row[to].Text != "" && narrow(row[to]) && narrow(row[from]) {
			to++
		}
		for to < len(row) && row[to].Text == "" {
			to++
		}
		texts.WriteString(piece(row[from:to], from))
		from = to
	}
	return grounds.String() + texts.String()
}

// narrow reports whether a cell's character certainly has the normal width. Only such cells
// form runs.
func narrow(c Cell) bool {
	r, _ := utf8.DecodeRuneInString(c.Text)
	return r < 0x80
}

// piece draws cells with the same look.
func piece(cells []Cell, column int) string {
	for len(cells) > 0 && cells[0].Text == " " {
		cells, column = cells[1:], column+1
	}
	for len(cells) > 0 && cells[len(cells)-1].Text == " " {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return ""
	}
	var text strings.Builder
	for _, c := range cells {
		text.WriteString(c.Text)
	}
	style := cells[0].Style
	var classes []string
	for _, c := range []struct {
		is   bool
		name string
	}{{style.Bold, "b"}, {style.Italic, "i"}, {style.Underline, "u"}, {style.Struck, "s"}, {style.Faint, "d"}} {
		if c.is {
			classes = append(classes, c.name)
		}
	}
	look := ""
	if classes != nil {
		look = fmt.Sprintf(` class="%s"`, strings.Join(classes, " "))
	}
	if c, _ := style.colours(); c != fore {
		look += fmt.Sprintf(` style="fill:%s"`, c)
	}
	return fmt.Sprintf(`<text x="%d" y="%g" textLength="%d"%s>%s</text>`,
		margin+column*cellWidth, baseline, len(cells)*cellWidth, look, html.EscapeString(text.String()))
}
