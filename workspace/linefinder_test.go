package workspace

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
)

// matches returns the lines that a needle finds, as "number at line".
func matches(ctx context.Context, n lineFinder, data string) (found []string) {
	n.each(ctx, []byte(data), func(number int, line edits.Span, at int) bool {
		found = append(found, fmt.Sprintf("%d %d %q", number, at, data[line.Start:line.End]))
		return true
	})
	return found
}

// plainly returns the same line by line, with only the regular expression.
func plainly(re *regexp.Regexp, data string) (found []string) {
	number := 0
	for line := range strings.Lines(data) {
		number++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if at := re.FindStringIndex(line); at != nil {
			found = append(found, fmt.Sprintf("%d %d %q", number, at[0], line))
		}
	}
	return found
}

func TestRequired(t *testing.T) {
	for expr, want := range map[string]string{
		"needle":              "needle",
		"a(needle)+b":         "needle",
		`^func \w+\(t \*T`:    "func ",
		"foo|bar":             "foo bar",
		"foo|b.r|":            "",
		"foo.*longer|x":       "longer x",
		"a*":                  "",
		"(?i)Needle":          "~needle",
		"(?i)task":            "~ta", // s and k fold to letters beyond ASCII
		"(?i)k":               "",
		"(?i)größe":           "~gr",
		"(?i)日本":              "~日本",
		`x{2,}y`:              "x",
		`a{0,3}`:              "",
		`\x{fffd}ab`:          "ab",
		`[a-z]+\s=`:           "=",
		`[A-Z][a-z]{3,}`:      "set",
		`[0-9]+|x`:            "set x",
		`[^a]|[à-ü]`:          "",
		"a|b|c|d|e|f|g|h|ii|": "",
	} {
		n, err := newLineFinder(Query{Pattern: expr, Regexp: true})
		must(t, err)
		var got []string
		for _, l := range n.literals {
			if l.set != nil {
				l.text = "set"
			}
			if l.fold {
				l.text = "~" + l.text
			}
			got = append(got, l.text)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: %q, want %q", expr, g, want)
		}
	}
}

// Looking for texts first changes only the time.
func TestNeedlesFindWhatTheExpressionsDo(t *testing.T) {
	letters := []string{"a", "b", "k", "K", "\u212a", "s", "ſ", "ß", "日", " ", "\n", "\r\n", "\r", "\xff", "\ufffd", "ab", "nee", "NEE", ".", "x"}
	parts := []string{"a", "b", "k", "s", "ß", "日", "ab", "nee", ".", "x", "a|b", "(a|bb)", "a*", "(nee)+", "[ab]", "^", "$", `\b`, "(?i:nee)", `\ufffd`, "b?", "[A-Z]", "[N日]", "[0-9x]+", "a{2}", `\s`, "[^a]"}
	rapid.Check(t, func(rt *rapid.T) {
		data := strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 60).Draw(rt, "data"), "")
		q := Query{Pattern: strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 5).Draw(rt, "pattern"), "")}
		q.Regexp, q.IgnoreCase = rapid.Bool().Draw(rt, "regexp"), rapid.Bool().Draw(rt, "fold")
		n, err := newLineFinder(q)
		if err != nil {
			return
		}
		expr := q.Pattern
		if !q.Regexp {
			expr = regexp.QuoteMeta(expr)
		}
		if q.IgnoreCase {
			expr = "(?i:" + expr + ")"
		}
		if diff := cmp.Diff(plainly(regexp.MustCompile(expr), data), matches(t.Context(), n, data)); diff != "" {
			rt.Fatalf("%q in %q (-want +got):\n%s", expr, data, diff)
		}
	})
}

func TestLongLinesAreSearchedWithExpressions(t *testing.T) {
	line := strings.Repeat("ä", checkEvery) + "needle\xff" + strings.Repeat("ö", 10)
	for _, expr := range []string{"needle", "n[e]+dle", "(?i)NEEDLE", `needle.ö+$`} {
		n, err := newLineFinder(Query{Pattern: expr, Regexp: true})
		must(t, err)
		got, want := matches(t.Context(), n, "x\n"+line+"\ny"), plainly(regexp.MustCompile(expr), "x\n"+line+"\ny")
		if len(want) != 1 || !slices.Equal(got, want) {
			t.Errorf("%s: %d lines, want %d", expr, len(got), len(want))
		}
	}
}

// cancelling is a context that ends after a number of calls of Err.
type cancelling struct {
	context.Context
	left int
}

func (c *cancelling) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A search ends soon after its context, also within a file and within a line.
func TestASearchEndsWithItsContext(t *testing.T) {
	short := []byte(strings.Repeat("a line\n", 1<<20/7))
	n, err := newLineFinder(Query{Pattern: "line"})
	must(t, err)
	ctx, seen := &cancelling{t.Context(), 2}, 0
	n.each(ctx, short, func(int, edits.Span, int) bool { seen += 7; return true })
	if seen > 4*checkEvery {
		t.Errorf("%d bytes were searched after the context had ended", seen)
	}
	n, err = newLineFinder(Query{Pattern: "(a|b)+$", Regexp: true})
	must(t, err)
	long := &runes{ctx: &cancelling{t.Context(), 1}, left: bytes.Repeat([]byte("a"), 1<<20)}
	if at := n.re.FindReaderIndex(long); len(long.left) < 1<<19 {
		t.Errorf("%v: %d bytes were left of the line", at, len(long.left))
	}
}
