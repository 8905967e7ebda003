package adapt_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
	"redline/edits/match"
)

func TestTextInAnotherUnitGetsThatOfTheFile(t *testing.T) {
	const (
		tabs  = "func f() {\n\tif x {\n\t\ta()\n\t}\n\treturn\n}\n"
		four  = "def f():\n    if x:\n        a()\n    return\n"
		two   = "f() {\n  if x; then\n    a\n  fi\n}\n"
		twice = "def f():\n    a()\n    b()\n"
		deep  = "class A:\n    def f():\n        a()\n        b()\n"
		javas = "\t/**\n\t * Says it.\n\t */\n\tvoid f() {\n\t\ta();\n\t}\n"
	)
	checkDepths(t, []depthCase{
		{"spaces for tabs", tabs, "    if x {\n        a()\n    }\n", "    if x {\n        b()\n    }\n", strings.Replace(tabs, "a()", "b()", 1), ""},
		{"two spaces for tabs", tabs, "  if x {\n    a()\n  }\n", "  if x {\n    b()\n  }\n", strings.Replace(tabs, "a()", "b()", 1), ""},
		{"one space for tabs", tabs, " if x {\n  a()\n }\n", " if x {\n  b()\n }\n", strings.Replace(tabs, "a()", "b()", 1), ""},
		{"a level left out too", tabs, "if x {\n    a()\n}\n", "if x {\n    b()\n}\n", strings.Replace(tabs, "a()", "b()", 1), ""},
		{"a level that old does not have", tabs, "    if x {\n        a()\n    }\n", "    if x {\n        if y {\n            a()\n        }\n    }\n",
			"func f() {\n\tif x {\n\t\tif y {\n\t\t\ta()\n\t\t}\n\t}\n\treturn\n}\n", ""},
		{"levels that old skips", tabs, "        a()\n    }\n    return\n}\n", "        a()\n    }\n    b()\n    return\n}\n", strings.Replace(tabs, "\treturn", "\tb()\n\treturn", 1), ""},
		{"the end of several levels", "\t\t\ta()\n}\n", "            a()\n}\n", "            a()\n        }\n    }\n}\n", "\t\t\ta()\n\t\t}\n\t}\n}\n", ""},
		{"tabs for spaces", four, "\tif x:\n\t\ta()\n", "\tif x:\n\t\ta()\n\t\tb()\n", strings.Replace(four, "a()\n", "a()\n        b()\n", 1), ""},
		{"two spaces for four", four, "  if x:\n    a()\n", "  if x:\n    for y in z:\n      a()\n", strings.Replace(four, "        a()\n", "        for y in z:\n            a()\n", 1), ""},
		{"four spaces for two", two, "    if x; then\n        a\n    fi\n", "    if x; then\n        a\n        b\n    fi\n", strings.Replace(two, "    a\n", "    a\n    b\n", 1), ""},
		{"four spaces for two, wrapped", two, "    if x; then\n        a\n    fi\n", "    if y; then\n        if x; then\n            a\n        fi\n    fi\n",
			"f() {\n  if y; then\n    if x; then\n      a\n    fi\n  fi\n}\n", ""},
		{"two spaces for four, wrapped in part", four, "  if x:\n    a()\n  return\n", "  if x:\n    if y:\n      a()\n  return\n", strings.Replace(four, "        a()\n", "        if y:\n            a()\n", 1), ""},
		{"a space more in comments", javas, "    /**\n     * Says it.\n     */\n    void f() {\n        a();\n", "    /**\n     * Says it.\n     * Twice.\n     */\n    void f() {\n        a();\n        a();\n",
			"\t/**\n\t * Says it.\n\t * Twice.\n\t */\n\tvoid f() {\n\t\ta();\n\t\ta();\n\t}\n", ""},
		{"tabs of eight, and four spaces", "int f()\n{\n    if (x)\n\ta();\n}\n", "    if (x)\n        a();\n}\n", "    if (x)\n        b();\n}\n", "int f()\n{\n    if (x)\n\tb();\n}\n", ""},
		{"a rule and its recipe", "all:\n\tgo build\n", "all:\n    go build\n", "all:\n    go vet\n    go build\n", "all:\n\tgo vet\n\tgo build\n", ""},
		{"CRLF and blanks at line ends", "\tif x:\r\n\t\ta() \r\n\t\tb()\r\n", "  if x:\n    a()\n    b()\n", "  if x:\n    a()\n    c()\n", "\tif x:\r\n\t\ta() \r\n\t\tc()\r\n", ""},
		{"new is in the unit of the file", tabs, "    if x {\n        a()\n    }\n", "\tif x {\n\t\tb()\n\t}\n", strings.Replace(tabs, "a()", "b()", 1), ""},
		{"new is in the unit of the file, two for four", four, "  if x:\n    a()\n  return\n", "    if x:\n        b()\n    return\n", strings.Replace(four, "a()", "b()", 1), ""},
		{"lines go", tabs, "    if x {\n        a()\n    }\n    return\n", "    return\n", "func f() {\n\treturn\n}\n", ""},
		{"all goes", tabs, "    if x {\n        a()\n    }\n", "", "func f() {\n\treturn\n}\n", ""},
		{"one level, and new has two", tabs, "    return\n", "    if z {\n        return\n    }\n", strings.Replace(tabs, "\treturn\n", "\tif z {\n\t\treturn\n\t}\n", 1), ""},
		{"one level in two spaces for four", twice, "  a()\n  b()\n", "  a()\n  if z:\n    b()\n", strings.Replace(twice, "    b()\n", "    if z:\n        b()\n", 1), ""},
		{"one level in four spaces for two", two + "  b\n", "    if x; then\n", "    while z; do\n        c\n    done\n    if x; then\n", "f() {\n  while z; do\n    c\n  done\n  if x; then\n    a\n  fi\n}\n  b\n", ""},
		{"one level in tabs for spaces", twice, "\ta()\n\tb()\n", "\ta()\n\tif z:\n\t\tb()\n", strings.Replace(twice, "    b()\n", "    if z:\n        b()\n", 1), ""},
		{"two levels deep, and one deeper", deep, "    a()\n    b()\n", "    a()\n    if z:\n      b()\n", strings.Replace(deep, "        b()\n", "        if z:\n            b()\n", 1), ""},
		{"two levels less one, in the unit of the file", deep, "    a()\n    b()\n", "    a()\n    if z:\n        b()\n", strings.Replace(deep, "        b()\n", "        if z:\n            b()\n", 1), ""},
		{"a file of two units", "f:\n  a()\n  b()\ng:\n    c()\n", " a()\n b()\n", " a()\n if z:\n   b()\n", "f:\n  a()\n  if z:\n    b()\ng:\n    c()\n", ""},
		{"a docstring of one line", "\tdef f():\n\t\ta()\n", "    def f():\n        a()\n", "    def f():\n        \"\"\"Say it.\"\"\"\n        a()\n", "\tdef f():\n\t\t\"\"\"Say it.\"\"\"\n\t\ta()\n", ""},
	})
}

