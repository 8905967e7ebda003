package chat

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
)

func TestFindRequest(t *testing.T) {
	type want struct {
		first, last int
		text, after string // after: the text once the comment is removed
	}
	for name, c := range map[string]struct {
		text string
		line int
		want want
	}{
		"go":                   {"a\n\t// redline: use a map\nb\n", 1, want{1, 1, "use a map", "a\nb\n"}},
		"no blank, any case":   {"//REDLINE:x\nb", 0, want{0, 0, "x", "b"}},
		"two lines":            {"// redline: use\n// a map\n\nb", 0, want{0, 1, "use\na map", "\nb"}},
		"asked for below":      {"// redline: use\n// a map\nb", 1, want{0, 1, "use\na map", "b"}},
		"rust doc":             {"/// redline: x\n//! y\n", 0, want{0, 0, "x", "//! y\n"}},
		"next request":         {"# redline: a\n# more\n# redline: b\n", 0, want{0, 1, "a\nmore", "# redline: b\n"}},
		"second request":       {"# redline: a\n# redline: b\n", 1, want{1, 1, "b", "# redline: a\n"}},
		"directive":            {"// redline: x\n//go:embed y\nz", 0, want{0, 0, "x", "//go:embed y\nz"}},
		"empty line of it":     {"# redline: a\n#\n# b\nc", 0, want{0, 2, "a\n\nb", "c"}},
		"lua, sql":             {"-- redline: x\ny", 0, want{0, 0, "x", "y"}},
		"lisp":                 {";; redline: x\n;; y\n", 0, want{0, 1, "x\ny", ""}},
		"lisp, other level":    {";; redline: x\n; y\n", 0, want{0, 0, "x", "; y\n"}},
		"tex":                  {"% redline: x\n", 0, want{0, 0, "x", ""}},
		"basic":                {"' redline: x\nREM y\n", 0, want{0, 0, "x", "REM y\n"}},
		"rem":                  {"rem redline: x\nREM y\n", 0, want{0, 1, "x\ny", ""}},
		"vim":                  {"\" redline: call \"f\"\nlet a = 1\n", 0, want{0, 0, `call "f"`, "let a = 1\n"}},
		"fortran":              {"! redline: x\n", 0, want{0, 0, "x", ""}},
		"c":                    {"/* redline: x */\nint a;\n", 0, want{0, 0, "x", "int a;\n"}},
		"c, several lines":     {"/* redline: x\n * y\n\n   z */\nint a;\n", 2, want{0, 3, "x\ny\n\nz", "int a;\n"}},
		"c, code behind":       {"\t/* redline: x */ int a;\n", 0, want{0, 0, "x", "\tint a;\n"}},
		"c, in an argument":    {"f(a, /* redline: x */ b)\n", 0, want{0, 0, "x", "f(a, b)\n"}},
		"html":                 {"<p>\n  <!-- redline: x\n  y -->\n</p>", 2, want{1, 2, "x\ny", "<p>\n</p>"}},
		"html, behind":         {"<p> <!-- redline: x -->\n</p>", 0, want{0, 0, "x", "<p>\n</p>"}},
		"jsx":                  {"<p>\n{/* redline: x */}\n</p>", 1, want{1, 1, "x", "<p>\n</p>"}},
		"ocaml":                {"(* redline: x *)\nlet a = 1", 0, want{0, 0, "x", "let a = 1"}},
		"haskell":              {"{- redline: x\n y -}\na = 1", 1, want{0, 1, "x\ny", "a = 1"}},
		"javadoc":              {"/**\n * Does.\n * redline: x\n * y\n */\nf();", 3, want{2, 3, "x\ny", "/**\n * Does.\n */\nf();"}},
		"javadoc's end":        {"/** Does.\n * redline: x\n * y */\nf();", 1, want{1, 2, "x\ny", "/** Does.\n */\nf();"}},
		"request in a block":   {"/* redline: a\n * redline: b\n */\nc", 1, want{0, 2, "a\nredline: b", "c"}},
		"block, below":         {"/*\n * redline: change it\n * please\n */\nint xx;", 1, want{0, 3, "change it\nplease", "int xx;"}},
		"block, at its start":  {"a\n/**\n *\n * redline: x\n */\nb", 1, want{1, 4, "x", "a\nb"}},
		"block, at its end":    {"\t/*\n\t * redline: x\n\t **/\nb", 2, want{0, 2, "x", "b"}},
		"block, without stars": {"/*\n  redline: x\n\n  y\n*/\nb", 3, want{0, 4, "x\n\ny", "b"}},
		"block, code around":   {"int a; /*\n * redline: x\n */ int b;", 1, want{0, 2, "x", "int a; int b;"}},
		"block, code before":   {"int a; /*\n * redline: x\n */\nb", 1, want{0, 2, "x", "int a;\nb"}},
		"block, crlf":          {"/*\r\n * redline: x\r\n */\r\nb", 1, want{0, 2, "x", "b"}},
		"block, text above":    {"/* Does.\n   redline: x\n   y */\nb", 2, want{1, 2, "x\ny", "/* Does.\n   */\nb"}},
		"block, text below":    {"/*\n * redline: x\n * redline: y\n */\nb", 1, want{1, 1, "x", "/*\n * redline: y\n */\nb"}},
		"block, two of them":   {"/*\n redline: x\n redline: y\n*/\nb", 2, want{2, 2, "y", "/*\n redline: x\n*/\nb"}},
		"ocaml, below":         {"(*\n * redline: x\n * y *)\nb", 2, want{0, 2, "x\ny", "b"}},
		"html, below":          {"<p>\n<!--\n  redline: x\n  y\n-->\n</p>", 4, want{1, 4, "x\ny", "<p>\n</p>"}},
		"html, text above":     {"<!-- Head.\n\n  redline: x\n-->\n</p>", 2, want{2, 2, "x", "<!-- Head.\n\n-->\n</p>"}},
		"haskell, below":       {"{-\nredline: x\n-}\na = 1", 0, want{0, 2, "x", "a = 1"}},
		"jsx, below":           {"<p>\n{/*\n  * redline: x\n*/}\n</p>", 2, want{1, 3, "x", "<p>\n</p>"}},
		"trailing":             {"a := 1  // redline: x\nb", 0, want{0, 0, "x", "a := 1\nb"}},
		"trailing, two":        {"a := 1 // redline: x\n       // y\nb", 1, want{0, 1, "x\ny", "a := 1\nb"}},
		"trailing, not two":    {"a := 1 // redline: x\n// b is\nb", 0, want{0, 0, "x", "a := 1\n// b is\nb"}},
		"trailing, python":     {"a = '#' # redline: x", 0, want{0, 0, "x", "a = '#'"}},
		"after a string":       {`a := "//" // redline: x`, 0, want{0, 0, "x", `a := "//"`}},
		"crlf":                 {"a\r\n// redline: x\r\n// y\r\nb\r\n", 1, want{1, 2, "x\ny", "a\r\nb\r\n"}},
		"crlf, trailing":       {"a // redline: x\r\nb", 0, want{0, 0, "x", "a\r\nb"}},
		"crlf, block":          {"a\r\n/* redline: x\r\n\ty */\r\nb", 1, want{1, 2, "x\ny", "a\r\nb"}},
		"no final newline":     {"a\n# redline: x", 1, want{1, 1, "x", "a\n"}},
		"byte order mark":      {"\ufeff# redline: x\nb", 0, want{0, 0, "x", "\ufeffb"}},
		"beyond the BMP":       {"s := `😀` // redline: x 😀\n", 0, want{0, 0, "x 😀", "s := `😀`\n"}},
		"text on line two":     {"# redline:\n# x\n", 0, want{0, 1, "x", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := FindRequest(edits.NewLines(c.text), c.line)
			if !ok {
				t.Fatalf("no request found at line %d of %q", c.line, c.text)
			}
			after, err := edits.Apply(c.text, []edits.Edit{r.Remove})
			if err != nil {
				t.Fatal(err)
			}
			got := want{r.First, r.Last, r.Text, after}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestFindRequestFindsNone(t *testing.T) {
	for name, text := range map[string]string{
		"no leader":             "redline: x",
		"other word":            "// see redline: x",
		"longer word":           "// predline: x",
		"glued to code":         "a// redline: x",
		"in a string":           `a := "see // redline: x"`,
		"in a raw string":       "a := `see // redline: x`",
		"a string":              `	"redline: x",`,
		"a quoted word":         `'redline: x'`,
		"nothing asked":         "// redline:",
		"nothing asked, block":  "/* redline: */",
		"block without end":     "/* redline: x\nint a;\n",
		"block below, no end":   "/*\n * redline: x\nint a;\n",
		"bare, after a block":   "/* a */\nredline: x\n/* b */",
		"bare, after a glob":    "path: src/*\nredline: x\nother: */x",
		"another sign's end":    "(*\n * redline: x\n */",
		"list item":             "* one\n* redline: x\n* two",
		"after a closed block":  "/* a */\n * redline: x\n",
		"percent after code":    "a = b % redline: x",
		"apostrophe after code": "don ' redline: x",
		"shebang":               "#!redline: x",
		"too long a line":       "// redline: " + strings.Repeat("x", maxRequestLine),
		"too long a block":      "/* redline: x" + strings.Repeat("\n", maxRequestLines) + "*/",
		"empty":                 "",
	} {
		t.Run(name, func(t *testing.T) {
			l := edits.NewLines(text)
			for line := -1; line <= l.Count(); line++ {
				if r, ok := FindRequest(l, line); ok {
					t.Errorf("found %+v at line %d of %q", r, line, text)
				}
			}
		})
	}
}

// comments draws a comment that asks for something, in some language, the way
// it is written on lines of its own and after code.
func comments(t *rapid.T) (own []string, after []string) {
	text := rapid.StringMatching(`[a-z 😀"]{0,10}[a-z]`)
	l := rapid.SampledFrom([]string{"//", "#", "--", ";", "%", "///", "/*", "<!--", "(*"}).Draw(t, "leader")
	first := l + " " + rapid.SampledFrom([]string{"redline:", "Redline:", "REDLINE: "}).Draw(t, "word") + text.Draw(t, "text")
	closer, block := blocks[l]
	if block {
		return []string{first, text.Draw(t, "second") + " " + closer}, []string{first + " " + closer}
	}
	return []string{first, l + " " + text.Draw(t, "second")}, []string{first}
}

// A request that was removed is gone, and no other line has changed.
func TestRemoveProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOfN(rapid.StringMatching(`[a-z 	=()]{0,12}`), 0, 5)
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		before, behind := plain.Draw(t, "before"), plain.Draw(t, "behind")
		own, after := comments(t)
		comment, kept := own, []string(nil)
		if rapid.Bool().Draw(t, "on lines of its own") {
			indent := rapid.SampledFrom([]string{"", "\t", "    "}).Draw(t, "indent")
			comment = []string{indent + own[0], indent + own[1]}
		} else {
			code := rapid.StringMatching(`[\t]{0,2}[a-z]+`).Draw(t, "code")
			if !trailing[strings.Fields(after[0])[0]] {
				t.Skip("a comment that cannot follow code")
			}
			comment, kept = []string{code + "  " + after[0]}, []string{code}
		}
		join := func(middle []string) string {
			return strings.Join(slices.Concat(before, middle, behind, []string{""}), end)
		}
		text, want := join(comment), join(kept)
		if final := rapid.Bool().Draw(t, "final newline"); !final {
			text = strings.TrimSuffix(text, end)
			if len(kept)+len(behind) > 0 { // else the line before the comment keeps its end
				want = strings.TrimSuffix(want, end)
			}
		}

		l := edits.NewLines(text)
		r, ok := FindRequest(l, len(before))
		if !ok || r.First != len(before) {
			t.Fatalf("found %+v, %v in %q", r, ok, text)
		}
		for line := r.First; line <= r.Last; line++ {
			if again, ok := FindRequest(l, line); !ok || again != r {
				t.Fatalf("at line %d found %+v, want %+v", line, again, r)
			}
		}
		got, err := edits.Apply(text, []edits.Edit{r.Remove})
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("removed from %q: got %q, want %q", text, got, want)
		}
		if r, ok := FindRequest(edits.NewLines(got), r.First); ok {
			t.Fatalf("still there after it was removed: %+v", r)
		}
	})
}

