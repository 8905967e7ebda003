package adapt_test

import (
	"testing"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/edittest"
	"redline/edits/match"
)

// New lines get the file's line ends, whatever their author wrote, in each step.
func TestNewLinesFollowTheFile(t *testing.T) {
	for _, c := range []struct {
		name           string
		text, old, new string
		want, step     string
	}{
		{"LF, one line becomes two", "a\nb\n", "b", "B\r\nC", "a\nB\nC\n", "exact"},
		{"LF, in the middle", "a\nb\nc\n", "b\n", "B\r\nC\r\n", "a\nB\nC\nc\n", "exact"},
		{"LF, both kinds in new", "a\nb\n", "a\n", "a\nx\r\ny\n", "a\nx\ny\nb\n", "exact"},
		{"LF, no last line end", "a\nb", "b", "b\r\nc", "a\nb\nc", "exact"},
		{"LF, all of it", "a\nb\n", "a\nb\n", "x\r\ny\r\nz\r\n", "x\ny\nz\n", "exact"},
		{"LF, old has CRLF", "a\nb\n", "a\r\nb\r\n", "a\r\nx\r\nb\r\n", "a\nx\nb\n", "line endings"},
		{"LF, shifted", "  a\n  b\n", "a\nb\n", "a\r\nx\r\nb\r\n", "  a\n  x\n  b\n", "indentation"},
		{"LF, look-alikes", "“a”\nb\n", "\"a\"\nb\n", "\"a\"\r\nx\r\nb\r\n", "“a”\nx\nb\n", "look-alikes"},
		{"CRLF, old has it, new has not", "a\r\nb\r\nc\r\n", "a\r\nb\r\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n", "exact"},
		{"CRLF, some of new", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nx\nb\r\n", "a\r\nx\r\nb\r\n", "exact"},
		{"CRLF, one line", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n", "exact"},
		{"CRLF, line ends kept and the text changed", "a\r\nb\r\n", "a\r\nb\r\n", "a\nB\n", "a\r\nB\r\n", "exact"},
		{"CR, old Mac", "a\rb\r", "a", "a\r\nx", "a\rx\rb\r", "exact"},
		{"CR, old has it", "a\rb\r", "a\rb\r", "a\nx\nb\n", "a\rx\rb\r", "exact"},
		{"no line ends at all", "a", "a", "a\r\nb", "a\r\nb", "exact"},

		{"mixed, the last line keeps its own", "a\r\nb\nc\n", "c\n", "C\r\n", "a\r\nb\nC\n", "exact"},
		{"mixed, the last line keeps its own with a line above", "a\r\nb\r\nc\n", "b\r\nc\n", "b\r\nC\r\n", "a\r\nb\r\nC\n", "exact"},
		{"mixed, the last line keeps its CRLF", "a\nb\nc\r\n", "b\nc\r\n", "b\nC\n", "a\nb\nC\r\n", "exact"},
		{"mixed, each line its own", "a\r\nb\nc\r\n", "a\r\nb\nc\r\n", "A\nB\nC\n", "A\r\nB\nC\r\n", "exact"},
		{"mixed, added lines as those around", "a\r\nb\nc\n", "b\nc\n", "b\nx\r\nc\n", "a\r\nb\nx\nc\n", "exact"},
		{"mixed, added after CRLF", "a\r\nb\nc\n", "a\r\n", "a\r\nx\n", "a\r\nx\r\nb\nc\n", "exact"},

		{"only line ends change: to LF", "a\r\nb\r\nc\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\nc\r\n", "exact"},
		{"only line ends change: to CRLF", "a\nb\nc\n", "a\nb\n", "a\r\nb\r\n", "a\r\nb\r\nc\n", "exact"},
		{"only line ends change: one of two", "a\r\nb\nc\n", "a\r\nb\n", "a\nb\n", "a\nb\nc\n", "exact"},

		{"a lone CR in new is text", "a\nb\n", "a", "10%\r20%", "10%\r20%\nb\n", "exact"},
		{"a lone CR in new is text, in CRLF", "a\r\nb\r\n", "a\nb\n", "a\nx\ry\n", "a\r\nx\ry\r\n", "line endings"},
		{"a lone CR in the text stays", "10%\r20%\nb\n", "10%\r20%\nb\n", "10%\r20%\r30%\nb\n", "10%\r20%\r30%\nb\n", "exact"},
		{"a lone CR is no line end to follow", "10%\r20%\nb\n", "20%\n", "20%\nx\n", "10%\r20%\nx\nb\n", "exact"},
		{"lines after a lone CR", "10%\r20%\r\nb\r\n", "10%\r", "10%\r15%\n", "10%\r15%\r\n20%\r\nb\r\n", "exact"},
		{"a lone CR goes", "10%\r20%\nb\n", "10%\r20%\n", "10%\n20%\n", "10%\n20%\nb\n", "exact"},
		{"\\r as text", "s = \"a\\r\\n\"\n", `"a\r\n"`, `"b\r\n"`, "s = \"b\\r\\n\"\n", "exact"},
		{"a CR before the line end that is there", "a\nb\n", "a", "x\r", "x\nb\n", "exact"},
		{"a CR before the CRLF that is there", "a\r\nb\r\n", "a", "x\r", "x\r\nb\r\n", "exact"},
		{"CR CR LF stays", "a\r\r\nb\r\r\n", "a\r", "x\r", "x\r\r\nb\r\r\n", "exact"},
	} {
		es, m, err := match.Replace(c.text, c.old, c.new, match.Where{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != c.step {
			t.Errorf("%s: got %q by %s, want %q by %s", c.name, got, m.Step, c.want, c.step)
		}
	}
}

// Whole lines that are given by number get the file's line ends too.
func TestLinesByNumberFollowTheFile(t *testing.T) {
	for _, c := range []struct {
		text string
		e    edits.Edit
		want string
	}{
		{"a\nb\n", edits.Edit{Span: edits.Span{Start: 2, End: 2}, New: "x\r\n"}, "a\nx\nb\n"},
		{"a\nb\n", edits.Edit{Span: edits.Span{Start: 2, End: 4}, New: "x\r\ny\r\n"}, "a\nx\ny\n"},
		{"a\r\nb\r\n", edits.Edit{Span: edits.Span{Start: 3, End: 6}, New: "x\r\ny\n"}, "a\r\nx\r\ny\r\n"},
		{"a\r\nb\n", edits.Edit{Span: edits.Span{Start: 3, End: 5}, New: "x\r\n"}, "a\r\nx\n"},
		{"a\nb\n", edits.Edit{Span: edits.Span{Start: 2, End: 4}, New: "b\r\n"}, "a\nb\r\n"}, // nothing but the line end
		{"a\r\nb\r\n", edits.Edit{Span: edits.Span{Start: 3, End: 6}, New: "b\n"}, "a\r\nb\r\n"},
		{"a\nb\n", edits.Edit{Span: edits.Span{Start: 2, End: 4}, New: "1%\r2%\n"}, "a\n1%\r2%\n"},
	} {
		e, _ := adapt.WithEnds(c.text, c.e)
		if got := edittest.Apply(t, c.text, e); got != c.want {
			t.Errorf("%q, %v: got %q, want %q", c.text, c.e, got, c.want)
		}
	}
}

// Matches of a search text of several lines are counted with all line ends equal: its author may
// not see them.
func TestLineEndsTellNoPlacesApart(t *testing.T) {
	const twice = "hello\r\nworld\r\n\r\nhello\nworld\n"
	for _, c := range []struct {
		name, text, old, new string
		all                  bool
		want, step           string // "": refused
		lines                []int
	}{
		{name: "LF of both", text: twice, old: "hello\nworld\n", new: "x\n", lines: []int{1, 4}},
		{name: "CRLF of both", text: twice, old: "hello\r\nworld\r\n", new: "x\r\n", lines: []int{1, 4}},
		{name: "without the last line end", text: twice, old: "hello\nworld", new: "x", lines: []int{1, 4}},
		{name: "one line with its end", text: "a\r\nfoo\r\nfoo\n", old: "foo\n", new: "x\n", lines: []int{2, 3}},
		{name: "after a byte order mark", text: edits.BOM + twice, old: "hello\nworld\n", new: "x\n", lines: []int{1, 4}},
		{name: "with a lone CR", text: "a\rb\nc\na\nb\n", old: "a\nb\n", new: "x\n", lines: []int{1, 4}},
		{name: "the line below tells", text: twice + "end\n", old: "world\nend\n", new: "x\nend\n", want: "hello\r\nworld\r\n\r\nhello\nx\nend\n", step: "exact"},
		{name: "trailing blanks do tell", text: "hello \r\nworld\r\nhello\nworld\n", old: "hello\nworld\n", new: "x\n", want: "hello \r\nworld\r\nx\n", step: "exact"},
		{name: "the mark tells", text: edits.BOM + "hello\nworld\r\nhello\nworld\r\n", old: edits.BOM + "hello\nworld\r\n", new: "x\n", want: "x\nhello\nworld\r\n", step: "exact"},
		{name: "all", text: twice, old: "hello\nworld\n", new: "hello\nyou\n", all: true, want: "hello\r\nyou\r\n\r\nhello\nyou\n", step: "line endings"},
		{name: "only line ends change: they tell", text: twice, old: "hello\r\nworld\r\n", new: "hello\nworld\n", want: "hello\nworld\n\r\nhello\nworld\n", step: "exact"},
	} {
		es, m, err := match.Replace(c.text, c.old, c.new, match.Where{All: c.all})
		if c.step == "" {
			if err == nil {
				t.Errorf("%s: got %q by %s", c.name, edittest.Apply(t, c.text, es...), m.Step)
			} else if r := refusal(t, err); r.Reason != match.ReasonSeveral || len(r.Lines) != 2 || r.Lines[0] != c.lines[0] || r.Lines[1] != c.lines[1] || r.Step != match.StepLineEndings {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != c.step {
			t.Errorf("%s: got %q by %s, want %q by %s", c.name, got, m.Step, c.want, c.step)
		}
	}
}
