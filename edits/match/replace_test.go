package match

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

func TestReplaceKeepsWhatItDoesNotChange(t *testing.T) {
	for _, c := range []struct {
		name           string
		text, old, new string
		want, step     string
	}{
		{"the line end of a line that is added", "a\r\nb\r\n", "a", "a\nx", "a\r\nx\r\nb\r\n", "exact"},
		{"each line's own end", "a\r\nb\nc\r\n", "b", "x\ny", "a\r\nx\ny\nc\r\n", "exact"},
		{"the end of the neighbour, not of most", "a\nb\nc\nd\r\ne\n", "d", "d\nd2", "a\nb\nc\nd\r\nd2\r\ne\n", "exact"},
		{"new brings both", "a\r\nb\r\n", "a", "a\r\nx\ny", "a\r\nx\r\ny\r\nb\r\n", "exact"},
		{"old Mac", "a\rb\r", "a", "a\nx", "a\rx\rb\r", "exact"},
		{"no line end in the text", "a", "a", "a\nb\n", "a\nb\n", "exact"},
		{"no \\r in the text", "a\nb\n", "a", "a\r\nx", "a\nx\nb\n", "exact"},

		{"trailing blanks", "a  \nb\t\nc\n", "a\nb\nc\n", "a\nx\nc\n", "a  \nx\t\nc\n", "line endings"},
		{"trailing blanks that new changes", "a  \nb\n", "a \nb\n", "a\nb\n", "a\nb\n", "line endings"},
		{"mixed line ends", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nc\n", "a\r\nx\nc\r\n", "line endings"},
		{"mixed line ends, lines added", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\na2\nb\nb2\nc\n", "a\r\na2\r\nb\nb2\nc\r\n", "line endings"},
		{"old asks for \\r\\n", "a\nb\n", "a\r\nb\r\n", "a\r\nx\r\n", "a\nx\n", "line endings"},
		{"no final newline", "a\nfoo", "foo\n", "bar\n", "a\nbar", "line endings"},
		{"no final newline, lines added", "a\r\nfoo", "foo\n", "foo\nbar\n", "a\r\nfoo\r\nbar", "line endings"},
		{"no final newline, all goes", "a\nfoo", "foo\n", "", "a\n", "line endings"},
		{"the line end at its start", "a \r\nb\r\n", "\nb", "\nc", "a \r\nc\r\n", "line endings"},
		{"blanks at the end of what is asked for", "x\nfoo\n", "foo  ", "bar  ", "x\nbar\n", "line endings"},
		{"inside a line", "x = f(a, \r\n  b) + 1\r\n", "f(a,\n  b)", "g(a,\n  c)", "x = g(a, \r\n  c) + 1\r\n", "line endings"},
		{"a line goes", "a \nb \nc \n", "a\nb\nc\n", "a\nc\n", "a \nc \n", "line endings"},
		{"a byte order mark that is there", edits.BOM + "a\nb\n", "a\n", "c\n", edits.BOM + "c\nb\n", "exact"},
		{"a byte order mark that is not asked for", edits.BOM + "a \nb\n", "a\nb\n", "c\nb\n", edits.BOM + "c \nb\n", "line endings"},
		{"a byte order mark that is not there", "a\nb\n", edits.BOM + "a\n", edits.BOM + "c\n", "c\nb\n", "line endings"},
		{"a byte order mark in the middle", "a\n\n" + edits.BOM + "b\n", edits.BOM + "b\n", edits.BOM + "c\n", "a\n\n" + edits.BOM + "c\n", "exact"},
		{"a byte order mark that new brings", edits.BOM + "a\nb\n", "a\n", edits.BOM + "c\n", edits.BOM + "c\nb\n", "exact"},

		{"less indented", "\tif a {\n\t\tb()\n\t}\n", "if a {\n\tb()\n}\n", "if a {\n\tc()\n}\n", "\tif a {\n\t\tc()\n\t}\n", "indentation"},
		{"more indented", "if a:\n    b()\n", "    if a:\n        b()\n", "    if a:\n        b()\n        c()\n", "if a:\n    b()\n    c()\n", "indentation"},
		{"tabs for spaces", "x:\n\tgo build \n\n\tgo vet\n", "    go build\n\n    go vet\n", "    go build ./...\n\n    go vet\n", "x:\n\tgo build ./... \n\n\tgo vet\n", "indentation"},
		{"blank lines around", "x\n\n  \n  a\n  b\n \ny\n", "\n\na\nb\n\n", "\n\na\nc\n\n", "x\n\n  \n  a\n  c\n \ny\n", "indentation"},
		{"shifted and without a line end", "  a\n   b\n", "a\n b", "a\n c", "  a\n   c\n", "indentation"},
		{"shifted, at \\r\\n, wrapped", "\ta()\r\n\tb()\r\n", "a()\nb()\n", "if x {\n\ta()\n\tb()\n}\n", "\tif x {\r\n\t\ta()\r\n\t\tb()\r\n\t}\r\n", "indentation"},

		{"curly quotes", "say “hi” to Bob  \r\n", `say "hi" to Bob` + "\n", `say "hi" to Alice` + "\n", "say “hi” to Alice  \r\n", "look-alikes"},
		{"curly quotes between changes", "“a” – “b”", `"a" - "b"`, `"x" - "y"`, "“x” – “y”", "look-alikes"},
		{"what new brings", "it’s\n", "it's\n", "it's \"so\"\n", "it’s \"so\"\n", "look-alikes"},
		{"old has the look-alikes", "f(\"a\", 'b')\n", "f(“a”, ‘b’)\n", "f(“a”, ‘c’)\n", "f(\"a\", 'c')\n", "look-alikes"},
		{"old and new have the look-alikes", "f(\"a\")\n", "f(“a”)\n", "f(“a”, “b”)\nf(“c”)\n", "f(\"a\", \"b\")\nf(\"c\")\n", "look-alikes"},
		{"the text has them too", "“a” = \"a\"\n", "“a” = “a”\n", "“a” = “a” // “b”\n", "“a” = \"a\" // “b”\n", "look-alikes"},
		{"spaces of Unicode", "a\u00a0b\u3000c\n", "a b c\n", "a b d\n", "a\u00a0b\u3000d\n", "look-alikes"},
		{"look-alikes and a shift", "  - “a”\n  - “b”\n", "- \"a\"\n- \"b\"\n", "- \"a\"\n- \"b\"\n- c\n", "  - “a”\n  - “b”\n  - c\n", "look-alikes"},
		{"a blank line comes", "if x:\n\ta\n", "  if x:\n  \ta\n", "  if x:\n  \ta\n  \n  b\n", "if x:\n\ta\n\nb\n", "indentation"},
		{"indented by no-break spaces", "\u00a0\u00a0a: 1\n", "    a: 1\n", "    a: 2\n", "\u00a0\u00a0a: 2\n", "look-alikes"},
		{"characters beside look-alikes", "é“ü”€\r\n", `é"ü"€`, `é"o"€`, "é“o”€\r\n", "look-alikes"},
	} {
		es, m, err := Replace(c.text, c.old, c.new, Where{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != c.step {
			t.Errorf("%s: got %q by %s, want %q by %s", c.name, got, m.Step, c.want, c.step)
		}
	}
}

func TestReplaceRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, reason, says string }{
		{"several by line endings", "a \nb\t\na\t\nb\n", "a\nb\n", "c\n", ReasonSeveral, "lines 1 and 3 (forgiving other line endings)"},
		{"several by indentation", "\ta\n\tb\n  a\n  b\n", "a\nb\n", "c\n", ReasonSeveral, "lines 1 and 3 (forgiving other indentation)"},
		{"several by look-alikes", "“a”\n‟a‟\n", `"a"`, "c", ReasonSeveral, "lines 1 and 2 (forgiving Unicode look-alikes of quotes"},
		{"nothing changes but what was forgiven", "a \r\n", "a\nb", "a\nc", ReasonNone, ""},
		{"no change by line endings", "a \nb \n", "a\nb\n", "a\r\nb\r\n", ReasonNoop, ""},
		{"no change by look-alikes", "say “hi”\n", `say "hi"`, "say “hi”", ReasonNoop, ""},
		{"blank old text", "a\r\n\r\n\r\nb", "\n\n", "\n", ReasonNone, ""},
		{"not a uniform shift", "\tif a {\n\t\tb()\n", "    if a {\n          b()\n", "x", ReasonNone, "Only the indentation differs"},
		{"less indented than can be", "a\n  b\n", "    a\n      b\n", "  c\n", ReasonIndent, `the new line "  c" is indented less`},
		{"tabs and spaces", "\ta\n\tb\n", "  a\n  b\n", "  if x:\n     a\n", ReasonIndent, "both tabs and spaces"},
		{"only the indentation changes", "    a:\n      - b\n", "  a:\n    - b\n", "    a:\n      - b\n", ReasonIndent, "changes nothing but the indentation"},
		{"empty old text", "a", "", "b", ReasonEmpty, "write_file"},
	} {
		es, _, err := Replace(c.text, c.old, c.new, Where{})
		if r := refusal(t, err); r.Reason != c.reason || !strings.Contains(r.Error(), c.says) || es != nil {
			t.Errorf("%s: got %s, %v, want %s that says %q", c.name, r.Reason, r, c.reason, c.says)
		}
	}
}

func TestReplaceAllInEachStep(t *testing.T) {
	for _, c := range []struct{ text, old, new, want, step string }{
		{"a\r\nb\na\r\n", "a", "a\nx", "a\r\nx\r\nb\na\r\nx\r\n", "exact"},
		{"a \nb\na\t\nb\r\nc", "a\nb\n", "a\nx\n", "a \nx\na\t\nx\r\nc", "line endings"},
		{"\ta\n\tb\n  a\n  b\n", "a\nb\n", "a\n", "\ta\n  a\n", "indentation"},
		{"“a” ‘a’ ‟a‟", `"a"`, `"b"`, "“b” ‘a’ ‟b‟", "look-alikes"},
		{"“a”\n", "a\n", "a\n", "", ""},
	} {
		es, m, err := Replace(c.text, c.old, c.new, Where{All: true})
		if c.step == "" {
			refusal(t, err)
		} else if err != nil || m.Step != c.step || edittest.Apply(t, c.text, es...) != c.want {
			t.Errorf("%q: %v by %q, %v", c.text, es, m.Step, err)
		}
	}
}

// A match is named after the most forgiving step that it needed: a match by look-alikes whose new
// text also repeats the indentation of the place is a match by look-alikes.
func TestTheStepOfARepeatedIndentation(t *testing.T) {
	for _, c := range []struct{ old, new, step string }{
		{"x :=", "\ty :=", StepIndentation},
		{"x\u00a0:=", "\ty\u00a0:=", StepLookAlikes},
	} {
		es, m, err := Replace("\tx := 1\n", c.old, c.new, Where{})
		if err != nil || m.Step != c.step || edittest.Apply(t, "\tx := 1\n", es...) != "\ty := 1\n" {
			t.Errorf("%q: %v by %q, %v", c.old, es, m.Step, err)
		}
	}
}

func TestReplaceAllInALongLine(t *testing.T) {
	text := strings.Repeat("a ", 200_000) + "\r\n"
	es, _, err := Replace(text, "a", "b", Where{All: true})
	if err != nil || edittest.Apply(t, text, es...) != strings.Repeat("b ", 200_000)+"\r\n" {
		t.Errorf("%d edits, %v", len(es), err)
	}
	_, _, err = Replace(text, "a", strings.Repeat("b", 1<<10)+"\n", Where{All: true})
	if refusal(t, err).Reason != ReasonSize || !strings.Contains(err.Error(), "64 MiB") {
		t.Error(err)
	}
}

func TestPlacesAfterManyThatDoNotCount(t *testing.T) {
	text := strings.Repeat("x a\n", 500) + "a\n" + strings.Repeat("x a\n", 500)
	m, err := Find(text, "a\n", Where{Lines: true})
	if want := (edits.Span{Start: 2000, End: 2002}); err != nil || m.Spans[0] != want {
		t.Errorf("got %v, %v, want %v", m, err, want)
	}
	last := func(places []edits.Span) []edits.Span { return places[len(places)-1:] }
	m, err = Find(text, "x a\n", Where{Narrow: last})
	if want := (edits.Span{Start: len(text) - 4, End: len(text)}); err != nil || m.Spans[0] != want {
		t.Errorf("got %v, %v, want %v", m, err, want)
	}
}

func TestWithEnds(t *testing.T) {
	for _, c := range []struct {
		text    string
		e       edits.Edit
		want    string
		changed bool
	}{
		{"a\r\nb\r\n", edits.Edit{Span: edits.Span{Start: 3, End: 3}, New: "x\ny\n"}, "a\r\nx\r\ny\r\nb\r\n", true},
		{"a\r\nb\r\n", edits.Edit{Span: edits.Span{Start: 6, End: 6}, New: "x\n"}, "a\r\nb\r\nx\r\n", true},
		{"a\r\nb\n", edits.Edit{Span: edits.Span{Start: 5, End: 5}, New: "x\n"}, "a\r\nb\nx\n", false},
		{"a\r\nb\n", edits.Edit{Span: edits.Span{Start: 0, End: 0}, New: "x\n"}, "x\r\na\r\nb\n", true},
		{"a\r\nb\n", edits.Edit{Span: edits.Span{Start: 0, End: 3}, New: "x\ny\n"}, "x\r\ny\r\nb\n", true},
		{"a\r\nb\n", edits.Edit{Span: edits.Span{Start: 3, End: 5}, New: "x\ny\n"}, "a\r\nx\ny\n", false},
		{"a\r\nb", edits.Edit{Span: edits.Span{Start: 4, End: 4}, New: "\nx"}, "a\r\nb\r\nx", true},
		{"a\r\nb\r\n", edits.Edit{Span: edits.Span{Start: 3, End: 3}, New: "x\r\ny\n"}, "a\r\nx\r\ny\r\nb\r\n", true},
		{"", edits.Edit{Span: edits.Span{Start: 0, End: 0}, New: "x\n"}, "x\n", false},
	} {
		e, changed := adapt.WithEnds(c.text, c.e)
		if got := edittest.Apply(t, c.text, e); got != c.want || changed != c.changed {
			t.Errorf("%q, %v: got %q, %v, want %q, %v", c.text, c.e, got, changed, c.want, c.changed)
		}
	}
}

// checkReplace fails unless Replace puts new where Find finds old, except for what the
// step forgives, and leaves the rest alone.
func checkReplace(t interface{ Fatalf(string, ...any) }, text, old, new string, w Where) {
	es, m, err := Replace(text, old, new, w)
	found, _, missing := find(text, old, w, adapt.OnlyEnds(old, new))
	if isNone(missing) {
		if byForms, ok := findByForms(text, old, w); ok {
			found, missing = byForms, nil
		} else if byFirstLine, ok := findByFirstLine(text, old, onlyBySpaces(text, old, w), w); ok {
			found, missing = byFirstLine, nil
		} else if bySpaces, ok := findBySpaces(text, old, onlyBySpaces(text, old, w), w); ok {
			found, missing = bySpaces, nil
		}
	}
	if err != nil {
		r := refusal(t, err)
		_ = r.Error()
		if es != nil || missing == nil && r.Reason != ReasonNoop && r.Reason != ReasonIndent && r.Reason != ReasonLooks {
			t.Fatalf("Replace(%q, %q, %q): %v, %v", text, old, new, es, err)
		}
		return
	}
	if m.Step == StepNumbers && missing != nil {
		n, numbered := numberingOf(new)
		for _, e := range es {
			if put := forgiven(e.New, StepLineEndings); !numbered && put != forgiven(new, StepLineEndings) ||
				numbered && put != forgiven(n.text(true), StepLineEndings) && put != forgiven(n.text(false), StepLineEndings) {
				t.Fatalf("Replace(%q, %q, %q) put %q", text, old, new, e.New)
			}
		}
		return
	}
	if lines, lead, tail, ok := withoutBlankLines(old); missing != nil && ok && lead+tail > 0 {
		inside := strings.Join(lines[lead:len(lines)-tail], "")
		if m.Step == StepLineEndings && flat(m.Spans[0].Of(text)) == flat(inside) {
			return // a whole line, though the text may have the same as a part of another one
		}
		if places, err := Find(text, inside, Where{All: true}); err != nil || !slices.Contains(places.Spans, m.Spans[0]) && places.Spans[0].Start > m.Spans[0].Start+len(linetext.IndentOf(text[m.Spans[0].Start:])) {
			t.Fatalf("Replace(%q, %q, %q) in %v, want %v, %v", text, old, new, m, places, err)
		}
		return
	}
	if missing != nil || !slices.Equal(m.Spans, found.Spans) {
		t.Fatalf("Replace(%q, %q, %q) in %v, but found in %v, %v", text, old, new, m, found, missing)
	}
	edittest.Apply(t, text, es...)
	if len(es) == 0 {
		t.Fatalf("Replace(%q, %q, %q): nothing changes", text, old, new)
	}
	for _, e := range es {
		if !slices.Contains(m.Spans, e.Span) {
			t.Fatalf("Replace(%q, %q, %q): %v is not in %v", text, old, new, e, m.Spans)
		}
		if a, b := forgiven(e.New, m.Step), forgiven(new, m.Step); a != b {
			t.Fatalf("Replace(%q, %q, %q) put %q, which is %q, not %q", text, old, new, e.New, a, b)
		}
	}
}

// forgiven returns text without the parts that the step forgives, also in the first line in a step
// that shifts.
func forgiven(text, step string) string {
	if step == StepSpaces {
		var lines []string
		for _, line := range linetext.Split(strings.ReplaceAll(text, edits.BOM, "")) {
			lines = append(lines, inner(line))
		}
		return strings.TrimRight(strings.Join(lines, "\n"), "\n")
	}
	if step == StepLookAlikes {
		text = linetext.Plain(narrowForm(text))
	}
	text = strings.ReplaceAll(flat(text), edits.BOM, "")
	if step == StepIndentation || step == StepLookAlikes {
		var b strings.Builder
		for _, line := range linetext.Split(text) {
			b.WriteString(strings.TrimLeftFunc(line, linetext.IsBlank))
		}
		text = b.String()
	}
	return strings.TrimRight(text, "\n")
}

func TestReplacePutsWhatWasAsked(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := folding(20).Draw(t, "text")
		start := rapid.IntRange(0, len(s)).Draw(t, "start")
		old := s[start:rapid.IntRange(start, len(s)).Draw(t, "end")]
		new := edittest.Apply(t, old, edittest.Edits(old).Draw(t, "edits")...)
		w := Where{All: rapid.Bool().Draw(t, "all")}
		checkReplace(t, s, old, new, w)
		checkReplace(t, s, disguised(old).Draw(t, "old"), new, w)
		checkReplace(t, s, disguised(old).Draw(t, "other old"), disguised(new).Draw(t, "new"), w)
	})
}

