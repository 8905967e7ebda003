package match

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/closest"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

// refusal returns err, which must be a Refusal.
func refusal(t interface{ Fatalf(string, ...any) }, err error) *Refusal {
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r
}

func TestFindTable(t *testing.T) {
	const src = "a\nfoo\nb\nfoo\nc\n"
	for _, c := range []struct {
		text, old string
		all       bool
		want      []edits.Span
		refused   *Refusal
	}{
		{src, "b\n", false, []edits.Span{{Start: 6, End: 8}}, nil},
		{src, "foo", false, nil, &Refusal{Reason: ReasonSeveral, Step: "exact", Count: 2, Lines: []int{2, 4}}},
		{src, "foo", true, []edits.Span{{Start: 2, End: 5}, {Start: 8, End: 11}}, nil},
		{"aaa", "aa", false, nil, &Refusal{Reason: ReasonSeveral, Step: "exact", Count: 2, Lines: []int{1, 1}}},
		{"aaaa", "aa", true, []edits.Span{{Start: 0, End: 2}, {Start: 2, End: 4}}, nil},
		{src, "", false, nil, &Refusal{Reason: ReasonEmpty}},
		{"", "", true, nil, &Refusal{Reason: ReasonEmpty}},
		{src, "zebra", false, nil, &Refusal{Reason: ReasonNone}},
		{src, "zebra", true, nil, &Refusal{Reason: ReasonNone}},
		{"a\r\nb\rc", "c", false, []edits.Span{{Start: 5, End: 6}}, nil},
		{"a\r\nb\rb", "b", false, nil, &Refusal{Reason: ReasonSeveral, Step: "exact", Count: 2, Lines: []int{2, 3}}},
		{"func a() {\n\treturn 1 +\n\t  2\n}\n", "func a() {\n    return 1 +\n    2\n}\n", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &closest.Place{Line: 1, Text: "func a() {\n\treturn 1 +\n\t  2\n}\n"}}},
		{"x\ny\nz\nvar total = compute(left)\n", "var total = compute(lefty)", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &closest.Place{Line: 4, Text: "var total = compute(left)"}}},
		{"one\ntwo\nthree\nfour\n", "zero\ntwo\nthree\n", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &closest.Place{Line: 2, Text: "two\nthree\n"}}},
		{"one\ntwo\nthree\nfour\n", "two\nthree\nfive\n", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &closest.Place{Line: 2, Text: "two\nthree\n"}}},
	} {
		m, err := Find(c.text, c.old, Where{All: c.all})
		if c.refused != nil {
			if d := cmp.Diff(c.refused, refusal(t, err), cmpopts.IgnoreUnexported(Refusal{})); d != "" {
				t.Errorf("Find(%q, %q, %v): %s", c.text, c.old, c.all, d)
			}
			continue
		}
		if d := cmp.Diff(Match{Spans: c.want, Step: "exact"}, m); d != "" || err != nil {
			t.Errorf("Find(%q, %q, %v): %v, %s", c.text, c.old, c.all, err, d)
		}
	}
}

