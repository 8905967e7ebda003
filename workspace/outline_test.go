package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutline(t *testing.T) {
	w := New(nil, Options{})
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a.go": {"package a\n\nconst A, _ = 1, 2\nvar (\n\tB int\n\tC = 2\n)\n\ntype T[K any] struct{ x int }\n\nfunc (t *T[K]) M() {}\nfunc F() {}\n",
			[]string{"3 0 const A", "5 0 var B", "6 0 var C", "9 0 type T", "11 0 method T.M", "12 0 func F"}},
		"broken.go": {"package a\nfunc F() {}\nfunc G( {\n", []string{"2 0 func F", "3 0 func G"}},
		"not.go":    {"\x00\xff", nil},
		"a.md": {"# One #\ntext\n```sh\n# not\n```\n~~~\n## nor\n```\n~~~\n## Two\n####### no\n#no\n   ### Three\r\n",
			[]string{"1 0 heading One", "10 1 heading Two", "13 2 heading Three"}},
		"a.py": {"class A(B):\n    def m(self):\n        pass\n    async def n(self): pass\ndef f(): pass\nclassy = 1\n",
			[]string{"1 0 class A", "2 1 def m", "4 1 def n", "5 0 def f"}},
		"a.ts": {"export default class A {\n\tstatic x = 1\n}\nexport interface I {}\nexport async function* gen() {}\nconst type = 1\n",
			[]string{"1 0 class A", "4 0 interface I", "5 0 function gen"}},
		"a.rs": {"pub(crate) struct S;\nimpl S {\n    pub fn new() -> S {}\n}\nmod tests {\n  fn t() {}\n}\n",
			[]string{"1 0 struct S", "2 0 impl S", "3 1 fn new", "5 0 mod tests", "6 1 fn t"}},
		"b.md":  {"```code``` in a sentence\n# One\n    ``` in a block\n# Two\n````\n# no\n```\n````\n## Three\n", []string{"2 0 heading One", "4 0 heading Two", "9 1 heading Three"}},
		"empty": {"", nil},
	} {
		var got []string
		for _, s := range w.Outline(name, c.text) {
			got = append(got, fmt.Sprintf("%d %d %s %s", s.Line, s.Depth, s.Kind, s.Name))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A symbol ends where a parser says, or before the next symbol that is not inside.
func TestWhereSymbolsEnd(t *testing.T) {
	w := New(nil, Options{})
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a.go":      {"package a\n\nconst (\n\tA = 1 +\n\t\t2\n\tB = 3\n)\n\nfunc F() {\n\n}\n\n// c\ntype T struct {\n\tx int\n}\n", []string{"A 4-5", "B 6-6", "F 9-11", "T 14-16"}},
		"broken.go": {"package a\nfunc F() {}\nfunc G( {\n", []string{"F 2-2", "G 3-3"}},
		"a.py":      {"class A:\n    def m(self):\n        pass\n\n    def n(self):\n        pass\n\n\ndef f():\n    pass\n\n", []string{"A 1-6", "m 2-3", "n 5-6", "f 9-10"}},
		"a.md":      {"# One\n\ntext\n\n## Two\n\nmore\n\n# Three\n", []string{"One 1-7", "Two 5-7", "Three 9-9"}},
	} {
		var got []string
		for _, s := range w.Outline(name, c.text) {
			got = append(got, fmt.Sprintf("%s %d-%d", s.Name, s.Line, s.End))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzOutline(f *testing.F) {
	f.Add("a.go", "package a\nfunc (*[]T) M() {}\n//line x:99\nfunc F() {}")
	f.Add("a.md", "```\n# x\n````\n#\n# #")
	f.Add("a.py", "\t\tclass A\n def \xff(\nfn a")
	w := New(nil, Options{})
	f.Fuzz(func(t *testing.T, name, text string) {
		last, lines := 0, strings.Count(text, "\n")+1
		for _, s := range w.Outline(name, text) {
			if s.Line < 1 || s.Line < last || s.Line > lines || s.End < s.Line || s.End > lines || s.Depth < 0 {
				t.Errorf("%+v of %d lines, after line %d", s, lines, last)
			}
			last = s.Line
		}
	})
}
