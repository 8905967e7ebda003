package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/draft"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, path, before, after, want string
	}{
		{"Go", "a.go", "package a\n", "package a\n\nfunc f() {\n\tif x {\n\t}\n\telse {\n\t}\n}\n", "line 6: expected statement, found 'else'"},
		{"a new Go file", "a.go", "", "package a\n\nfunc f( {\n", "line 3: expected ')', found '{'"},
		{"Go after a line directive", "a.go", "", "package a\n\n//line x.y:100\nfunc {\n", "line 4: expected 'IDENT', found '{'"},
		{"Go with line ends of Windows", "a.go", "package a\r\n", "package a\r\n\r\nvar x =\r\n", "line 4: expected operand, found 'EOF'"},
		{"Go that parses", "a.go", "", "//go:build ignore\n\npackage main\n\nfunc f[T any](x T) T { return x }\n", ""},
		{"Go with a byte order mark", "a.go", "", "\ufeffpackage a\n", ""},
		{"Go of a later version", "a.go", "", "package a\n\ntype T int\n\nfunc (T) f[U any](U) {}\n", ""},
		{"a template of Go", "cmd/gen/model.go", "", "package {{.Package}}\n\n{{range .Types}}type {{.Name}} int\n{{end}}", ""},
		{"Go that did not parse before", "a.go", "package a\n\nfunc (\n", "package a\n\nfunc ((\n", ""},
		{"a new file that may be wrong on purpose", "testdata/x.go", "", "package\n", ""},
		{"another", "parse/broken_if.go", "", "package\n", ""},
		{"a file of testdata that parsed", "testdata/x.go", "package x\n", "package\n", "line 2: expected 'IDENT', found 'EOF'"},

		{"JSON", "a.json", "{\"a\": 1}\n", "{\n  \"a\": 1\n  \"b\": 2\n}\n", "line 3: invalid character '\"' after object value (expecting ',' or '}')"},
		{"JSON that ends early", "a.json", "{\"a\": 1}\n", "{\n  \"a\": [1\n", "line 3: the text ends early"},
		{"JSON with more after its end", "package.json", "{}", "{}\n}\n", "line 2: invalid character '}' after top-level value"},
		{"a comment", "a.json", "{\"a\": 1}\n", "{\n  // one\n  \"a\": 1\n}\n", "line 2: a comment, which JSON does not have"},
		{"a trailing comma", "a.json", "{\"a\": 1}\n", "{\n  \"a\": 1,\n}\n", "line 2: a trailing comma, which JSON does not have"},
		{"a comment in a new file", "a.json", "", "{} // x", "line 1: a comment, which JSON does not have"},
		{"a comment where there was one", "a.json", "{ /* x */ }\n", "{\n  \"a\": 1, // one\n}\n", ""},
		{"a comment where there was a trailing comma", "a.json", "[1,]\n", "[1, 2] // x\n", ""},
		{"an error where there was a comment", "a.json", "{ /* x */ }\n", "{\n  /* x */ a: 1 }\n", "line 2: invalid literal: a"},
		{"a file that takes comments", "web/tsconfig.base.json", "{\"a\": 1}\n", "{\n  // one\n  \"a\": 1,\n}\n", ""},
		{"settings of an editor", ".vscode/launch.json", "", "{\n  // one\n  \"a\": 1,\n}", ""},
		{"an error in such a file", ".vscode/launch.json", "", "{\n  // one\n  \"a\" 1,\n}", "line 3: invalid character '1' after object name"},
		{"duplicate names", "a.json", "{}", "{\"a\": 1, \"a\": 2}", ""},
		{"half a surrogate pair", "a.json", "{}", `{"a": "\ud800"}`, ""},
		{"JSON with a byte order mark", "a.json", "{}", "\ufeff{\"a\": 1}\r\n", ""},
		{"a template of JSON", "{{cookiecutter.name}}/package.json", "", "{\n  \"a\": {{ cookiecutter.a }},\n  {% if b %}\"b\": 1{% endif %}\n}\n", ""},
		{"braces of a template in a string", "en.json", "{}", "{\"a\": \"Hello {{name}}\",}", "line 1: a trailing comma, which JSON does not have"},
		{"an empty file that stays empty", "a.json", "", "\n", ""},
		{"a file that is emptied", "a.json", "{}", "", "line 1: the text ends early"},
		{"an empty file that is filled", "a.json", "\n", "{", "line 1: the text ends early"},
		{"JSON Lines", "a.jsonl", "", "{}\n{}\n", ""},
		{"JSON Lines by another name", "a.json", "{}\n{}\n", "{}\n{}\n{}\n", ""},
		{"JSON5", "a.json5", "", "{a: 'x'}\n", ""},
		{"a notebook", "a.ipynb", "{}", "{\"cells\": [}", "line 1: invalid character '}' at start of value"},

		{"TOML", "a.toml", "a = 1\n", "a = 1\n[b\nc = 2\n", "line 2: expected ']' to close table name"},
		{"a key twice", "pyproject.toml", "a = 1\n", "a = 1\nb = 2\na = 3\n", "line 3: key a is already defined"},
		{"TOML 1.1", "a.toml", "", "a = {x = 1,\n  y = 2,\n}\nb = 07:32\nc = \"\\e\\x41\"\n", ""},
		{"a lock file", "Cargo.lock", "version = 3\n", "version = \n", "line 1: unexpected character U+000A at start of value"},
		{"a template of TOML", "pyproject.toml", "", "{% if x %}\na = 1\n{% endif %}\n", ""},

		{"YAML", "a.yaml", "a: 1\n", "a:\n  b: 1\n c: 2\n", "line 3: did not find expected key while parsing a block mapping that begins in line 1"},
		{"a tab", "a.yml", "a: 1\n", "a:\n\tb: 1\n", "line 2: found character that cannot start any token while scanning for the next token"},
		{"a quote that does not end", "a.yaml", "a: 1\n", "a: \"x\nb: 1\n", "line 3: found unexpected end of stream while scanning a quoted scalar that begins in line 1"},
		{"the second document", "a.yaml", "a: 1\n", "a: 1\n---\nb: c: d\n", "line 3: mapping values are not allowed in this context"},
		{"tags, anchors, merge keys, duplicate keys", "template.yaml", "", "a: !Ref x\nb: !reference [.a, b]\nc: &c {x: 1}\nd:\n  <<: *c\n  x: 2\n  x: 3\n---\n- e\n...\n", ""},
		{"a workflow of GitHub", ".github/workflows/ci.yml", "", "on: push\njobs:\n  a:\n    if: ${{ github.ref == 'x' }}\n    run: |\n      echo ${{ a }}\n", ""},
		{"an error in a workflow", ".github/workflows/ci.yml", "on: push\n", "on: push\njobs:\n  a:\n    if: ${{ x }}\n   b: 1\n", "line 5: did not find expected key while parsing a block mapping that begins in line 3"},
		{"a chart of Helm", "chart/templates/deployment.yaml", "", "{{- if .Values.x }}\na: {{ .Values.a }}\n{{- end }}\n", ""},
		{"Jinja", "playbook.yml", "", "a: {{ b }} c\n", ""},
		{"ERB", "config/database.yml", "", "a:\n<% if x %>\n  b: 1\n<% end %>\n", ""},
		{"YAML of Windows", "a.yaml", "", "\ufeffa: 1\r\nb:\r\n  - c\r\n", ""},
		{"only a comment", "a.yaml", "a: 1\n", "# a: 1\n", ""},

		{"XML", "pom.xml", "<a/>", "<a>\n  <b>\n</a>\n", "line 3: element <b> closed by </a>"},
		{"XML that ends early", "a.csproj", "<a/>", "<a>\n  <b>\n  </b>\n", "line 4: the text ends before </a>, the end of the element of line 1"},
		{"an ampersand", "a.svg", "<svg/>", "<svg><text>a & b</text></svg>", "line 1: invalid character entity & (no semicolon)"},
		{"an entity that nobody declares", "a.xml", "<a/>", "<a>&nbsp;</a>", "line 1: invalid character entity &nbsp;"},
		{"an entity of a document type", "a.xml", "", "<?xml version=\"1.1\" encoding=\"ISO-8859-1\"?>\n<!DOCTYPE a [\n<!ENTITY me \"I\">\n<!ENTITY % x SYSTEM 'y'>\n]>\n<a>&me; &nbsp; \xe9</a>\n", ""},
		{"a property list that is none of XML", "a.plist", "{ a = 1; }", "{ a = ; }", ""},
		{"properties that are none of XML", "a.props", "", "a=1\n", ""},
		{"HTML", "a.html", "<p>", "<p><br>", ""},

		{"a text", "a.txt", "a", "{", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := draft.Check(c.path, c.before, c.after); got != c.want {
				t.Errorf("Check(%s) = %q, want %q", c.path, got, c.want)
			}
		})
	}
}