func TestTextInAnotherUnitIsRefused(t *testing.T) {
	const (
		tabs = "func f() {\n\tif x {\n\t\ta()\n\t}\n\treturn\n}\n"
		four = "def f():\n    if x:\n        a()\n    return\n"
		if4  = "    if x {\n        a()\n    }\n"
	)
	checkDepths(t, []depthCase{
		{"a line of no whole level", tabs, if4, "    if x {\n        a(1,\n          2)\n    }\n", "", "not indented by a multiple"},
		{"a line less deep than the place allows", "if x {\n\ta()\n}\n", "    if x {\n        a()\n    }\n", "if y {\n    if x {\n        a()\n    }\n}\n", "", "not clear how deep"},
		{"half of new in the unit of the file", tabs, if4, "    if x {\n\t\ta()\n\t\tb()\n    }\n", "", "indented"},
		{"a string of several lines", tabs, if4, "    if x {\n        s := `\n        text`\n    }\n", "", "a string of several lines"},
		{"a text for a shell", "f() {\n\tif x; then\n\t\ta\n\tfi\n}\n", "    if x; then\n        a\n    fi\n", "    if x; then\n        cat <<-EOF\n        text\n        EOF\n    fi\n", "", "a string of several lines"},
		{"nothing but the indentation", tabs, if4, "\tif x {\n\t\ta()\n\t}\n", "", "nothing but the indentation"},
		{"two for four, and new may be in either", four, "  if x:\n    a()\n", "  if x:\n    b()\n    a()\n    c():\n        d()\n", "", "not clear how deep"},
		{"one level, and new is two deeper", tabs, "    return\n", "    return a(\n            b)\n", "", "both tabs and spaces"},
		{"one level of a deeper place", "\t\ta()\n", "    a()\n", "    if x:\n        a()\n", "", "both tabs and spaces"},
	})
	for _, c := range []struct{ name, text, old string }{
		{"not the same everywhere", tabs, "    if x {\n      a()\n    }\n    return\n}\n"},
		{"columns that are aligned", "\ta(b,\n\t  c)\n\td()\n", "    a(b,\n        c)\n    d()\n"},
		{"aligned in the file", "  a(b,\n    c)\n", "    a(b,\n      c)\n    d()\n"},
		{"tabs and spaces at once", "\tif x:\n\t\ta()\n", "    if x:\n\t a()\n"},
		{"as deep as the line above, and deeper", "\tif x:\n\ta()\n", "    if x:\n        a()\n"},
		{"deeper, and as deep as the line above", "\tif x:\n\t\ta()\n\tb()\n", "    if x:\n    a()\n    b()\n"},
		{"a text for a shell, flush left", "\tcat <<EOF\ntext\n\ttext\nEOF\n", "    cat <<EOF\n    text\n    text\n    EOF\n"},
	} {
		_, _, err := match.Replace(c.text, c.old, "x\n", match.Where{})
		if r := refusal(t, err); r.Reason != match.ReasonNone {
			t.Errorf("%s: %s, %v", c.name, r.Reason, r)
		}
	}
	_, _, err := match.Replace("\tif x:\n\t\ta()\nif x:\n\ta()\n", "  if x:\n    a()\n", "", match.Where{})
	if r := refusal(t, err); r.Reason != match.ReasonSeveral {
		t.Errorf("two places: %v", r)
	}
}