// A careless model's edit of some lines, all disguised in one way, is the same edit of
// the original lines.
func TestReplaceSeesThroughDisguise(t *testing.T) {
	looks := [][]string{
		{"“", `"`}, {"’", "'"}, {"—", "-"}, {"\u00a0", " "}, {"", ""},
	}
	edittest.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(2, 8).Draw(t, "lines")
		put := rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "put")
		look := rapid.SampledFrom(looks).Draw(t, "look")
		seen := func(s string) string { return strings.ReplaceAll(s, look[0], look[1]) }
		if look[0] == "" {
			seen = func(s string) string { return s }
		}
		var text, before, after, old, new strings.Builder
		text.WriteString("top\n")
		for i := range count {
			indent := rapid.SampledFrom([]string{"", "  ", "    "}).Draw(t, "indent")
			body := "line" + strconv.Itoa(i) + " " + look[0] + " is"
			tail := rapid.SampledFrom([]string{"", "", "  "}).Draw(t, "tail")
			end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
			before.WriteString(put + indent + body + " here" + tail + end)
			old.WriteString(indent + seen(body) + " here\n")
			switch rapid.SampledFrom([]string{"keep", "keep", "change", "drop"}).Draw(t, "what") {
			case "keep":
				after.WriteString(put + indent + body + " here" + tail + end)
				new.WriteString(indent + seen(body) + " here\n")
			case "change":
				after.WriteString(put + indent + body + " there" + tail + end)
				new.WriteString(indent + seen(body) + " there\n")
			}
		}
		text.WriteString(before.String() + "bottom\n")
		if before.String() == after.String() {
			return
		}
		if linetext.Split(before.String())[0] == old.String() {
			return
		}
		want := "top\n" + after.String() + "bottom\n"
		es, m, err := Replace(text.String(), old.String(), new.String(), Where{})
		if err != nil {
			if r := refusal(t, err); r.Reason == ReasonIndent && comesUp(before.String(), old.String(), new.String()) {
				return
			}
			t.Fatalf("Replace(%q, %q, %q): %v", text.String(), old.String(), new.String(), err)
		}
		if got := edittest.Apply(t, text.String(), es...); got != want {
			t.Fatalf("Replace(%q, %q, %q) by %s: got %q, want %q", text.String(), old.String(), new.String(), m.Step, got, want)
		}
	})
}

