package adapt_test

import (
	"strings"
	"testing"

	"redline/edits/internal/edittest"
	"redline/edits/match"
)

// Text beside a look-alike that stays reads as the edit's author meant it, who saw another
// character there.
func TestLookAlikesAreNotMixed(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, want string }{
		{"a dash becomes two", "break—here\n", "break-here", "break--here", "break--here\n"},
		{"a dash becomes two, over an en dash", "break–here\n", "break-here", "break--here", "break--here\n"},
		{"two dashes become three", "a––b\n", "a--b", "a---b", "a---b\n"},
		{"three dashes become two", "a———b\n", "a---b", "a--b", "a——b\n"},
		{"a dash becomes an arrow", "a—b\n", "a-b", "a->b", "a->b\n"},
		{"a dash becomes an arrow to the left", "a — b\n", "a - b", "a <- b", "a <- b\n"},
		{"a dash becomes an assignment", "a — 1\n", "a - 1", "a -= 1", "a -= 1\n"},
		{"a space between dashes goes", "a — — b\n", "a - - b", "a -- b", "a -- b\n"},
		{"a space between a dash and > goes", "a — > b\n", "a - > b", "a -> b", "a -> b\n"},
		{"words beside a dash", "a—b\n", "a-b", "x-y", "x—y\n"},
		{"blanks beside a dash", "a—b\n", "a-b", "a - b", "a — b\n"},
		{"a dash stays where another comes", "a—b\n", "a-b", "a-b-c", "a—b-c\n"},
		{"a dash comes before one", "a—b c—d\n", "a-b c-d", "x-a-b c-d", "x-a—b c—d\n"},

		{"quotes are doubled", "say “hi”\n", `say "hi"`, `say ""hi""`, "say \"\"hi\"\"\n"},
		{"quotes become three", "“doc”\n", `"doc"`, `"""doc"""`, "\"\"\"doc\"\"\"\n"},
		{"an apostrophe is doubled", "it’s\n", "it's", "it''s", "it''s\n"},
		{"quotes are escaped", "say “hi” now\n", `say "hi" now`, `say \"hi\" now`, "say \\\"hi\\\" now\n"},
		{"another quotation after", "“a”\n", `"a"`, `"a" "b"`, "“a” \"b\"\n"},
		{"another quotation before", "“a”\n", `"a"`, `"x" "a"`, "\"x\" “a”\n"},
		{"another quotation on both sides", "“a”\n", `"a"`, `"x" "a" "y"`, "\"x\" “a” \"y\"\n"},
		{"two become one", "“a” “b”\n", `"a" "b"`, `"a b"`, "“a b”\n"},
		{"one becomes two", "“a b”\n", `"a b"`, `"a" "b"`, "\"a\" \"b\"\n"},
		{"the second goes", "“a” “b”\n", `"a" "b"`, `"a"`, "“a”\n"},
		{"other quotes", "“a”\n", `"a"`, `'a'`, "'a'\n"},
		{"quotes in quotes", "“a”\n", `"a"`, `"'a'"`, "“'a'”\n"},
		{"an attribute", "class “a”\n", `class "a"`, `class="a"`, "class=\"a\"\n"},
		{"an opening quote goes", "“a” b\n", `"a" b`, `a" b`, "a\" b\n"},
		{"a word inside quotes", "“a” — “b”\n", `"a" - "b"`, `"x" - "b"`, "“x” — “b”\n"},
		{"an apostrophe and quotes", "it’s ‘so’\n", "it's 'so'", "it's 'so' and 'so'", "it’s ‘so’ and 'so'\n"},
		{"an apostrophe stays", "it’s “a”\n", `it's "a"`, `it's "a" and isn't`, "it’s “a” and isn't\n"},
		{"a quotation over two lines", "“a\nb” c\n", "\"a\nb\" c\n", "\"a\nb\" d\n", "“a\nb” d\n"},
		{"a quotation over two lines, one before", "say “a\nb”\n", "say \"a\nb\"\n", "say \"x\" \"a\nb\"\n", "say \"x\" “a\nb”\n"},
		{"the line is divided in a quotation", "say “a b”\n", "say \"a b\"\n", "say \"a\nb\"\n", "say \"a\nb\"\n"},
		{"full width", "＂a＂\n", `"a"`, `"a" "b"`, "＂a＂ \"b\"\n"},
		{"primes", "5′ 10″\n", `5' 10"`, `5' 11"`, "5′ 11″\n"},

		{"a space becomes two", "a\u00a0b\n", "a b", "a  b", "a  b\n"},
		{"two spaces become one", "a \u00a0b\n", "a  b", "a b", "a b\n"},
		{"words beside a space", "a\u00a0b\n", "a b", "x b", "x\u00a0b\n"},
		{"spaces elsewhere", "a\u00a0b c\n", "a b c", "a b  c", "a\u00a0b  c\n"},

		{"old has the look-alikes", "f(\"a\")\n", "f(“a”)", "f(“a”, “b”)", "f(\"a\", \"b\")\n"},
		{"old has dashes, the text has not", "a - b\n", "a — b", "a —— b", "a -- b\n"},
	} {
		es, m, err := match.Replace(c.text, c.old, c.new, match.Where{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != match.StepLookAlikes {
			t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
		}
	}
}

// If the other quotation mark is on another line, it is ambiguous which two belong together.
func TestUnclearLookAlikesAreRefused(t *testing.T) {
	for _, c := range []struct{ name, text, old, new string }{
		{"closed on its line now", "say “a\nb” c\n", "say \"a\n", "say \"a\"\n"},
		{"opened on its line now", "say “a\nb” c\n", "b\" c\n", "\"b\" c\n"},
		{"a German quotation", "„a“ b\n", "a\" b", `a" "b"`},
	} {
		es, _, err := match.Replace(c.text, c.old, c.new, match.Where{})
		if err == nil {
			t.Errorf("%s: got %q", c.name, edittest.Apply(t, c.text, es...))
			continue
		}
		r := refusal(t, err)
		if r.Reason != match.ReasonLooks || es != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range []string{"U+201", "Nothing was changed", "Send both texts with the characters that the file has"} {
			if !strings.Contains(r.Error(), want) {
				t.Errorf("%s: %q does not say %q", c.name, r.Error(), want)
			}
		}
	}
}