func TestReplaceEdits(t *testing.T) {
	es, m, err := Replace("x = 1\nx = 2\n", "x", "y", Where{All: true})
	if err != nil || m.Step != "exact" {
		t.Fatal(m, err)
	}
	if got := edittest.Apply(t, "x = 1\nx = 2\n", es...); got != "y = 1\ny = 2\n" {
		t.Errorf("got %q", got)
	}
	for _, c := range []struct{ old, new, reason string }{
		{"x", "x", ReasonNoop},
		{"x", "y", ReasonSeveral},
		{"", "y", ReasonEmpty},
		{"", "", ReasonEmpty},
		{"z", "y", ReasonNone},
	} {
		if _, _, err := Replace("x = 1\nx = 2\n", c.old, c.new, Where{}); refusal(t, err).Reason != c.reason {
			t.Errorf("%q by %q: got %v, want %s", c.old, c.new, err, c.reason)
		}
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		text, old string
		want      []string
	}{
		{strings.Repeat("foo\n", 3), "foo", []string{"3 places", "lines 1, 2 and 3", "Nothing was changed"}},
		{strings.Repeat("foo\n", 12), "foo", []string{"12 places", "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and further down"}},
		{strings.Repeat("foo\n", 500), "foo", []string{"500 places", "9, 10 and further down"}},
		{"a", "", []string{"empty"}},
		{"a", "zebra", []string{"not found", "nothing in the file is much like it"}},
		{"func a() {\n\treturn 1\n}\n", "func a() {\n      return 1\n}", []string{
			"nearest text is on line 1", "  func a() {\n- ······return 1\n+ →return 1\n  }", "Only the indentation differs, and not in the same way on all lines."}},
		{"alpha := beta(\u202e)\n", "alpha := beta()\n", []string{"+ alpha := beta(⟨U+202E⟩)"}},
	} {
		_, err := Find(c.text, c.old, Where{})
		for _, want := range c.want {
			if msg := refusal(t, err).Error(); !strings.Contains(msg, want) {
				t.Errorf("looking for %q: %q does not say %q", c.old, msg, want)
			}
		}
	}
}

func TestRefusalIsBounded(t *testing.T) {
	long := strings.Repeat("word ", 10_000) + "\n"
	_, err := Find(strings.Repeat(long, 3), strings.Repeat("x"+long, 200), Where{})
	if n := len(refusal(t, err).Error()); n > 10_000 {
		t.Errorf("the message has %d bytes", n)
	}
}

// isAt reports whether a text has near's text on near's line: whole lines, or a part of
// one.
func isAt(text string, near *closest.Place) bool {
	l := edits.NewLines(text)
	if near.Line < 1 || near.Line > l.Count() {
		return false
	}
	return strings.HasPrefix(text[l.Start(near.Line-1):], near.Text) || strings.Contains(l.Line(near.Line-1).Of(text), near.Text)
}

// checkFind fails unless Find agrees with an exhaustive search.
func checkFind(t interface{ Fatalf(string, ...any) }, text, old string) {
	for _, w := range []Where{{}, {All: true}, {Lines: true}, {All: true, Lines: true}} {
		places, step := referenceFind(text, old, w)
		m, err := Find(text, old, w)
		if old == "" {
			if refusal(t, err).Reason != ReasonEmpty {
				t.Fatalf("Find(%q, \"\"): %v", text, err)
			}
			continue
		}
		if len(places) == 1 || w.All && len(places) > 0 {
			if d := cmp.Diff(Match{Spans: places, Step: step}, m); d != "" || err != nil {
				t.Fatalf("Find(%q, %q, %+v): %v, %s", text, old, w, err, d)
			}
			checkPlaces(t, text, old, m)
			continue
		}
		r := refusal(t, err)
		_ = r.Error()
		if len(places) == 0 {
			if r.Reason != ReasonNone {
				t.Fatalf("Find(%q, %q, %+v): %v", text, old, w, r)
			}
			if near := r.Nearest; near != nil && !isAt(text, near) {
				t.Fatalf("Find(%q, %q): %v is not in the text", text, old, near)
			}
			continue
		}
		var lines []int
		for _, p := range places[:min(len(places), maxListed)] {
			lines = append(lines, edits.NewLines(text).LineOf(p.Start)+1)
		}
		if r.Reason != ReasonSeveral || r.Step != step || r.Count != len(places) || !slices.Equal(r.Lines, lines) {
			t.Fatalf("Find(%q, %q, %+v): %v, want %v by %s", text, old, w, r, lines, step)
		}
	}
}

// checkPlaces fails if a place has more lines than were asked for, or if
// places overlap.
func checkPlaces(t interface{ Fatalf(string, ...any) }, text, old string, m Match) {
	last := 0
	for _, p := range m.Spans {
		if len(linetext.Split(p.Of(text))) > len(linetext.Split(old)) || p.Start < last || p.Len() == 0 {
			t.Fatalf("Find(%q, %q): %v is too much", text, old, p)
		}
		last = p.End
	}
}

