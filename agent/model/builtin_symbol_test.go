package model_test

import (
	"slices"
	"testing"
)

func TestBuiltInRenamesBySymbols(t *testing.T) {
	files := map[string]string{"a.go": "x := Total\n", "sum.go": "func Total() {}\n", "b.md": "Total\n"}
	with := append(slices.Clone(all), "definition", "rename_symbol")
	for _, test := range []struct {
		name, request string
		tools         []string
		defined       map[string]string
		readOnly      string
		answer        string
		calls         []string
	}{
		{
			"one symbol", "rename Total to Sum", with,
			map[string]string{"a.go": "sum.go:1: func Total() {}", "sum.go": "sum.go:1: func Total() {}"}, "",
			"I planned to rename Total to Sum where the language server says that it is used, in 2 files (sum.go, use.go). Comments and other texts may still have the old name.",
			[]string{`{"line":1,"new_name":"Sum","path":"sum.go","symbol":"Total"}`},
		},
		{
			"two, and one is refused", "rename Total to Sum", with,
			map[string]string{"a.go": "a.go:1: x := Total", "sum.go": "sum.go:1: func Total() {}"}, "a.go",
			"I planned to rename Total to Sum where the language server says that it is used, in 2 files (sum.go, use.go). Comments and other texts may still have the old name.\n" +
				"Not everything could be planned to rename Total to Sum: a.go: the name is taken.",
			[]string{`{"line":1,"new_name":"Sum","path":"a.go","symbol":"Total"}`, `{"line":1,"new_name":"Sum","path":"sum.go","symbol":"Total"}`},
		},
		{
			"no server answers", "rename Total to Sum", with, map[string]string{"a.go": "/usr/lib/go/x.go:3: func Total()"}, "",
			"I planned to rename Total to Sum: 3 places in 3 files (a.go, b.md, sum.go).", nil,
		},
		{
			"a server takes too long", "rename Total to Sum", with,
			map[string]string{"a.go": "sum.go:1: func Total() {}", "sum.go": "error: the language server did not answer in time; use search, or try again later"}, "",
			"I planned to rename Total to Sum: 3 places in 3 files (a.go, b.md, sum.go).", nil,
		},
		{"a glob", "rename Total to Sum in *.go", with, map[string]string{"a.go": "a.go:1: x := Total"}, "", "I planned to rename Total to Sum in *.go: 2 places in 2 files (a.go, sum.go).", nil},
		{"the tools are not offered", "rename Total to Sum", all, nil, "", "I planned to rename Total to Sum: 3 places in 3 files (a.go, b.md, sum.go).", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &workspace{files: map[string]string{}, defined: test.defined, readOnly: test.readOnly}
			for name, text := range files {
				w.files[name] = text
			}
			if got := w.ask(t, test.request, test.tools...); got != test.answer {
				t.Errorf("answers\n%s\nwant\n%s", got, test.answer)
			}
			if !slices.Equal(w.symbols, test.calls) {
				t.Errorf("calls %q, want %q", w.symbols, test.calls)
			}
		})
	}
}
