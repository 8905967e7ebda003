package intraline

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
	_ "redline/internal/seed"
)

// bracketed returns text with the spans in brackets.
func bracketed(text string, spans []edits.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "[" + s.Of(text) + "]")
		at = s.End
	}
	return b.String() + text[at:]
}

func TestIntralineTable(t *testing.T) {
	for _, test := range []struct{ name, old, new, gone, come string }{
		{"a word", "x := one(a)\n", "x := two(a)\n", "x := [one](a)\n", "x := [two](a)\n"},
		{"an argument more", "f(a, b)\n", "f(a, b, c)\n", "f(a, b)\n", "f(a, b[, c])\n"},
		{"two words beside each other", "if err != nil && done {\n", "if e == nil && done {\n", "if [err !]= nil && done {\n", "if [e =]= nil && done {\n"},
		{"a word, not its letters", "return count\n", "return counter\n", "return [count]\n", "return [counter]\n"},
		{"line by line", "a = 1\nb = 2\n", "a = 3\nb = 4\n", "a = [1]\nb = [2]\n", "a = [3]\nb = [4]\n"},
		{"one line more", "foo(a, b)\n", "// why\nfoo(a, c)\n", "foo(a, [b])\n", "// why\nfoo(a, [c])\n"},
		{"nothing in common", "alpha beta\n", "func main() {}\n", "alpha beta\n", "func main() {}\n"},
		{"only removed", "a\n", "", "a\n", ""},
		{"indentation", "\treturn x\n", "\t\treturn x\n", "[\t]return x\n", "[\t\t]return x\n"},
		{"only the line end", "a b\r\n", "a b\n", "a b\r\n", "a b\n"},
		{"a combining accent", "le cafe\u0301 noir\n", "le cafe noir\n", "le [cafe\u0301] noir\n", "le [cafe] noir\n"},
		{"an accent on no letter", "a + \u0301b c d\n", "a + b c d\n", "a +[ \u0301]b c d\n", "a +[ ]b c d\n"},
		{"a family", "say 👩‍👧 to all\n", "say 👩‍👦 to all\n", "say [👩‍👧] to all\n", "say [👩‍👦] to all\n"},
		{"a skin tone", "ok 👍🏽 then\n", "ok 👍 then\n", "ok [👍🏽] then\n", "ok [👍] then\n"},
		{"a flag", "in 🇫🇷 now\n", "in 🇫🇮 now\n", "in [🇫🇷] now\n", "in [🇫🇮] now\n"},
		{"no blanks", "今日は良い天気\n", "今日は悪い天気\n", "今日は[良]い天気\n", "今日は[悪]い天気\n"},
		{"no final line end", "a = 1", "a = 2", "a = [1]", "a = [2]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			gone, come := Of(test.old, test.new)
			if g, c := bracketed(test.old, gone), bracketed(test.new, come); g != test.gone || c != test.come {
				t.Errorf("got\n%q\n%q\nwant\n%q\n%q", g, c, test.gone, test.come)
			}
		})
	}
}

// No character is divided.
func TestIntralineDividesNoCharacter(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", " ", "\t", "(", "é", "e\u0301", "👩‍💻", "🇫🇷", "良", "\xff", "=", "_"}), 0, 12)
		lines := rapid.SliceOfN(rapid.Map(line, func(parts []string) string { return strings.Join(parts, "") + "\n" }), 1, 4)
		x := lines.Draw(t, "old")
		y := rapid.SliceOfN(rapid.Map(line, func(parts []string) string { return strings.Join(parts, "") + "\n" }), len(x), len(x)).Draw(t, "new")
		old, new := strings.Join(x, ""), strings.Join(y, "")
		gone, come := Of(old, new)
		for text, spans := range map[string][]edits.Span{old: gone, new: come} {
			last := 0
			for _, s := range spans {
				inside := s.Of(text)
				if s.Start < last || s.Len() == 0 || strings.Contains(inside, "\n") || linetext.Divides(text, s.Start) || linetext.Divides(text, s.End) {
					t.Fatalf("%v of %q", spans, text)
				}
				if r, _ := utf8.DecodeRuneInString(text[s.End:]); kindOf(r) == extends || strings.HasSuffix(inside, string(zeroWidthJoiner)) {
					t.Fatalf("%v of %q divides a character", spans, text)
				}
				last = s.End
			}
		}
	})
}
