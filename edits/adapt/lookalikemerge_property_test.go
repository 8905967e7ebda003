package adapt_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/edits/adapt"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
	"redline/edits/match"
)

// signsOf are the parts of a line with look-alikes: as they are in the file, and as an author sees
// them.
var signsOf = map[string]string{
	"“a”": `"a"`, "“b c”": `"b c"`, "it’s": "it's", "‘d’": "'d'", "—": "-", "–": "-", "\u00a0": " ", "\u3000": " ",
	`"e"`: `"e"`, "-": "-", " ": " ", "f": "f", "gh": "gh", ">": ">", "=": "=", "\\": "\\", "(": "(", "`": "`", "'": "'", "“": `"`, "”": `"`,
}

// authored returns a line of a file and the line that its author sees.
func authored(t *rapid.T) (file, seen string) {
	names := make([]string, 0, len(signsOf))
	for name := range signsOf {
		names = append(names, name)
	}
	slices.Sort(names)
	var a, b strings.Builder
	for range rapid.IntRange(1, 7).Draw(t, "signs") {
		sign := rapid.SampledFrom(names).Draw(t, "sign")
		a.WriteString(sign)
		b.WriteString(signsOf[sign])
	}
	return a.String(), b.String()
}

// lookAlikeAt reports whether there is a look-alike outside ASCII at the offset of a text, and its
// width.
func lookAlikeAt(text string, at int) (width int, ok bool) {
	_, size, width := linetext.PlainRune(text[at:])
	return size, width < size
}

// badPairs returns a look-alike of put and its neighbour that are not adjacent in the file and
// together make another sign, as the author wrote it; "" if there are none. It implements the rule
// of mixture by checking each pair.
func badPairs(put, file string) string {
	runes := []rune(put)
	for i := range runes {
		if _, ok := lookAlikeAt(string(runes[i]), 0); !ok {
			continue
		}
		l := adapt.Look(string(runes[i]))
		for _, n := range []int{i - 1, i + 1} {
			if n < 0 || n >= len(runes) {
				continue
			}
			other := string(runes[n])
			if adapt.Look(other) != l && !strings.Contains(adapt.Joins[l], other) {
				continue
			}
			pair := string(runes[min(i, n) : max(i, n)+1])
			if !strings.Contains(file, pair) {
				return pair
			}
		}
	}
	return ""
}

// badQuotes returns a curly quotation mark of put whose counterpart on the line is straight; "" if
// there is none. The file has no such mark.
func badQuotes(put string) string {
	var marks []rune
	for _, r := range put {
		if r == '"' || r == '“' || r == '”' {
			marks = append(marks, r)
		}
	}
	for i, r := range marks {
		if r == '“' && i+1 < len(marks) && marks[i+1] == '"' || r == '”' && i > 0 && marks[i-1] == '"' {
			return string(marks)
		}
	}
	return ""
}

// The result for a line with look-alikes reads as its author wrote it, and mixes them with no other
// signs.
func TestWhatIsPutReadsAsItWasWritten(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		file, seen := authored(t)
		new := seen
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(new)).Draw(t, "at")
			end := min(at+rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "length"), len(new))
			put := rapid.SampledFrom([]string{"", "", "-", ">", "=", `"`, `""`, `"x"`, "'", `\`, " ", "x", `"x" `, "<", "`"}).Draw(t, "put")
			new = new[:at] + put + new[end:]
		}
		text := "top\n" + file + "\nbottom\n"
		es, m, err := match.Replace(text, seen+"\n", new+"\n", match.Where{})
		if err != nil || m.Step != match.StepLookAlikes {
			return
		}
		put := strings.Split(edittest.Apply(t, text, es...), "\n")[1]
		if linetext.TrimBlanks(linetext.Plain(put)) != linetext.TrimBlanks(linetext.Plain(new)) || !utf8.ValidString(put) {
			t.Fatalf("%q for %q in %q: put %q", new, seen, file, put)
		}
		bare := strings.TrimFunc(put, linetext.IsBlank)
		if bad := badPairs(bare, file); bad != "" {
			t.Fatalf("%q for %q in %q: put %q, with %q", new, seen, file, put, bad)
		}
		if bad := badQuotes(bare); bad != "" && badQuotes(file) == "" {
			t.Fatalf("%q for %q in %q: put %q, with %s", new, seen, file, put, bad)
		}
	})
}

// An edit that touches no look-alike and none of its neighbours keeps all of them.
func TestLookAlikesStay(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		file, seen := authored(t)
		if file == seen {
			return
		}
		text := "top\n" + file + " tail\n"
		es, _, err := match.Replace(text, seen+" tail\n", seen+" tails\n", match.Where{})
		if err != nil {
			return
		}
		if got, want := edittest.Apply(t, text, es...), "top\n"+file+" tails\n"; got != want {
			t.Fatalf("%q in %q: got %q, want %q", seen, file, got, want)
		}
	})
}

func FuzzLookAlikes(f *testing.F) {
	f.Add("say “hi” — to Bob", `say "hi" - to Bob`, `say "hi" -> to "Al"`)
	f.Add("a—b", "a-b", "a--b")
	f.Add("it’s ‘so’", "it's 'so'", "it''s 'so' 'x'")
	f.Fuzz(func(t *testing.T, file, old, new string) {
		if len(file) > 200 || len(new) > 200 || strings.ContainsAny(file+old+new, "\r\n") {
			return
		}
		es, m, err := match.Replace(file, old, new, match.Where{})
		if err != nil || m.Step != match.StepLookAlikes {
			return
		}
		put := es[0].New
		bare := func(s string) string { return strings.TrimFunc(linetext.Plain(s), linetext.IsBlank) } // the indentation may be shifted
		if bare(put) != bare(new) {
			t.Fatalf("%q for %q in %q: put %q", new, old, file, put)
		}
		if linetext.Plain(old) == old && linetext.Plain(new) == new {
			if bad := badPairs(strings.TrimFunc(put, linetext.IsBlank), file); bad != "" {
				t.Fatalf("%q for %q in %q: put %q, with %q", new, old, file, put, bad)
			}
		}
	})
}
