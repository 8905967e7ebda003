package draft_test

import (
	"testing"

	"redline/agent/draft"
	"redline/edits"
	"redline/edits/patch"
)

func TestHas(t *testing.T) {
	m := memory{"a.go": "if x {\n\tfoobar()\n}\n", "crlf": "one\r\ntwo\r\n", "gone": "g\n"}
	d := draft.New(m)
	for _, c := range []struct {
		name string
		file patch.File
		want bool
	}{
		{"there, indented as the file is", patch.File{Path: "a.go", Chunks: []patch.Chunk{{Old: "    foo()\n", New: "    foobar()\n"}}}, true},
		{"there, with the line ends of the file", patch.File{Path: "crlf", Chunks: []patch.Chunk{{Old: "eins\nzwei\n", New: "one\ntwo\n"}}}, true},
		{"a part of a line only", patch.File{Path: "a.go", Chunks: []patch.Chunk{{Old: "nope\n", New: "bar()\n"}}}, false},
		{"the old lines are still there", patch.File{Path: "a.go", Chunks: []patch.Chunk{{Old: "\tfoobar()\n", New: "}\n"}}}, false},
		{"one of two", patch.File{Path: "a.go", Chunks: []patch.Chunk{{Old: "x\n", New: "\tfoobar()\n"}, {Old: "y\n", New: "z\n"}}}, false},
		{"no such file", patch.File{Path: "nope", Chunks: []patch.Chunk{{Old: "x\n", New: "y\n"}}}, false},
		{"created as it is", patch.File{Path: "gone", Kind: edits.Create, Text: "g\n"}, true},
		{"created otherwise", patch.File{Path: "gone", Kind: edits.Create, Text: "h\n"}, false},
		{"not deleted", patch.File{Path: "gone", Kind: edits.Delete}, false},
	} {
		if got := d.Has(&c.file); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
