package film

import (
	"strings"
	"testing"
)

const screen = "plain \x1b[1;38;2;255;0;16mred\x1b[0m \x1b[48;5;236mgrey \x1b[49mend\x1b[39m\n" +
	"\n" +
	"a😀b\x1b[7m swapped \x1b[27m\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(Be\u0301<&>\n"

func TestParse(t *testing.T) {
	s := Parse(screen, 40)
	if got, want := s.Text(), "plain red grey end\n\na😀b swapped link e\u0301<&>\n"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	for _, c := range []struct {
		row, column int
		text        string
		want        Style
	}{
		{0, 0, "p", Style{}},
		{0, 6, "r", Style{Fore: "#ff0010", Bold: true}},
		{0, 9, " ", Style{}},
		{0, 10, "g", Style{Back: "236"}},
		{0, 15, "e", Style{}},
		{2, 1, "😀", Style{}},
		{2, 2, "", Style{}},
		{2, 3, "b", Style{}},
		{2, 5, "s", Style{Swap: true}},
	} {
		if got := s.Rows[c.row][c.column]; got.Text != c.text || got.Style != c.want {
			t.Errorf("cell %d of row %d is %+v, want %q %+v", c.column, c.row, got, c.text, c.want)
		}
	}
}

func TestStyles(t *testing.T) {
	for sequence, want := range map[string]Style{
		"1;2;3;4;7;9":         {Bold: true, Faint: true, Italic: true, Underline: true, Swap: true, Struck: true},
		"1;3;9;22;23;29":      {},
		"31;102":              {Fore: "1", Back: "10"},
		"38;5;200;48:2:1:2:3": {Fore: "200", Back: "#010203"},
		"4:3":                 {Underline: true},
		"4:0":                 {},
		"58;5;9;1":            {Bold: true},
		"38;5":                {},
	} {
		if got := Parse("\x1b["+sequence+"mx", 9).Rows[0][0].Style; got != want {
			t.Errorf("%s is %+v, want %+v", sequence, got, want)
		}
	}
}

// An incomplete sequence at the end is left out.
func FuzzParse(f *testing.F) {
	for end := range len(screen) {
		f.Add(screen[:end])
	}
	f.Fuzz(func(t *testing.T, text string) {
		for n, row := range Parse(text, 9).Rows {
			for _, c := range row {
				if strings.Contains(c.Text, "\x1b") {
					t.Errorf("row %d has %q", n, c.Text)
				}
			}
		}
	})
}

// A picture has the text of the screens; each row is drawn once.
func TestReadIsWhatWasDrawn(t *testing.T) {
	one := Parse(screen, 40)
	one.Cursor = &Cursor{1, 2}
	two := Parse("another\n\n\na😀b\n  in <b>\n", 40)
	svg := Film{Title: "a & b", Maker: "it 1.0", Frames: []Frame{{"First <it>", 2, one}, {"Then", 3, two}, {"Again", 1, one}}}.SVG()
	maker, frames, err := Read(svg)
	if err != nil {
		t.Fatal(err)
	}
	if maker != "it 1.0" || len(frames) != 3 {
		t.Fatalf("%q has %d frames", maker, len(frames))
	}
	for i, want := range []Shown{{"First <it>", one.Text()}, {"Then", two.Text()}, {"Again", one.Text()}} {
		if frames[i] != want {
			t.Errorf("frame %d is %q, want %q", i, frames[i], want)
		}
	}
	if n := strings.Count(string(svg), ">plain<"); n != 1 {
		t.Errorf("a row is drawn %d times", n)
	}
	if _, _, err := Read([]byte("<svg><g>")); err == nil {
		t.Error("half a picture was read")
	}
}

func TestColours(t *testing.T) {
	for c, want := range map[string]string{"": "own", "#123456": "#123456", "15": "#ffffff", "16": "#000000", "196": "#ff0000", "231": "#ffffff", "232": "#080808", "255": "#eeeeee", "256": "own", "x": "own"} {
		if got := colour(c, "own"); got != want {
			t.Errorf("%q is %s, want %s", c, got, want)
		}
	}
}