// Changed lines in one unit give the same result as the same edit in the file's unit, or are
// refused.
func TestUnitMakesNoDifference(t *testing.T) {
	units := rapid.SampledFrom([]string{"\t", "  ", "    "})
	landed, refused := 0, 0
	edittest.Check(t, func(t *rapid.T) {
		level := rapid.IntRange(0, 2).Draw(t, "level")
		unit, other := units.Draw(t, "unit"), units.Draw(t, "other unit")
		lines := genBlock(t, level, 6)
		next := reprogrammed(t, lines)
		from := rapid.IntRange(0, level).Draw(t, "from")
		old, new := written(lines, from, other), written(next, from, other)
		if rapid.IntRange(0, 3).Draw(t, "who") == 0 {
			new = written(next, 0, unit)
		}
		head := "first\n" + strings.Repeat(unit, max(level-1, 0)) + "head:\n"
		text := head + written(lines, 0, unit) + "last\n"
		if strings.Contains(text, old) || len(next) == 0 {
			return
		}
		if unit != "\t" && !linetext.SeveralDepths(linetext.Indents(strings.Split(old, "\n"))) && (level == 0 || from > 0) {
			return // the old text allows a shift, too
		}
		want := head + written(next, 0, unit) + "last\n"
		es, _, err := match.Replace(text, old, new, match.Where{})
		if err != nil {
			refusal(t, err)
			refused++
			return
		}
		landed++
		if got := edittest.Apply(t, text, es...); got != want {
			t.Fatalf("Replace(%q, %q, %q): got\n%s\nwant\n%s", text, old, new, got, want)
		}
	})
	t.Log(landed, refused)
}