// blanksAndQuotes are pieces of text whose differences the steps forgive.
var blanksAndQuotes = slices.Concat(edittest.Bits, []string{
	" ", "  ", "\t", " \n", "\t\r\n", "  b\n", "\tb\n", "\"", "“", "”", "'", "’", "-", "—", "\u00a0", edits.BOM, "c",
})

// folding generates texts that often differ only in what the steps forgive.
func folding(n int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(blanksAndQuotes), 0, n).Draw(t, "bits"), "")
	})
}

// disguised returns s as a careless model copies it: with other spaces and line ends, look-alike
// characters, and shifted lines.
func disguised(s string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		put := rapid.SampledFrom([]string{"", "", " ", "\t"}).Draw(t, "put")
		tail := rapid.SampledFrom([]string{"", "", " ", "\t"})
		end := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r"})
		runs := rapid.SampledFrom([]*strings.Replacer{
			strings.NewReplacer(), strings.NewReplacer(), strings.NewReplacer(" ", "  "), strings.NewReplacer("  ", " "), strings.NewReplacer(" ", "\t", "\t", "  "),
		}).Draw(t, "runs")
		var b strings.Builder
		for _, line := range linetext.Split(s) {
			p := linetext.PartsOf(linetext.Content(line))
			if p.Body != "" {
				b.WriteString(put + p.Indent + runs.Replace(p.Body))
			}
			b.WriteString(tail.Draw(t, "tail"))
			if linetext.End(line) != "" {
				b.WriteString(end.Draw(t, "end"))
			}
		}
		return rapid.SampledFrom([]*strings.Replacer{
			strings.NewReplacer(), strings.NewReplacer(),
			strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "—", "-"),
			strings.NewReplacer(`"`, "“", "'", "’", "-", "—", " ", "\u00a0"),
		}).Draw(t, "look").Replace(b.String())
	})
}

func TestFindAgreesWithLooking(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := folding(20).Draw(t, "text")
		checkFind(t, s, folding(4).Draw(t, "old"))
		start := rapid.IntRange(0, len(s)).Draw(t, "start")
		old := s[start:rapid.IntRange(start, len(s)).Draw(t, "end")]
		checkFind(t, s, old)
		checkFind(t, s, disguised(old).Draw(t, "disguised"))
		l := edits.NewLines(s)
		line := rapid.IntRange(0, l.Count()-1).Draw(t, "line")
		lines := s[l.Start(line):l.Start(line+rapid.IntRange(1, 4).Draw(t, "count"))]
		checkFind(t, s, disguised(lines).Draw(t, "disguised lines"))
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a\nfoo\nfoo\n", "foo\n")
	f.Add("aaa", "aa")
	f.Add("func a() {\r\n\treturn 1\r\n}\r\n", "func a() {\n return 1\n}\n")
	f.Add("x\xffyz1234", "\xffyz12345")
	f.Add("\uFEFFa \r\n\tb", "\uFEFFa\nb\n")
	f.Add("if a:\n    b\n\n    c\n", "  b\n\n  c\n")
	f.Add("say “hi” — to Bob \r\n", "say \"hi\" - to Bob\n")
	f.Add("caf\u00e9（\uff41）\nb\n", "cafe\u0301(a)\nb\n")
	f.Add("x\n\ta  = \"b  c\"\t// d\n", "a = \"b  c\" // d\n")
	f.Fuzz(func(t *testing.T, text, old string) {
		if len(text) > 300 {
			return // checking every offset takes too long
		}
		checkFind(t, text, old)
	})
}