// What could take a parser long, or end the process, is not judged.
func TestCheckHostile(t *testing.T) {
	var tables, keys, bomb strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&tables, "  [a%d]\n", i)
		fmt.Fprintf(&keys, "a%d = 1\n", i)
	}
	bomb.WriteString("a: &a [x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'z'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8), c-1)
	}
	deep := func(s string) string { return strings.Repeat(s, 1<<20/len(s)) }
	for name, text := range map[string]string{
		"arrays.json": deep("["), "objects.json": deep(`{"a":`), "comments.jsonc": deep("["), "objects.jsonc": deep(`{"a":`),
		"tables.toml": tables.String() + "a", "keys.toml": keys.String() + "a", "inline.toml": "a = {" + strings.ReplaceAll(keys.String(), "\n", ", "), "bomb.yaml": bomb.String(),
		"flow.yaml": deep("["), "items.yaml": deep("- "), "keys.yaml": deep("? "), "maps.yaml": deep("{a: "),
		"long.json": "{" + strings.Repeat(" ", 1<<20), "long.go": "package" + strings.Repeat(" ", 1<<20),
	} {
		if got := draft.Check(name, "", text); got != "" {
			t.Errorf("%s: %s, want nothing", name, got)
		}
	}
	// These are wrong, and only what is said of them is bounded.
	for name, text := range map[string]string{
		"deep.go": "package a\n\nvar x = " + strings.Repeat("(", 1<<19), "deep.xml": deep("<a>"), "long.yaml": "a: *" + strings.Repeat("x", 1<<19), "deep.toml": "a = " + strings.Repeat("{a=", 11_000),
	} {
		if got := draft.Check(name, "", text); got == "" || len(got) > 300 {
			t.Errorf("%s: %.400q, want a problem in a short line", name, got)
		}
	}
}

