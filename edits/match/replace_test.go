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
		if bySpaces, ok := findBySpaces(text, old, w); ok {
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
		text = linetext.Plain(text)
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
	f.Add("\ta  = f(b,\tc) // “d”\n", "a = f(b, c) // “d”\n", "a = f(\"b, c\", 1)\n")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		if len(text) > 1_000 {
			return
		}
		checkReplace(t, text, old, new, Where{})
		checkReplace(t, text, old, new, Where{All: true})
	})
}

func TestReplaceForgivesRunsOfSpaces(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, want string }{
		{"one more in the old text", "foo := 1\n", "foo :=  1\n", "foo :=  2\n", "foo := 2\n"},
		{"one more in the file", "foo  := 1\nbar := 2\n", "foo := 1\n", "foo := 3\n", "foo  := 3\nbar := 2\n"},
		{"a tab in the file", "#define\tA\t1\n", "#define A 1\n", "#define A 2\n", "#define\tA\t2\n"},
		{"what stays keeps its own", "a  = 1  // one\nb = 2\n", "a = 1 // one\nb = 2\n", "a = 1 // one\nb = 3\n", "a  = 1  // one\nb = 3\n"},
		{"what comes is as it is sent", "a  = 1\n", "a = 1\n", "a = 1\nb   = 2\n", "a  = 1\nb   = 2\n"},
		{"what the new text changes", "a =  1  + 2\n", "a = 1 + 2\n", "a = 1   + 2\n", "a =  1   + 2\n"},
		{"indented otherwise", "\tif a  == b {\n\t\tc()\n\t}\n", "if a == b {\n    c()\n}\n", "if a == b {\n    d()\n}\n", "\tif a  == b {\n\t\td()\n\t}\n"},
		{"without its indentation", "\tfoo := 1 // x\n", "foo :=  1", "foo :=  2", "\tfoo := 2 // x\n"},
		{"inside a line", "if (a  ==  b) { c() }\n", "a == b", "a == c", "if (a  ==  c) { c() }\n"},
		{"other line ends", "a  = 1\r\nb\r\n", "a = 1\nb\n", "a = 2\nb\n", "a  = 2\r\nb\r\n"},
		{"beside a string", "f(\"a  b\",  1)\n", "f(\"a  b\", 1)\n", "f(\"a  b\", 2)\n", "f(\"a  b\",  2)\n"},
		{"another place in the file is longer", "return x\nreturn x, err\n", "return  x\n", "return y\n", "return y\nreturn x, err\n"},
		{"a new string", "f(a  b)\n", "f(a b)\n", "f(\"a b\")\n", "f(\"a b\")\n"},
		{"a struct", "type T struct {\n\tA    int    // one\n\tBBBB string // two\n}\n", "type T struct {\n\tA int // one\n\tBBBB string // two\n}\n",
			"type T struct {\n\tA int // one\n\tBBBB []string // two\n}\n", "type T struct {\n\tA    int    // one\n\tBBBB []string // two\n}\n"},
		{"a byte order mark", edits.BOM + "a  b\n", "a b\n", "a c\n", edits.BOM + "a  c\n"},
	} {
		for _, all := range []bool{false, true} {
			es, m, err := Replace(c.text, c.old, c.new, Where{All: all})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != StepSpaces {
				t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
			}
		}
	}
}

func TestReplaceRefusesOtherRunsOfSpaces(t *testing.T) {
	for _, c := range []struct{ name, text, old, reason string }{
		{"two places", "a  b\nx\na   b\n", "a b\n", ReasonNone},
		{"two places, one inside a line", "a  b\nx\nif a   b {\n", "a b", ReasonNone},
		{"two places, one with look-alikes", "a  - b\nx\na   — b\n", "a - b\n", ReasonNone},
		{"two places, one indented otherwise", "a  b\nc\nx\na  b\n  c\n", "a b\nc\n", ReasonNone},
		{"two places, one in a string", "a  b\nx = \"a   b\"\n", "a b", ReasonNone},
		{"in a string", "x = \"a  b\"\n", "x = \"a b\"\n", ReasonNone},
		{"in a string that is begun before", "f('a  b', c)\n", "a b', c", ReasonNone},
		{"in a string of several lines", "x = `\na  b\n`\n", "a b\n", ReasonNone},
		{"in a documentation string", "def f():\n    \"\"\"\n    a  b\n    \"\"\"\n", "    a b\n", ReasonNone},
		{"in a here-document", "cat <<EOF\na  b\nEOF\n", "a b\n", ReasonNone},
		{"after an apostrophe", "# don't  do\n", "# don't do\n", ReasonNone},
		{"where marks do not come in pairs", "x = `\nb\na  b\n", "a b\n", ReasonNone},
		{"none against one", "f(a,b)\n", "f(a, b)\n", ReasonNone},
		{"only look-alikes besides", "a  “b”\n", "a \"b\"\n", ReasonNone},
		{"the same already", "a b\n", "a  b\n", ReasonNoop},
	} {
		new := "new\n"
		if c.reason == ReasonNoop {
			new = c.text
		}
		for _, all := range []bool{false, true} {
			_, _, err := Replace(c.text, c.old, new, Where{All: all})
			if r := refusal(t, err); r.Reason != c.reason {
				t.Errorf("%s: got %s, %v, want %s", c.name, r.Reason, r, c.reason)
			}
		}
	}
}

