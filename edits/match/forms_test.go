package match

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

func TestReplaceForgivesForms(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, want string }{
		{"composed in the file", "caf\u00e9\na\n", "cafe\u0301\na\n", "cafe\u0301\nb\n", "caf\u00e9\nb\n"},
		{"composed in the call", "cafe\u0301\na\n", "caf\u00e9\na\n", "caf\u00e9\nb\n", "cafe\u0301\nb\n"},
		{"full width in the file", "速度（毎時）：高い\na\n", "速度(毎時):高い\na\n", "速度(毎時):高い\nb\n", "速度（毎時）：高い\nb\n"},
		{"full width in the call", "f(a)\n日\nb\n", "f（a）\n日\nb\n", "f（a）\n日\nc\n", "f(a)\n日\nc\n"},
		{"no sign is the same", "（）\n", "()\n", "()\na\n", "（）\na\n"},
		{"the change is beside it", "速度（毎時）\n", "速度(毎時)\n", "速度(毎秒)\n", "速度（毎秒）\n"},
		{"the change is around it", "速度（毎時）と距離\n", "速度(毎時)と距離\n", "高さ(毎時)と幅\n", "高さ（毎時）と幅\n"},
		{"the change takes it away", "速度（毎時）：a\n", "速度(毎時):a\n", "速度:b\n", "速度：b\n"},
		{"what comes is as it is sent", "a（b）\n", "a(b)\n", "a(b)\nc(d)\n", "a（b）\nc(d)\n"},
		{"the new text has the file's", "a（b）\n", "a(b)\n", "a（c）\n", "a（c）\n"},
		{"indented otherwise", "\ta（b）\n\t\tc\n", "a(b)\n\tc\n", "a(b)\n\td\n", "\ta（b）\n\t\td\n"},
		{"inside a line", "x = 速度（毎時） + 1\n", "速度(毎時)", "速度(毎秒)", "x = 速度（毎秒） + 1\n"},
		{"other line ends", "caf\u00e9\r\na\r\n", "cafe\u0301\na\n", "cafe\u0301\nb\n", "caf\u00e9\r\nb\r\n"},
		{"a byte order mark", edits.BOM + "（a）\n", "(a)\n", "(b)\n", edits.BOM + "（b）\n"},
		{"syllables", "\u1112\u1161\u11ab a\n", "\ud55c a\n", "\ud55c b\n", "\u1112\u1161\u11ab b\n"},
		{"an ellipsis in the file", "wait…\na\n", "wait...\na\n", "wait...\nb\n", "wait…\nb\n"},
		{"an ellipsis in the call", "wait...\na\n", "wait…\na\n", "wait…\nb\n", "wait...\nb\n"},
		{"the change is beside an ellipsis", "wait… a\n", "wait... a\n", "wait... b\n", "wait… b\n"},
		{"no width in the file", "w\u200bait\na\n", "wait\na\n", "wait\nb\n", "w\u200bait\nb\n"},
		{"no width in the call", "wait\na\n", "w\u200bait\na\n", "w\u200bait\nb\n", "wait\nb\n"},
		{"no width at the start", "\u200bw\u200bait a\n", "wait a\n", "wait b\n", "\u200bw\u200bait b\n"},
		{"the change is around no width", "xw\u200baity\n", "xwaity\n", "vwaiwtz\n", "vwaiwtz\n"},
		{"the place is taken away", "a（b）\nc\n", "a(b)\n", "", "c\n"},
	} {
		for _, w := range []Where{{}, {All: true}} {
			es, m, err := Replace(c.text, c.old, c.new, w)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != StepLookAlikes {
				t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
			}
			if m, err := Find(c.text, c.old, w); err != nil || len(m.Spans) != 1 {
				t.Errorf("%s: found %v, %v", c.name, m, err)
			}
		}
	}
}

