package edits_test

import (
	"strconv"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

var encodings = []edits.Encoding{edits.UTF16, edits.UTF8, edits.UTF32}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func TestEncodingNames(t *testing.T) {
	for _, e := range encodings {
		if got, ok := edits.ParseEncoding(e.String()); got != e || !ok {
			t.Errorf("ParseEncoding(%q) = %v, %v", e, got, ok)
		}
	}
	if _, ok := edits.ParseEncoding("latin-1"); ok {
		t.Error("latin-1 was taken for an encoding")
	}
}

func TestLinesOfATable(t *testing.T) {
	for _, c := range []struct {
		text          string
		line, content []string
	}{
		{"", []string{""}, []string{""}},
		{"a", []string{"a"}, []string{"a"}},
		{"a\n", []string{"a\n", ""}, []string{"a", ""}},
		{"a\r\nb\rc\nd", []string{"a\r\n", "b\r", "c\n", "d"}, []string{"a", "b", "c", "d"}},
		{"\r\r\n\n\r", []string{"\r", "\r\n", "\n", "\r", ""}, []string{"", "", "", "", ""}},
	} {
		l := edits.NewLines(c.text)
		var line, content []string
		for i := range l.Count() {
			line = append(line, l.Line(i).Of(c.text))
			content = append(content, l.Content(i).Of(c.text))
		}
		if d := cmp.Diff(c.line, line); d != "" {
			t.Errorf("lines of %q: %s", c.text, d)
		}
		if d := cmp.Diff(c.content, content); d != "" {
			t.Errorf("contents of %q: %s", c.text, d)
		}
	}
}

func TestOffsetOfPosition(t *testing.T) {
	const text = "a𝄞b\r\n€\n"
	l := edits.NewLines(text)
	for _, c := range []struct {
		at   edits.Position
		enc  edits.Encoding
		want int // -1 for an error
	}{
		{edits.Position{Line: 0, Character: 1}, edits.UTF16, 1},
		{edits.Position{Line: 0, Character: 2}, edits.UTF16, 1}, // between surrogates: start of the character
		{edits.Position{Line: 0, Character: 3}, edits.UTF16, 5},
		{edits.Position{Line: 0, Character: 2}, edits.UTF32, 5},
		{edits.Position{Line: 0, Character: 3}, edits.UTF8, 1}, // inside its bytes
		{edits.Position{Line: 0, Character: 5}, edits.UTF8, 5},
		{edits.Position{Line: 0, Character: 99}, edits.UTF16, 6}, // beyond the line: before its line end
		{edits.Position{Line: 1, Character: 1}, edits.UTF16, 11},
		{edits.Position{Line: 2, Character: 0}, edits.UTF16, 12},
		{edits.Position{Line: 3, Character: 0}, edits.UTF16, 12}, // the line after the last
		{edits.Position{Line: 3, Character: 1}, edits.UTF16, -1},
		{edits.Position{Line: 4, Character: 0}, edits.UTF16, -1},
		{edits.Position{Line: -1, Character: 0}, edits.UTF16, -1},
		{edits.Position{Line: 0, Character: -1}, edits.UTF16, -1},
	} {
		got, err := l.Offset(c.at, c.enc)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("Offset(%v, %v) = %d, %v, want %d", c.at, c.enc, got, err, c.want)
		}
	}
	if _, err := l.Span(edits.Range{Start: edits.Position{Line: 1, Character: 0}, End: edits.Position{Line: 0, Character: 0}}, edits.UTF16); err == nil {
		t.Error("a range that ends before it starts was taken")
	}
}

// naiveStarts finds the lines one byte at a time.
func naiveStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i++
			starts = append(starts, i+1)
		case text[i] == '\r', text[i] == '\n':
			starts = append(starts, i+1)
		}
	}
	return starts
}

// naivePositions returns the position of every character of a text.
func naivePositions(text string, enc edits.Encoding) map[edits.Position]int {
	starts := naiveStarts(text)
	out := map[edits.Position]int{}
	for line, at := range starts {
		end := len(text)
		if line+1 < len(starts) {
			end = starts[line+1]
		}
		char := 0
		for at < end && text[at] != '\r' && text[at] != '\n' {
			out[edits.Position{Line: line, Character: char}] = at
			r, width := utf8.DecodeRuneInString(text[at:])
			switch enc {
			case edits.UTF8:
				char += width
			case edits.UTF16:
				char += len(utf16.Encode([]rune{r}))
			case edits.UTF32:
				char++
			}
			at += width
		}
		out[edits.Position{Line: line, Character: char}] = at
	}
	return out
}