func TestReplaceDropsCopiedLineNumbers(t *testing.T) {
	const text = "one\n\ttwo\n\n\tthree\nfour\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"with a bar", "2 | \ttwo\n3 |\n4 | \tthree\n", "2 | \tTWO\n3 |\n4 | \tthree\n", "one\n\tTWO\n\n\tthree\nfour\n"},
		{"with an arrow", "    2→\ttwo\n    3→\n    4→\tthree\n", "\tTWO\n\n\tthree\n", "one\n\tTWO\n\n\tthree\nfour\n"},
		{"with a colon", "1: one\n2: \ttwo", "1: ONE\n2: \ttwo", "ONE\n\ttwo\n\n\tthree\nfour\n"},
		{"with a colon and no space", "1:one\n2:\ttwo\n", "1:ONE\n2:\ttwo\n", "ONE\n\ttwo\n\n\tthree\nfour\n"},
		{"with a tab", "     5\tfour\n", "     5\tfive\n", "one\n\ttwo\n\n\tthree\nfive\n"},
		{"lines taken away", "4 | \tthree\n5 | four\n", "5 | four\n", "one\n\ttwo\n\nfour\n"},
		{"lines added", "5 | four\n", "5 | four\n6 | five\n", "one\n\ttwo\n\n\tthree\nfour\nfive\n"},
		{"nothing left", "5 | four\n", "", "one\n\ttwo\n\n\tthree\n"},
	} {
		es, m, err := Replace(text, c.old, c.new, Where{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := edittest.Apply(t, text, es...); got != c.want || m.Step != StepNumbers {
			t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
		}
	}
	for _, c := range []struct{ name, text, old, new string }{
		{"other numbers", text, "3 | \ttwo\n", "3 | x\n"},
		{"a line without a number", text, "1 | one\n\ttwo\n", "1 | x\n"},
		{"a number left out", text, "1 | one\n3 |\n", "1 | x\n"},
		{"two places", "a\nb\na\n", "1 | a\n", "1 | x\n"},
		{"some numbers in the new text", text, "1 | one\n2 | \ttwo\n", "1 | one\nnew\n2 | \ttwo\n"},
		{"other numbers in the new text", text, "1 | one\n", "7 | x\n"},
		{"numbers that fall", text, "1 | one\n2 | \ttwo\n", "2 | \ttwo\n1 | one\n"},
		{"other text", text, "1 | One\n", "1 | x\n"},
		{"indented otherwise", text, "2 | two\n3 |\n4 | three\n", "2 | x\n"},
	} {
		if es, m, err := Replace(c.text, c.old, c.new, Where{}); err == nil {
			t.Errorf("%s: %v by %s", c.name, es, m.Step)
		}
	}
	if es, m, err := Replace("x\n2: a\n", "2: a\n", "2: b\n", Where{}); err != nil || m.Step != StepExact || es[0].New != "2: b\n" {
		t.Errorf("numbers of the file itself: %v by %s, %v", es, m.Step, err)
	}
}

// Lines with their numbers in front mean the lines without, in that place or nowhere.
func TestNumberedLinesMeanTheirOwnPlace(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		text := folding(20).Draw(t, "text")
		l := edits.NewLines(text)
		first := rapid.IntRange(0, l.Count()-1).Draw(t, "first")
		last := min(first+rapid.IntRange(1, 4).Draw(t, "count"), l.Count())
		sign := rapid.SampledFrom([]string{" | ", "→", ": ", "\t", ":"}).Draw(t, "sign")
		off := rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "off")
		number := func(text string) string {
			var b strings.Builder
			for i, line := range linetext.Split(text) {
				b.WriteString(strconv.Itoa(first+1+i+off) + sign + line)
			}
			return b.String()
		}
		old := text[l.Start(first):l.Start(last)]
		new := folding(4).Draw(t, "new")
		es, m, err := Replace(text, number(old), number(new), Where{})
		if err != nil || m.Step != StepNumbers {
			return
		}
		if linetext.End(old) == "" {
			old, new = old+"\n", new+"\n"
		}
		want, _, err := Replace(text, old, new, Where{Lines: true})
		if err != nil || !slices.Equal(es, want) || edits.LineOf(text, m.Spans[0].Start) != first || off != 0 {
			t.Fatalf("Replace(%q, %q, %q): %v, want %v, %v", text, number(old), number(new), es, want, err)
		}
	})
}
