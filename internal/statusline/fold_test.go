package statusline

import (
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"short", "one two\n", "one two\n"},
		{"between words", "one two three four five six\n", "one two three four\nfive six\n"},
		{"exactly", "aaaaaaaaa bbbbbbbbbb\ncc\n", "aaaaaaaaa bbbbbbbbbb\ncc\n"},
		{"a word that is too long", "see https://example.org/abcdefgh now\n", "see\nhttps://example.org/abcdefgh\nnow\n"},
		{"an item", "- one two three four five six\n", "- one two three four\n  five six\n"},
		{"a number", "12. one two three four five\n", "12. one two three\n    four five\n"},
		{"a table", "ok  a   one two three four\n", "ok  a   one two\n        three four\n"},
		{"code", "```\none two three four five six\n```\none two three four five six\n", "```\none two three four five six\n```\none two three four\nfive six\n"},
		{"three spaces", "   one two three four five six\n", "   one two three\n   four five six\n"},
		{"wide", "日本 日本 日本 日本 日本\n", "日本 日本 日本 日本\n日本\n"},
		{"colours", "\x1b[1mone two three\x1b[0m four five\n", "\x1b[1mone two three\x1b[0m four\nfive\n"},
		{"a prompt", "one two three four five? ", "one two three four\nfive? "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var whole, pieces strings.Builder
			NewFolder(&whole, func() int { return 20 }).Write([]byte(c.text))
			f := NewStreamFolder(&pieces, func() int { return 20 })
			for _, r := range c.text {
				f.Write([]byte(string(r)))
			}
			f.Flush()
			if whole.String() != c.want {
				t.Errorf("got\n%q, want\n%q", whole.String(), c.want)
			}
			if pieces.String() != c.want {
				t.Errorf("in pieces\n%q, want\n%q", pieces.String(), c.want)
			}
		})
	}
}

// Four spaces begin code in Markdown only.
func TestFoldIndented(t *testing.T) {
	const text = "    one two three four\n"
	for want, folder := range map[string]func(io.Writer, func() int) *Folder{"    one two three\n    four\n": NewFolder, text: NewStreamFolder} {
		var out strings.Builder
		folder(&out, func() int { return 20 }).Write([]byte(text))
		if out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	}
}

// Folding changes only the space between words, and nothing where no width is known.
func TestFoldProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("([a-z]{0,9}[ \n]|```|- |\t| {2}|日){0,40}").Draw(t, "text")
		columns := rapid.IntRange(0, 30).Draw(t, "columns")
		var out strings.Builder
		f := NewStreamFolder(&out, func() int { return columns })
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			for n < len(rest) && rest[n]&0xC0 == 0x80 {
				n++
			}
			f.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		f.Flush()
		if got, want := strings.Fields(out.String()), strings.Fields(text); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q became %q", text, out.String())
		}
		if columns == 0 && strings.Count(out.String(), "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q became %q without a width", text, out.String())
		}
	})
}
