package edits

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// refusal returns err as the refusal that it must be.
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
		want      []Span
		refused   *Refusal
	}{
		{src, "b\n", false, []Span{{6, 8}}, nil},
		{src, "foo", false, nil, &Refusal{Reason: ReasonSeveral, Lines: []int{2, 4}}},
		{src, "foo", true, []Span{{2, 5}, {8, 11}}, nil},
		{"aaa", "aa", false, nil, &Refusal{Reason: ReasonSeveral, Lines: []int{1, 1}}},
		{"aaaa", "aa", true, []Span{{0, 2}, {2, 4}}, nil},
		{src, "", false, nil, &Refusal{Reason: ReasonEmpty}},
		{"", "", true, nil, &Refusal{Reason: ReasonEmpty}},
		{src, "zebra", false, nil, &Refusal{Reason: ReasonNone}},
		{src, "zebra", true, nil, &Refusal{Reason: ReasonNone}},
		{"a\r\nb\rc", "c", false, []Span{{5, 6}}, nil},
		{"a\r\nb\rb", "b", false, nil, &Refusal{Reason: ReasonSeveral, Lines: []int{2, 3}}},
		{"func a() {\n\treturn 1\n}\n", "func a() {\n    return 1\n}\n", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &Near{1, "func a() {\n\treturn 1\n}\n"}}},
		{"x\ny\nz\nvar total = compute(left)\n", "var total = compute(lefty)", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &Near{4, "var total = compute(left)\n"}}},
		{"one\ntwo\nthree\nfour\n", "zero\ntwo\nthree\n", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &Near{1, "one\ntwo\nthree\n"}}},
		{"one\ntwo\nthree\nfour\n", "two\nthree\nfive\n", false, nil,
			&Refusal{Reason: ReasonNone, Nearest: &Near{2, "two\nthree\nfour\n"}}},
	} {
		m, err := Find(c.text, c.old, Where{All: c.all})
		if c.refused != nil {
			if d := cmp.Diff(c.refused, refusal(t, err), cmpopts.IgnoreUnexported(Refusal{})); d != "" {
				t.Errorf("Find(%q, %q, %v): %s", c.text, c.old, c.all, d)
			}
			continue
		}
		if d := cmp.Diff(Match{c.want, "exact"}, m); d != "" || err != nil {
			t.Errorf("Find(%q, %q, %v): %v, %s", c.text, c.old, c.all, err, d)
		}
	}
}

func TestReplaceEdits(t *testing.T) {
	es, m, err := Replace("x = 1\nx = 2\n", "x", "y", Where{All: true})
	if err != nil || m.Step != "exact" {
		t.Fatal(m, err)
	}
	if got := apply(t, "x = 1\nx = 2\n", es...); got != "y = 1\ny = 2\n" {
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
		{strings.Repeat("foo\n", 500), "foo", []string{"100 places or more"}},
		{"a", "", []string{"empty"}},
		{"a", "zebra", []string{"not found", "nothing in the file is much like it"}},
		{"func a() {\n\treturn 1\n}\n", "func a() {\n    return 1\n}", []string{
			"starts on line 1", "  func a() {\n-     return 1\n+ \treturn 1\n  }", `Only blanks or line ends differ: asked for was "    return 1\n", the file has "\treturn 1\n"`}},
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

// checkFind fails unless Find agrees with looking at every offset.
func checkFind(t interface{ Fatalf(string, ...any) }, text, old string) {
	var places []Span
	for i := 0; old != "" && i+len(old) <= len(text); i++ {
		if text[i:i+len(old)] == old {
			places = append(places, Span{i, i + len(old)})
		}
	}
	m, err := Find(text, old, Where{})
	if len(places) == 1 {
		if err != nil || len(m.Spans) != 1 || m.Spans[0] != places[0] {
			t.Fatalf("Find(%q, %q) = %v, %v, want %v", text, old, m, err, places)
		}
		return
	}
	r := refusal(t, err)
	_ = r.Error()
	want := ReasonNone
	switch {
	case old == "":
		want = ReasonEmpty
	case len(places) > 1:
		want = ReasonSeveral
	}
	if r.Reason != want || want == ReasonSeveral && len(r.Lines) != min(len(places), maxPlaces) {
		t.Fatalf("Find(%q, %q): %v, want %s of %d", text, old, r, want, len(places))
	}
	for i, line := range r.Lines {
		if got := NewLines(text).LineOf(places[i].Start) + 1; got != line {
			t.Fatalf("Find(%q, %q): place %d is on line %d, not %d", text, old, i, got, line)
		}
	}
	if near := r.Nearest; near != nil && !strings.HasPrefix(text[NewLines(text).start(near.Line-1):], near.Text) {
		t.Fatalf("Find(%q, %q): %v is not in the text", text, old, near)
	}
	all, err := Find(text, old, Where{All: true})
	if (err == nil) != (want == ReasonSeveral) {
		t.Fatalf("Find(%q, %q, all): %v", text, old, err)
	}
	if err == nil && len(all.Spans) != strings.Count(text, old) {
		t.Fatalf("Find(%q, %q, all): %v", text, old, all.Spans)
	}
}

func TestFindAgreesWithLooking(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := text(20).Draw(t, "text")
		checkFind(t, s, text(3).Draw(t, "old"))
		start := rapid.IntRange(0, len(s)).Draw(t, "start")
		checkFind(t, s, s[start:rapid.IntRange(start, len(s)).Draw(t, "end")])
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a\nfoo\nfoo\n", "foo\n")
	f.Add("aaa", "aa")
	f.Add("func a() {\r\n\treturn 1\r\n}\r\n", "func a() {\n return 1\n}\n")
	f.Add("x\xffyz1234", "\xffyz12345")
	f.Fuzz(func(t *testing.T, text, old string) {
		if len(text) > 10_000 {
			return // looking at every offset takes too long
		}
		checkFind(t, text, old)
	})
}

func BenchmarkFind(b *testing.B) {
	s := megabyte()
	l := NewLines(s)
	there := s[l.Line(l.Count()-12).Start:l.Line(l.Count()-4).End]
	tiny := strings.Repeat("\n", 1<<20)
	for _, c := range []struct{ name, text, old string }{
		{"exact", s, there},
		{"miss by a blank", s, strings.ReplaceAll(there, "\t", "  ")},
		{"miss by a letter", s, "func fxxxx99999() interface{} {"},
		{"miss altogether", s, strings.Repeat("nothing of the kind\n", 100)},
		{"miss in empty lines", tiny, there},
		{"miss in one long line", strings.ReplaceAll(s, "\n", " "), there},
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
}
