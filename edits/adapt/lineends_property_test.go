package adapt_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/adapt"
	"redline/edits/internal/edittest"
	"redline/edits/match"
)

// endedLine is a line as a file has it.
type endedLine struct{ body, end string }

func joinedLines(lines []endedLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.body + l.end)
	}
	return b.String()
}

// withOther returns lines with line ends as an author may happen to write them.
func withOther(t *rapid.T, lines []endedLine) []endedLine {
	ends := rapid.SampledFrom([]string{"\n", "\r\n"})
	same := rapid.Bool().Draw(t, "one end")
	one := ends.Draw(t, "end")
	out := slices.Clone(lines)
	for i := range out {
		if out[i].end = one; !same {
			out[i].end = ends.Draw(t, "end")
		}
	}
	return out
}

// drawLines returns different lines, with ends of the given kinds.
func drawLines(t *rapid.T, kinds []string) []endedLine {
	var lines []endedLine
	for i := range rapid.IntRange(1, 8).Draw(t, "lines") {
		// No two lines are alike, even where a "\r" ends one: otherwise it would be ambiguous which
		// of them a line of new is.
		own := strings.Repeat(string(rune('A'+i)), 6)
		body := rapid.SampledFrom([]string{"", own + "\r ", "\t" + own + "\r", "  "}).Draw(t, "body") + strings.Repeat(string(rune('a'+i)), 12)
		lines = append(lines, endedLine{body, rapid.SampledFrom(kinds).Draw(t, "end")})
	}
	return lines
}

// The result of an edit of some lines follows each line's rule: a line that stays or changes keeps
// its end, and a new line gets the end of the line before it, whatever ends old and new have.
func TestLineEndsByTheRule(t *testing.T) {
	kinds := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}
	edittest.Check(t, func(t *rapid.T) {
		lines := drawLines(t, rapid.SampledFrom(kinds).Draw(t, "kinds"))
		first := rapid.IntRange(0, len(lines)-1).Draw(t, "first")
		last := rapid.IntRange(first+1, len(lines)).Draw(t, "last")
		var now, want []endedLine
		what := ""
		for i, l := range lines[first:last] {
			if what != "add" { // else the new line could replace this one
				what = rapid.SampledFrom([]string{"keep", "keep", "change", "drop", "add"}).Draw(t, "what")
			} else {
				what = "keep"
			}
			switch {
			case what == "drop":
			case what == "change":
				l.body += " changed"
				now, want = append(now, l), append(want, l)
			default:
				now, want = append(now, l), append(want, l)
				if what == "add" {
					added := endedLine{"added " + strconv.Itoa(i), l.end}
					now, want = append(now, added), append(want, added)
				}
			}
		}
		text := joinedLines(lines)
		old := joinedLines(lines[first:last])
		if rapid.Bool().Draw(t, "old written otherwise") {
			old = joinedLines(withOther(t, lines[first:last]))
		}
		new := joinedLines(withOther(t, now))
		wanted := joinedLines(lines[:first]) + joinedLines(want) + joinedLines(lines[last:])
		if adapt.OnlyEnds(old, new) && strings.Contains(text, old) {
			wanted = joinedLines(lines[:first]) + new + joinedLines(lines[last:])
		}
		es, m, err := match.Replace(text, old, new, match.Where{})
		if err != nil {
			if r := refusal(t, err); r.Reason != match.ReasonNoop || wanted != text && old != new {
				t.Fatalf("Replace(%q, %q, %q): %v", text, old, new, err)
			}
			return
		}
		if got := edittest.Apply(t, text, es...); got != wanted {
			t.Fatalf("Replace(%q, %q, %q) by %s: got %q, want %q", text, old, new, m.Step, got, wanted)
		}
	})
}

// kindOfEnds returns the line end that all lines of a text have, "" if they differ. A lone "\r" is
// a character like others.
func kindOfEnds(text string) string {
	switch all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n"); {
	case all > 0 && crlf == 0:
		return "\n"
	case all > 0 && crlf == all:
		return "\r\n"
	}
	return ""
}

// A file with one kind of line ends keeps it whatever is replaced, unless only line ends were to
// change; a lone "\r" is inserted as written.
func TestAFileOfOneKindStaysSo(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "kind")
		lines := drawLines(t, []string{text})
		text = joinedLines(lines)
		start := rapid.IntRange(0, len(text)-1).Draw(t, "start")
		end := rapid.IntRange(start+1, len(text)).Draw(t, "end")
		old := text[start:end]
		new := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b ", "\n", "\r\n", "\r", old}), 0, 6).Draw(t, "new"), "")
		es, m, err := match.Replace(text, old, new, match.Where{})
		if err != nil || adapt.OnlyEnds(old, new) || strings.Contains(new, "\r\r\n") || start > 0 && text[start-1] == '\r' {
			return
		}
		got := edittest.Apply(t, text, es...)
		if strings.Contains(got, "\n") && kindOfEnds(got) != kindOfEnds(text) {
			t.Fatalf("Replace(%q, %q, %q) by %s: %q is of another kind", text, old, new, m.Step, got)
		}
		if m.Step != match.StepExact || strings.HasSuffix(new, "\r") || strings.HasSuffix(old, "\r") {
			return
		}
		lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		if want := lf(text[:start] + new + text[end:]); lf(got) != want {
			t.Fatalf("Replace(%q, %q, %q): got %q, want %q but for line ends", text, old, new, got, want)
		}
	})
}

func FuzzLineEnds(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\r\nb\r\n", "a\nx\n")
	f.Add("a\nb\n", "b", "B\r\nC")
	f.Add("10%\r20%\r\n", "20%", "20%\r30%\n")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		kind := kindOfEnds(text)
		if len(text) > 1000 || kind == "" || adapt.OnlyEnds(old, new) || strings.Contains(new, "\r\r\n") {
			return
		}
		es, m, err := match.Replace(text, old, new, match.Where{})
		if err != nil || es[0].Start > 0 && text[es[0].Start-1] == '\r' {
			return
		}
		if got := edittest.Apply(t, text, es...); strings.Contains(got, "\n") && kindOfEnds(got) != kind {
			t.Fatalf("Replace(%q, %q, %q) by %s: %q is of another kind", text, old, new, m.Step, got)
		}
	})
}