// A problem is one line of ordinary characters whatever the text has.
func FuzzCheck(f *testing.F) {
	names := []string{"a.go", "a.json", "a.jsonc", "a.toml", "a.yaml", "a.xml", "Cargo.lock", "tsconfig.json"}
	for i, seed := range []string{
		"package a\n\nfunc f() {\n\tx := []int{1, 2}\n}\n", "{\"a\": [1, 2.5e3, \"\\u00e9\", null, true]}", "{/* a */ \"b\": [1,], // c\n}",
		"a = 1\n[b.c]\nd = [1, {e = \"f\"}]\n[[g]]\nh = 1979-05-27T07:32:00Z\n", "a: &x\n  - b\n  - {c: d}\n--- |\n  text\n... \n# c\n*x : !t 'e'\n",
		"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a x=\"1\"><!-- --><![CDATA[x]]>&b;</a>",
	} {
		f.Add(uint(i), seed, "")
		f.Add(uint(i), "", seed)
		f.Add(uint(i), seed, seed[:len(seed)/2])
	}
	f.Fuzz(func(t *testing.T, kind uint, before, after string) {
		name := names[kind%uint(len(names))]
		got := draft.Check(name, before, after)
		if strings.ContainsAny(got, "\n\r\x00\x1b") || len(got) > 300 {
			t.Errorf("%s: %q", name, got)
		}
		blank := strings.TrimSpace(before) == "" || strings.TrimSpace(after) == ""
		if got != "" && !blank && draft.Check(name, after, before) != "" {
			t.Errorf("%s: each text is said not to parse where the other did", name)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	fill := func(head, row, tail string) string {
		text := []byte(head)
		for i := 0; len(text) < 1000_000; i++ {
			text = fmt.Appendf(text, row, i)
		}
		return string(text) + tail
	}
	for _, c := range []struct{ name, path, text string }{
		{"Go", "a.go", fill("package a\n", "func f%d(x int) int { return x + 1 }\n", "")},
		{"JSON", "a.json", fill("[", "{\"id\": %d, \"name\": \"a name\", \"tags\": [\"a\", \"b\"]},\n", "0]")},
		{"JSONWithComments", "a.jsonc", fill("[", "\"%d\", // a comment\n", "0]")},
		{"YAML", "a.yaml", fill("", "key%d:\n  name: a name\n  tags: [a, b]\n", "")},
		{"TOML", "a.toml", fill("", "[[package]]\nname = \"a%d\"\nversion = \"1.2.3\"\nchecksum = \""+strings.Repeat("0", 300)+"\"\n", "")},
		{"XML", "a.xml", fill("<a>", "<b id=\"%d\">text</b>\n", "</a>")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if got := draft.Check(c.path, "", c.text); got != "" {
					b.Fatal(got)
				}
			}
		})
	}
}
