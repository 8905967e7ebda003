package frontmatter_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/frontmatter"
)

type (
	member = frontmatter.Member
	pair   = frontmatter.Pair
	odd    = frontmatter.Odd
)

func TestRead(t *testing.T) {
	for head, want := range map[string][]member{
		"":                              nil,
		"# nothing\n":                   nil,
		"a: b # c":                      {{"a", "b", 2}},
		"a:\nb: ~\nc: \"x # y\"":        {{"a", "", 2}, {"b", "", 3}, {"c", "x # y", 4}},
		"a: |\n  x\n  y\nb: >-\n x\n y": {{"a", "x\ny", 2}, {"b", "x y", 5}},
		"a: [x, 'y', \"z\"]\nb: []":     {{"a", []string{"x", "y", "z"}, 2}, {"b", []string{}, 3}},
		"a: [\n  x,\n  y\n]\nb: 1.0":    {{"a", []string{"x", "y"}, 2}, {"b", "1.0", 6}},
		"a:\n- x\n- y # z\n\nb: true":   {{"a", []string{"x", "y"}, 2}, {"b", "true", 6}},
		"a: {x: ask, \"y\": no}":        {{"a", []pair{{"x", "ask"}, {"y", "no"}}, 2}},
		"a:\n  x: ask\n  y: deny":       {{"a", []pair{{"x", "ask"}, {"y", "deny"}}, 2}},
		"{a: b, c: [d]}":                {{"a", "b", 2}, {"c", []string{"d"}, 2}},
		"a: \"\\u00e4\\n\"":             {{"a", "ä\n", 2}},
		// what people write, and YAML has not
		"description: Use this: it fixes what is wrong. Examples: \"a: b\"": {{"description", `Use this: it fixes what is wrong. Examples: "a: b"`, 2}},
		"a: it's: so # really\nb: 1":                                        {{"a", "it's: so", 2}, {"b", "1", 3}},
		"a: \"C:\\dir\" # x\nb: 'it's'":                                     {{"a", `C:\dir`, 2}, {"b", "it's", 3}},
		"globs: *.go, cmd/**/*.{txt,md}":                                    {{"globs", odd("*.go, cmd/**/*.{txt,md}"), 2}},
		"globs: \"*.go\", cmd/**":                                           {{"globs", `"*.go", cmd/**`, 2}},
		"globs: [*.ts, \"*.tsx\"]":                                          {{"globs", []string{"*.ts", "*.tsx"}, 2}},
		"globs:\n  - **/*.sql\n  - a: b: c\n\t- 'x'":                        {{"globs", []string{"**/*.sql", "a: b: c", "x"}, 2}},
		"a:\n\tx: it: is\n\ty: b":                                           {{"a", []pair{{"x", "it: is"}, {"y", "b"}}, 2}},
		"a: {x: yes, y:no, \"z\":}":                                         {{"a", []pair{{"x", "yes"}, {"y", "no"}, {"z", ""}}, 2}},
		"a: {x:deny}\nb: {}":                                                {{"a", []pair{{"x", "deny"}}, 2}, {"b", []pair{}, 3}},
		"a: {\"*\": ask}\nb: {c: {\"*\": ask, d: [e]}}":                     {{"a", []pair{{"*", "ask"}}, 2}, {"b", []pair{{"c", "{*: ask,d: [e]}"}}, 3}},
		"a:\n  - b: c\n  - {d,e/**}\n  - !f/**\n  - !g h":                   {{"a", []string{"b: c", "{d,e/**}", "!f/**", "!g h"}, 2}},
		"a:\n  *: no\n  b: yes":                                             {{"a", []pair{{"*", "no"}, {"b", "yes"}}, 2}},
		"a: |\n\tb\n\n\t# c\nd: > # e\n    f\n  g\n# h":                     {{"a", "b\n\n# c", 2}, {"d", "f g", 6}},
		"  a: *b\n  c:\n    - *d\n  - e\n\n# f":                             {{"a", odd("*b"), 2}, {"c", []string{"*d", "e"}, 3}},
		"\ta: b: c\n\td: e":                                                 {{"a", "b: c", 2}, {"d", "e", 3}},
		"a: b\n  c: *d\n   e: f":                                            {{"a", "b", 2}, {"c", odd("*d"), 3}, {"e", "f", 4}},
		"a: [*b, # c\n  *d]\ne: {*f,\n g}":                                  {{"a", []string{"*b", "*d"}, 2}, {"e", odd("{*f, g}"), 4}},
		"mode:plan\nb: c: d":                                                {{"mode", "plan", 2}, {"b", "c: d", 3}},
		// what no member is
		"a: *x\nb: &x y\nc: !x y\nd: @e\nf: `g`":         {{"a", odd("*x"), 2}, {"b", odd("y"), 3}, {"c", odd("!x y"), 4}, {"d", odd("@e"), 5}, {"f", odd("`g`"), 6}},
		"a: {b,c/**}\nd: {e.f, g}\nh: !i/**\nj: !!str k": {{"a", odd("{b,c/**}"), 2}, {"d", odd("{e.f,g}"), 3}, {"h", odd("!i/**"), 4}, {"j", odd("k"), 5}},
		"a: &x [b]\nc: *x\nd: [*x]":                      {{"a", odd("[b]"), 2}, {"c", odd("*x"), 3}, {"d", odd("[*x]"), 4}},
		"a:\n  b:\n    c: d\ne: [[f]]\ng: 1":             {{"a", []pair{{"b", "{c: d}"}}, 2}, {"e", odd("[[f]]"), 5}, {"g", "1", 6}},
		"a: [{b: c}]\nd: {e: {}}":                        {{"a", odd("[{b: c}]"), 2}, {"d", []pair{{"e", "{}"}}, 3}},
		"a: b\n\tc":                                      {{"a", odd("b"), 3}},
		"b: 1\na:\n  - x\n  y: z\nc: 2":                  {{"b", "1", 2}, {"a", odd(""), 5}, {"c", "2", 6}},
	} {
		for _, ends := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll("---\n"+strings.TrimSuffix(head+"\n", "\n\n")+"\n---\nthe body\n", "\n", ends)
			if head == "" {
				text = strings.ReplaceAll("\ufeff---\n---\nthe body\n", "\n", ends)
			}
			members, body, err := frontmatter.Read(text)
			if diff := cmp.Diff(want, members); diff != "" || err != nil || body != "the body\n" {
				t.Errorf("%q: %v, the body is %q (-want +got):\n%s", text, err, body, diff)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	many := ""
	for i := range 65 {
		many += fmt.Sprintf("a%d: b\n", i)
	}
	for text, want := range map[string]string{
		"---\na: b\n":               "has no line --- at the end of its first part",
		"---\na: b\na: c\n---\n":    `has "a" twice, in line 3 again`,
		"---\na: b: c\na: c\n---":   `has "a" twice, in line 3 again`,
		"---\na: b\nwords\n---\n":   "has a line 3 that is not understood; write NAME: VALUE",
		"---\n- a\n---\n":           "has a line 2 that is not understood; write NAME: VALUE",
		"---\n  a: b: c\nd\n---\n":  "has a line 2 that is not understood; write NAME: VALUE",
		"---\n" + many + "---\n":    "has more than 64 members in its first part",
		"---\na: b\n...\nc\n---\n":  "has a line 4 that is not understood; write NAME: VALUE",
		"---\n? [a]\n: b\n---\nx\n": "has a line 2 that is not understood; write NAME: VALUE",
	} {
		if _, _, err := frontmatter.Read(text); err == nil || err.Error() != want {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "a", "a\n---\nb: c\n---\n", " ---\na: b\n---\n", "---- \na: b\n---\n"} {
		if members, body, err := frontmatter.Read(text); members != nil || body != text || err != nil {
			t.Errorf("%q: %v, %q, %v", text, members, body, err)
		}
	}
}

// A text of any form takes time in proportion to its size, and nothing is expanded.
func TestReadIsBounded(t *testing.T) {
	const size = 64 << 10
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i, i, i, i, i, i)
	}
	staircase := ""
	for i := range 350 {
		staircase += strings.Repeat(" ", i) + "a: b: c\n"
	}
	for what, head := range map[string]string{
		"a bomb": bomb, "deep lists": "a: " + strings.Repeat("[", size), "deep and closed": "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "deep objects": strings.Repeat("{a: ", size/4),
		"deep items": strings.Repeat("- ", size/2), "many bad lines": strings.Repeat("a: b: c\n", size/8), "many bad items": "a:\n" + strings.Repeat("  - *\n", size/6), "no names": strings.Repeat(": \n", size/3),
		"quotes": strings.Repeat("a: \"\n", size/5), "blocks": strings.Repeat("a: |\n", size/5), "a staircase": staircase, "merges": "<<: *x\n" + strings.Repeat("<<: {a: b}\n", size/11),
	} {
		began := time.Now()
		members, _, _ := frontmatter.Read("---\n" + head + "\n---\nbody")
		length := 0
		for _, m := range members {
			length += len(m.Name) + len(frontmatter.Text(m.Value))
		}
		if took := time.Since(began); took > 10*time.Second || length > len(head) {
			t.Errorf("%s: %s, %d bytes", what, took, length)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("---\na: [b, *c]\nd:\n\t- e: f: g\n---\nbody")
	f.Add("---\na: !b c\rd\n e\n---")
	f.Fuzz(func(t *testing.T, text string) {
		members, body, _ := frontmatter.Read(text)
		if len(members) > 64 || len(body) > len(text) {
			t.Errorf("%d members, the body has %d bytes of %d", len(members), len(body), len(text))
		}
		lines := 1
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} { // also those that only YAML has
			lines += strings.Count(text, end)
		}
		for _, m := range members {
			if m.Name == "" || m.Line < 2 || m.Line > lines {
				t.Errorf("%+v in %d lines", m, lines)
			}
		}
	})
}