func FuzzRequests(f *testing.F) {
	f.Add("a // redline: x\n// redline: y\n  /* redline: z\n */ b")
	f.Add("/**\n * redline: x */\r\n<!-- redline:\r-->\n(* redline: \xff *)")
	f.Add("\ufeff* redline: x\n/* redline: x")
	f.Add("<!--\n redline: x\n* redline: y\n-->{/*\n * redline: z\r\n*/}")
	f.Fuzz(func(t *testing.T, text string) {
		l := edits.NewLines(text)
		for line := range l.Count() {
			r, ok := FindRequest(l, line)
			if !ok {
				continue
			}
			if r.First > line || r.Last < line || r.Last >= l.Count() {
				t.Fatalf("line %d of %d is of the request in lines %d to %d", line, l.Count(), r.First, r.Last)
			}
			if r.Remove.Start < l.Line(r.First).Start || r.Remove.End > l.Line(r.Last).End || r.Remove.New != "" {
				t.Fatalf("%+v removes more than its lines", r)
			}
			if _, err := edits.Apply(text, []edits.Edit{r.Remove}); err != nil {
				t.Fatal(err)
			}
			if _, ok := FindRequest(l, r.First); !ok {
				t.Fatalf("%+v is not found at its first line", r)
			}
		}
	})
}

func BenchmarkFindRequest(b *testing.B) {
	l := edits.NewLines(strings.Repeat("\tx := f(a, \"b:c\") // what it does: things\n", 25_000))
	b.SetBytes(int64(len(l.Text())))
	for b.Loop() {
		FindRequest(l, 20_000)
	}
}