// comesUp reports whether new lacks the first line of old and is as deep as the place: its author
// may have used the indentation of the place.
func comesUp(place, old, new string) bool {
	deep := func(text string) string { return linetext.CommonIndent(linetext.Contents(linetext.Split(text))) }
	return !strings.HasPrefix(new, linetext.Split(old)[0]) && deep(new) == deep(place) && deep(new) != deep(old)
}

func FuzzReplace(f *testing.F) {
	f.Add("say “hi” to Bob  \r\n", "say \"hi\" to Bob\n", "say \"hi\" to Alice\n")
	f.Add("\tif a {\r\n\t\tb()\n\t}\n", "if a {\n\tb()\n}\n", "if a {\n\tc()\n\n\td()\n}\n")
	f.Add("a \r\nfoo", "a\nfoo\n", "foo\nbar\n")
	f.Add("\uFEFFx\u00a0= 1\n", "\uFEFFx = 1\n", "x = 2")
	f.Add("a\nb\r\n", "1: a\n2: b\n", "1: c\n2: b\n3: d\n")
	f.Add("caf\u00e9（a）\n", "cafe\u0301(a)\n", "cafe\u0301(b)\n")
	f.Add("\ta  = f(b,\tc) // “d”\n", "a = f(b, c) // “d”\n", "a = f(\"b, c\", 1)\n")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		if len(text) > 1_000 {
			return
		}
		checkReplace(t, text, old, new, Where{})
		checkReplace(t, text, old, new, Where{All: true})
	})
}
