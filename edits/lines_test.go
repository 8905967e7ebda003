package edits

import (
	"strconv"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var encodings = []Encoding{UTF16, UTF8, UTF32}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func TestEncodingNames(t *testing.T) {
	for _, e := range encodings {
		if got, ok := ParseEncoding(e.String()); got != e || !ok {
			t.Errorf("ParseEncoding(%q) = %v, %v", e, got, ok)
		}
	}
	if _, ok := ParseEncoding("latin-1"); ok {
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
		l := NewLines(c.text)
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
	l := NewLines(text)
	for _, c := range []struct {
		at   Position
		enc  Encoding
		want int // -1 for an error
	}{
		{Position{0, 1}, UTF16, 1},
		{Position{0, 2}, UTF16, 1}, // between surrogates: start of the character
		{Position{0, 3}, UTF16, 5},
		{Position{0, 2}, UTF32, 5},
		{Position{0, 3}, UTF8, 1}, // inside its bytes
		{Position{0, 5}, UTF8, 5},
		{Position{0, 99}, UTF16, 6}, // beyond the line: before its line end
		{Position{1, 1}, UTF16, 11},
		{Position{2, 0}, UTF16, 12},
		{Position{3, 0}, UTF16, 12}, // the line after the last
		{Position{3, 1}, UTF16, -1},
		{Position{4, 0}, UTF16, -1},
		{Position{-1, 0}, UTF16, -1},
		{Position{0, -1}, UTF16, -1},
	} {
		got, err := l.Offset(c.at, c.enc)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("Offset(%v, %v) = %d, %v, want %d", c.at, c.enc, got, err, c.want)
		}
	}
	if _, err := l.Span(Range{Position{1, 0}, Position{0, 0}}, UTF16); err == nil {
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

// naivePositions gives every character of a text its position.
func naivePositions(text string, enc Encoding) map[Position]int {
	starts := naiveStarts(text)
	out := map[Position]int{}
	for line, at := range starts {
		end := len(text)
		if line+1 < len(starts) {
			end = starts[line+1]
		}
		char := 0
		for at < end && text[at] != '\r' && text[at] != '\n' {
			out[Position{line, char}] = at
			r, width := utf8.DecodeRuneInString(text[at:])
			switch enc {
			case UTF8:
				char += width
			case UTF16:
				char += len(utf16.Encode([]rune{r}))
			case UTF32:
				char++
			}
			at += width
		}
		out[Position{line, char}] = at
	}
	return out
}

func TestLinesAgreeWithCounting(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := text(30).Draw(t, "text")
		l := NewLines(s)
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
			p := Position{rapid.IntRange(0, l.Count()-1).Draw(t, "line"), rapid.IntRange(0, 40).Draw(t, "character")}
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
	check(t, func(t *rapid.T) {
		l := NewLines(text(20).Draw(t, "text"))
		for range rapid.IntRange(1, 5).Draw(t, "edits") {
			before := l.Text()
			e := edit(before).Draw(t, "edit")
			l = l.Replace(e)
			want := NewLines(apply(t, before, e))
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
	check(t, func(t *rapid.T) {
		before := text(20).Draw(t, "text")
		es := editList(before).Draw(t, "edits")
		l, err := NewLines(before).ReplaceAll(es)
		if err != nil {
			t.Fatal(err)
		}
		if want := apply(t, before, es...); l.Text() != want {
			t.Fatalf("%q with %v is %q, want %q", before, es, l.Text(), want)
		}
		if d := cmp.Diff(naiveStarts(l.Text()), l.Starts()); d != "" {
			t.Fatalf("lines of %q with %v: %s", before, es, d)
		}
	})
	for _, es := range [][]Edit{{{Span{0, 4}, ""}}, {{Span{2, 1}, ""}}, {{Span{1, 2}, ""}, {Span{0, 1}, ""}}} {
		if _, err := NewLines("abc").ReplaceAll(es); err == nil {
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
		l := NewLines(s).Replace(Edit{Span{start, end}, put})
		if d := cmp.Diff(naiveStarts(l.Text()), l.Starts()); d != "" {
			t.Fatal(d)
		}
		for _, enc := range encodings {
			p := Position{line, character}
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
	l := NewLines(megabyte())
	at := l.Line(l.Count() / 2).Start
	b.ReportAllocs()
	for b.Loop() {
		l.Replace(Edit{Span{at, at}, "x"})
	}
}

func BenchmarkNewLines(b *testing.B) {
	s := megabyte()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		NewLines(s)
	}
}

func TestLineOfAgreesWithLines(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := text(20).Draw(t, "text")
		offset := rapid.IntRange(0, len(s)).Draw(t, "offset")
		if got, want := LineOf(s, offset), NewLines(s).LineOf(offset); got != want {
			t.Fatalf("LineOf(%q, %d) is %d, want %d", s, offset, got, want)
		}
	})
}