func TestReplaceRefusesOtherForms(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, reason string }{
		{"two places", "（a）\nx\n（a）\n", "(a)\n", "(b)\n", ReasonNone},
		{"two forms", "caf\u00e9\nx\ncafe\u0301\n", "cafe\u0301 \nx", "caf\u00e9\nx", ReasonNoop},
		{"two places, one indented otherwise", "（a）\n\tb\nx\n（a）\n  b\n", "(a)\nb\n", "c\n", ReasonNone},
		{"two places, one with other spaces", "（a） b\nx\n（a）  b\n", "(a) b\n", "c\n", ReasonNone},
		{"two places, one with look-alikes", "（a）-\nx\n（a）—\n", "(a)-\n", "c\n", ReasonNone},
		{"two places, one inside a line", "（a）\nif （a） {\n", "(a)", "c", ReasonNone},
		{"two places, one half in the other form", "（a）\nx\n(a）\n", "（a)\n", "c\n", ReasonNone},
		{"other spaces besides", "（a）  b\n", "(a) b\n", "c\n", ReasonNone},
		{"look-alikes besides", "（a） “b”\n", "(a) \"b\"\n", "c\n", ReasonNone},
		{"another script", "s\u0441ope（）\n", "scope()\n", "c\n", ReasonNone},
		{"a letter without its accent", "cafe\u0301\n", "cafe\n", "c\n", ReasonNone},
		{"a ligature", "ﬁx（）\n", "fix()\n", "c\n", ReasonNone},
		{"the sign of Kelvin", "5 \u212a（）\n", "5 K()\n", "c\n", ReasonNone},
		{"one sign of two stays", "（a）（b）\n", "(a)(b)\n", "x(a b)y\n", ReasonLooks},
		{"one sign becomes two", "p（a）q\n", "p(a)q\n", "x(a), f(a)y\n", ReasonLooks},
		{"one ellipsis becomes two", "a … b\n", "a ... b\n", "x(...c) ... y\n", ReasonLooks},
		{"four dots", "a.… b\n", "a.... b\n", "a.... c\n", ReasonLooks},
		{"a joiner of no width", "\u0915\u094d\u200d\u0937 a\n", "\u0915\u094d\u0937 a\n", "\u0915\u094d\u0937 b\n", ReasonNone},
		{"the same already", "（a）\n", "(a)\n", "（a）\n", ReasonNoop},
	} {
		for _, w := range []Where{{}, {All: true}} {
			es, m, err := Replace(c.text, c.old, c.new, w)
			if err == nil {
				t.Errorf("%s: %v by %s", c.name, es, m.Step)
			} else if r := refusal(t, err); r.Reason != c.reason {
				t.Errorf("%s: got %s, %v, want %s", c.name, r.Reason, r, c.reason)
			}
		}
	}
}