func BenchmarkFind(b *testing.B) {
	s := edittest.Megabyte()
	l := edits.NewLines(s)
	there := s[l.Line(l.Count()-12).Start:l.Line(l.Count()-4).End]
	tiny := strings.Repeat("\n", 1<<20)
	for _, c := range []struct{ name, text, old string }{
		{"exact", s, there},
		{"miss by a blank", s, strings.ReplaceAll(there, "\t", "  ")},
		{"miss by a letter", s, "func fxxxx99999() interface{} {"},
		{"miss altogether", s, strings.Repeat("nothing of the kind\n", 100)},
		{"miss in empty lines", tiny, there},
		{"miss in one long line", strings.ReplaceAll(s, "\n", " "), there},
		{"miss everywhere by the last byte", strings.Repeat("a\n", 500_000), strings.Repeat("a\n", 10_000) + "b"},
		{"places everywhere", strings.Repeat("a\n", 500_000), "a"},
		{"places everywhere by look-alikes in one long line", strings.Repeat("“a ", 200_000), `"a `},
		{"miss everywhere by the last indentation", strings.Repeat("a\n", 500_000), strings.Repeat("a\n", 10_000) + " a\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, err := Find(c.text, c.old, Where{})
				if err != nil {
					_ = err.Error()
				}
			}
		})
	}
	b.Run("whole lines among many places", func(b *testing.B) {
		text := strings.Repeat(" a\n", 300_000) + "a\n"
		for b.Loop() {
			if _, err := Find(text, "a\n", Where{Lines: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole lines among long places", func(b *testing.B) {
		text, old := strings.Repeat("a\n", 500_000), strings.Repeat("a\n", 10_000)+"a"
		for b.Loop() {
			if _, err := Find(text, old, Where{Lines: true}); err == nil {
				b.Fatal("found")
			}
		}
	})
}

// BenchmarkReplace replaces some lines near the end of a megabyte, which each step finds.
func BenchmarkReplace(b *testing.B) {
	s := edittest.Megabyte()
	l := edits.NewLines(s)
	lines := edits.Span{Start: l.Line(l.Count() - 12).Start, End: l.Line(l.Count() - 4).End}
	there := lines.Of(s)
	shifted := s[:lines.Start] + "  " + strings.ReplaceAll(strings.TrimSuffix(there, "\n"), "\n", "\n  ") + "\n" + s[lines.End:]
	crlf := strings.ReplaceAll(s, "\n", "\r\n")
	blanks := strings.ReplaceAll(s, "\n", " \n")
	quoted := strings.ReplaceAll(s, "int", "“int”") // most lines have look-alikes
	for _, c := range []struct{ name, text, old, step string }{
		{"common lines, line endings", s + "}\n}\n\n", "} \n}\n", "line endings"}, // nothing in it is rare
		{"common lines, indentation", s + "\t}\n\n\t}\n", "  }\n\n  }\n", "indentation"},
		{"common lines, look-alikes", quoted + "  “}”\n  “}”\n", "\"}\"\n\"}\"\n", "look-alikes"},
		{"exact", s, there, "exact"},
		{"line endings", blanks, there, "line endings"},
		{"line endings CRLF", crlf, there, "line endings"},
		{"indentation", shifted, there, "indentation"},
		{"indentation CRLF", strings.ReplaceAll(shifted, "\n", "\r\n"), there, "indentation"},
		{"look-alikes", quoted, strings.ReplaceAll(there, "int", `"int"`), "look-alikes"},
		{"look-alikes CRLF", strings.ReplaceAll(quoted, "\n", "\r\n"), strings.ReplaceAll(there, "int", `"int"`), "look-alikes"},
		{"look-alikes indented", strings.ReplaceAll(shifted, "int", "“int”"), strings.ReplaceAll(there, "int", `"int"`), "look-alikes"},
		{"spaces", s, strings.ReplaceAll(there, "return ", "return   "), "spaces"},
		{"spaces CRLF, indented", strings.ReplaceAll(shifted, "\n", "\r\n"), strings.ReplaceAll(there, "return ", "return   "), "spaces"},
		{"look-alikes indented CRLF", strings.ReplaceAll(strings.ReplaceAll(shifted, "int", "“int”"), "\n", "\r\n"), strings.ReplaceAll(there, "int", `"int"`), "look-alikes"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, m, err := Replace(c.text, c.old, strings.Replace(c.old, "}", "}}", 1), Where{})
				if err != nil || m.Step != c.step {
					b.Fatal(m.Step, err)
				}
			}
		})
	}
}
