package main

import (
	"fmt"
	"html"
	"strings"

	"redline/fidelity/internal/cases"
)

// The parts of a bar, from the left.
var parts = []struct {
	name, colour string
	has          func(outcome) bool
}{
	{"right, or refused as it must be", "#2e7d4f", outcome.good},
	{"right but for spaces or look-alikes", "#9ccc8f", func(o outcome) bool { return o == near }},
	{"refused, though it is clear", "#c9c9c9", func(o outcome) bool { return o == lost }},
	{"wrong, silent or half", "#c62828", outcome.harmful},
}

// Sizes of the plot, in pixels.
const (
	left, width, numbers = 190, 440, 120
	bar, apart           = 16, 5
)

// plot returns a picture: for each form, a bar for each tool.
func plot(all []kept) string {
	var b strings.Builder
	y := 62
	for _, form := range cases.Forms {
		fmt.Fprintf(&b, "<text x=\"8\" y=\"%d\" font-weight=\"bold\">%s</text>\n", y+12, form)
		y += bar + apart
		for _, k := range all {
			n := k.counted(func(c key) bool { return c.form == form })
			if n.all() > 0 {
				drawBar(&b, y, k.name, n)
				y += bar + apart
			}
		}
		y += apart
	}
	var legend strings.Builder
	for i, p := range parts {
		x, row := 8+(i%2)*300, 12+(i/2)*20
		fmt.Fprintf(&legend, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x, row, p.colour, x+18, row+11, p.name)
	}
	total := left + width + numbers
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"+
		"<title>How the calls of each form end, for each tool</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", total, y, total, y) +
		legend.String() + b.String() + "</svg>\n"
}

// drawBar draws the bar of a tool, whose whole width is all calls of the form.
func drawBar(b *strings.Builder, y int, name string, n count) {
	fmt.Fprintf(b, "<text x=\"20\" y=\"%d\">%s</text>\n", y+12, html.EscapeString(name))
	x := float64(left)
	for _, p := range parts {
		w := float64(width) * float64(n.of(p.has)) / float64(n.all())
		if w > 0 {
			fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y, w, bar, p.colour)
		}
		x += w
	}
	text := fmt.Sprintf("%.1f %%", 100*float64(n.of(outcome.good))/float64(n.all()))
	if bad := n.of(outcome.harmful); bad > 0 {
		text += fmt.Sprintf(" · %d ✗", bad)
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">%s</text>\n", left+width+8, y+12, text)
}