// narrowForm returns s in one form: full-width signs as ASCII, and composed.
func narrowForm(s string) string {
	var b strings.Builder
	s = strings.ReplaceAll(s, "…", "...")
	var runes []rune
	for i, r := range s {
		rest := strings.TrimLeft(s[i:], "\u200b\u2060")
		if r == '\u200b' || r == '\u2060' {
			if rest == "" || norm.NFC.PropertiesString(rest).BoundaryBefore() {
				continue
			}
		}
		runes = append(runes, r)
	}
	for i, r := range runes {
		marked := i+1 < len(runes) && (unicode.Is(unicode.M, runes[i+1]) || norm.NFC.String(string(runes[i:i+2])) != string(runes[i:i+2]) && unicode.Is(unicode.Hangul, r))
		switch parts := norm.NFD.String(string(r)); {
		case r >= 0xFF01 && r <= 0xFF5E && !marked:
			r -= 0xFF01 - '!'
		case parts != string(r) && utf8.RuneCountInString(parts) == 1 && !marked:
			r += 0x20000 // a sign that is the same as one other: another letter
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// wideForm returns a line as one is compared for other places that could be meant.
func wideForm(line string) string {
	line = linetext.Plain(narrowForm(line))
	return strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' }), " ")
}

// referenceForms returns old with the characters of the only place that differs in their forms.
func referenceForms(text, old string, w Where) (own string, ok bool) {
	var want, in []string
	olds, lines := linetext.Split(linetext.WithoutBOM(old)), linetext.Split(linetext.WithoutBOM(text))
	for _, line := range olds {
		want = append(want, wideForm(linetext.Content(line)))
	}
	for _, line := range lines {
		in = append(in, wideForm(linetext.Content(line)))
	}
	wanted, all := strings.Join(want, "\n"), strings.Join(in, "\n")
	if !utf8.ValidString(text) || !utf8.ValidString(old) || strings.Trim(wanted, "\n") == "" || hiddenAtEnds(old) || hiddenBesideSpace(text) || hiddenBesideSpace(old) {
		return "", false
	}
	n, first, closed := 0, 0, w.Lines || linetext.End(old) != ""
	for i := range len(all) {
		end := i + len(wanted)
		if end > len(all) || all[i:end] != wanted || inWord(all[:i], all[i:]) || inWord(all[:end], all[end:]) ||
			closed && end < len(all) && all[end] != '\n' || w.Lines && i > 0 && all[i-1] != '\n' {
			continue
		}
		first = strings.Count(all[:i], "\n")
		n++
	}
	if n != 1 {
		return "", false
	}
	var b strings.Builder
	for k, line := range olds {
		p, there := linetext.PartsOf(linetext.Content(line)), linetext.PartsOf(linetext.Content(lines[first+k])).Body
		found := false
		starts := []int{0}
		for from := len(there); k == 0 && from > 0; from-- {
			starts = append(starts, from) // without characters of no width before it
		}
		for _, from := range starts {
			for to := len(there); to >= from && !found && (k == len(olds)-1 && !closed || to == len(there)); to-- {
				part := there[from:to]
				if !utf8.ValidString(part) || narrowForm(part) != narrowForm(p.Body) {
					continue
				}
				before, after := linetext.Plain(narrowForm(there[:from])), linetext.Plain(narrowForm(there[to:]))
				if before+linetext.Plain(narrowForm(part))+after != linetext.Plain(narrowForm(there)) {
					continue // inside a character
				}
				dots := func(a, b string) bool { return strings.HasSuffix(a, ".") && strings.HasPrefix(b, ".") }
				if middle := linetext.Plain(narrowForm(part)); !dots(before, middle+after) && !dots(before+middle, after) && !inWord(before, middle+after) && !inWord(before+middle, after) {
					found = true
					b.WriteString(p.Indent + part + p.Tail + linetext.End(line))
				}
			}
		}
		if !found {
			return "", false
		}
	}
	return b.String(), b.String() != linetext.WithoutBOM(old)
}

// formBits are what texts with other forms are made of.
var formBits = rapid.SampledFrom([]string{"é", "e\u0301", "e", "（", "(", "a", " ", "  ", "\n", "\n", "\t", "-", "—", "K", "\u212a", "각", "\u1100\u1161\u11a8", "\u200b", "…", ".", "..."})

// Find takes a text in other forms exactly where looking at every place finds one that can be meant.
func TestFormsAgreeWithLooking(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(formBits, 0, 16).Draw(t, "text"), "")
		start := rapid.IntRange(0, len(text)).Draw(t, "start")
		old := text[start:rapid.IntRange(start, len(text)).Draw(t, "end")]
		if !utf8.ValidString(old) {
			old = strings.ToValidUTF8(old, "")
		}
		change := rapid.SampledFrom([]*strings.Replacer{
			strings.NewReplacer("（", "("), strings.NewReplacer("(", "（"), strings.NewReplacer("é", "e\u0301"), strings.NewReplacer("e\u0301", "é"),
			strings.NewReplacer("각", "\u1100\u1161\u11a8"), strings.NewReplacer("\u1100\u1161\u11a8", "각", "（", "("), strings.NewReplacer("\u212a", "K"),
			strings.NewReplacer("\u200b", "", "é", "e\u0301"), strings.NewReplacer("…", "..."), strings.NewReplacer("...", "…", "a", "\u200ba"),
		}).Draw(t, "change")
		checkFind(t, text, change.Replace(old))
		new := strings.Join(rapid.SliceOfN(formBits, 0, 6).Draw(t, "new"), "")
		checkReplace(t, text, change.Replace(old), change.Replace(old)+new, Where{})
		checkReplace(t, text, change.Replace(old), new, Where{})
	})
}

// An edit of lines whose forms were all changed is the same edit of the lines as they were.
func TestReplaceSeesThroughForms(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		seen := rapid.SampledFrom([]func(string) string{norm.NFC.String, norm.NFD.String, strings.NewReplacer("（", "(", "）", ")", "：", ":").Replace}).Draw(t, "seen")
		piece := rapid.SampledFrom([]string{"（", "）", "：", "caf\u00e9", "cafe\u0301", "毎", "時", "a", " "})
		var text, want, old, new strings.Builder
		for i := range rapid.IntRange(1, 5).Draw(t, "lines") {
			body := strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "body"), "")
			line := "線" + string(rune('A'+i)) + body + "終"
			text.WriteString(line + "\n")
			old.WriteString(seen(line) + "\n")
			if rapid.Bool().Draw(t, "change") {
				line = strings.Replace(line, "線", "点", 1)
			}
			want.WriteString(line + "\n")
			new.WriteString(seen(line) + "\n")
		}
		if old.String() == new.String() {
			return
		}
		es, m, err := Replace(text.String(), old.String(), new.String(), Where{})
		if err != nil {
			t.Fatalf("Replace(%q, %q, %q): %v", text.String(), old.String(), new.String(), err)
		}
		if got := edittest.Apply(t, text.String(), es...); got != want.String() {
			t.Fatalf("Replace(%q, %q, %q) by %s made %q, want %q", text.String(), old.String(), new.String(), m.Step, got, want.String())
		}
	})
}