func TestLinesAgreeWithCounting(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := edittest.Text(30).Draw(t, "text")
		l := edits.NewLines(s)
		if d := cmp.Diff(naiveStarts(s), l.Starts()); d != "" {
			t.Fatalf("lines of %q: %s", s, d)
		}
		for _, enc := range encodings {
			at := naivePositions(s, enc)
			for p, want := range at {
				if got, err := l.Offset(p, enc); got != want || err != nil {
					t.Fatalf("%q: Offset(%v, %v) = %d, %v, want %d", s, p, enc, got, err, want)
				}
				if got := l.Position(want, enc); got != p {
					t.Fatalf("%q: Position(%d, %v) = %v, want %v", s, want, enc, got, p)
				}
			}
			// Any position at all is the last character that is not after it.
			p := edits.Position{Line: rapid.IntRange(0, l.Count()-1).Draw(t, "line"), Character: rapid.IntRange(0, 40).Draw(t, "character")}
			want := p
			for ; ; want.Character-- {
				if _, ok := at[want]; ok {
					break
				}
			}
			if got, err := l.Offset(p, enc); got != at[want] || err != nil {
				t.Fatalf("%q: Offset(%v, %v) = %d, %v, want %d", s, p, enc, got, err, at[want])
			}
		}
		offset := rapid.IntRange(-2, len(s)+2).Draw(t, "offset")
		line := l.LineOf(offset)
		if clamped := min(max(offset, 0), len(s)); l.Line(line).Start > clamped || l.Start(line+1) <= clamped && line+1 < l.Count() {
			t.Fatalf("%q: LineOf(%d) = %d, which is %v", s, offset, line, l.Line(line))
		}
	})
}

func TestReplaceIsANewIndex(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		l := edits.NewLines(edittest.Text(20).Draw(t, "text"))
		for range rapid.IntRange(1, 5).Draw(t, "edits") {
			before := l.Text()
			e := edittest.Edit(before).Draw(t, "edit")
			l = l.Replace(e)
			want := edits.NewLines(edittest.Apply(t, before, e))
			if l.Text() != want.Text() {
				t.Fatalf("%q with %v is %q, want %q", before, e, l.Text(), want.Text())
			}
			if d := cmp.Diff(want.Starts(), l.Starts()); d != "" {
				t.Fatalf("lines of %q with %v: %s", before, e, d)
			}
		}
	})
}

func TestReplaceAllIsANewIndex(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		before := edittest.Text(20).Draw(t, "text")
		es := edittest.Edits(before).Draw(t, "edits")
		l, err := edits.NewLines(before).ReplaceAll(es)
		if err != nil {
			t.Fatal(err)
		}
		if want := edittest.Apply(t, before, es...); l.Text() != want {
			t.Fatalf("%q with %v is %q, want %q", before, es, l.Text(), want)
		}
		if d := cmp.Diff(naiveStarts(l.Text()), l.Starts()); d != "" {
			t.Fatalf("lines of %q with %v: %s", before, es, d)
		}
	})
	for _, es := range [][]edits.Edit{{{Span: edits.Span{Start: 0, End: 4}, New: ""}}, {{Span: edits.Span{Start: 2, End: 1}, New: ""}}, {{Span: edits.Span{Start: 1, End: 2}, New: ""}, {Span: edits.Span{Start: 0, End: 1}, New: ""}}} {
		if _, err := edits.NewLines("abc").ReplaceAll(es); err == nil {
			t.Errorf("%v was taken", es)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\nb", 1, 2, "\n", 1, 1)
	f.Add("\r", 1, 1, "\n", 0, 9)
	f.Add("a𝄞b\n\xff", 2, 3, "€\r", 1, 0)
	f.Fuzz(func(t *testing.T, s string, start, end int, put string, line, character int) {
		if start < 0 || end < start || end > len(s) {
			return
		}
		l := edits.NewLines(s).Replace(edits.Edit{Span: edits.Span{Start: start, End: end}, New: put})
		if d := cmp.Diff(naiveStarts(l.Text()), l.Starts()); d != "" {
			t.Fatal(d)
		}
		for _, enc := range encodings {
			p := edits.Position{Line: line, Character: character}
			offset, err := l.Offset(p, enc)
			if err != nil {
				continue
			}
			if back := l.Position(offset, enc); line < l.Count() && (back.Line != line || back.Character > character) {
				t.Fatalf("%v in %v is byte %d, which is %v", p, enc, offset, back)
			}
		}
	})
}

func BenchmarkReplaceKeystroke(b *testing.B) {
	l := edits.NewLines(edittest.Megabyte())
	at := l.Line(l.Count() / 2).Start
	b.ReportAllocs()
	for b.Loop() {
		l.Replace(edits.Edit{Span: edits.Span{Start: at, End: at}, New: "x"})
	}
}

func BenchmarkNewLines(b *testing.B) {
	s := edittest.Megabyte()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		edits.NewLines(s)
	}
}

func TestLineOfAgreesWithLines(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := edittest.Text(20).Draw(t, "text")
		offset := rapid.IntRange(0, len(s)).Draw(t, "offset")
		if got, want := edits.LineOf(s, offset), edits.NewLines(s).LineOf(offset); got != want {
			t.Fatalf("LineOf(%q, %d) is %d, want %d", s, offset, got, want)
		}
	})
}
