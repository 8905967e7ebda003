package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/draft"
)

// BenchmarkLargeFile stages an edit of a file of 60,000 lines, or is refused: all of
// edit_file except reading the file.
func BenchmarkLargeFile(b *testing.B) {
	var file strings.Builder
	there := ""
	for i := range 10_000 {
		start := file.Len()
		fmt.Fprintf(&file, "// handle%d answers request %d.\nfunc handle%d(w io.Writer, n int) error {\n\tif n > %d {\n\t\treturn fmt.Errorf(\"%%d is too large\", n)\n\t}\n}\n", i, i, i, i*7)
		if i == 9_900 {
			there = file.String()[start:]
		}
	}
	text := file.String()
	shifted := "    " + strings.ReplaceAll(strings.TrimSuffix(there, "\n"), "\n", "\n    ") + "\n"
	for _, c := range []struct {
		name, text, old string
		refused         bool
	}{
		{"exact", text, there, false},
		{"exact-crlf", strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(there, "\n", "\r\n"), false},
		{"shifted", text, shifted, false},
		{"near-miss", text, strings.Replace(there, "too large", "much too large", 1), true},
		{"not-there", text, "def compute(self, values):\n    return sum(values) / len(values)\n", true},
	} {
		b.Run(c.name, func(b *testing.B) {
			files := memory{"a.go": c.text}
			for b.Loop() {
				d := draft.New(files)
				_, err := d.Edit("a.go", c.old, strings.Replace(c.old, "n", "count", 1), false, op("edit_file"))
				if (err != nil) != c.refused {
					b.Fatal(err)
				}
				if err != nil {
					_ = err.Error()
				}
			}
		})
	}
}
