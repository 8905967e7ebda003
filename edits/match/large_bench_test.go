package match

import (
	"fmt"
	"strings"
	"testing"
)

// largeFile returns a source file of 60,000 lines, and one of its last functions.
func largeFile() (text, function string) {
	var b strings.Builder
	for i := range 10_000 {
		start := b.Len()
		fmt.Fprintf(&b, "// handle%d answers request %d.\nfunc handle%d(w io.Writer, n int) error {\n\tif n > %d {\n\t\treturn fmt.Errorf(\"%%d is too large\", n)\n\t}\n}\n", i, i, i, i*7)
		if i == 9_900 {
			function = b.String()[start:]
		}
	}
	return b.String(), function
}

// BenchmarkLargeFile replaces some lines near the end of a file of 60,000 lines, or is refused,
// with typical mistakes of models.
func BenchmarkLargeFile(b *testing.B) {
	text, there := largeFile()
	shifted := "    " + strings.ReplaceAll(strings.TrimSuffix(there, "\n"), "\n", "\n    ") + "\n"
	for _, c := range []struct{ name, text, old, step string }{
		{"exact", text, there, "exact"},
		{"exact-word", text, "handle9900(w", "exact"},
		{"exact-crlf", strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(there, "\n", "\r\n"), "exact"},
		{"line-endings-crlf", strings.ReplaceAll(text, "\n", "\r\n"), there, "line endings"},
		{"trailing-blanks", text, strings.ReplaceAll(there, "{\n", "{ \n"), "line endings"},
		{"shifted", text, shifted, "indentation"},
		{"look-alikes", strings.ReplaceAll(text, `"`, "“"), there, "look-alikes"},
		{"spaces", text, strings.ReplaceAll(there, "return ", "return  "), "spaces"},
		{"near-miss", text, strings.Replace(there, "too large", "much too large", 1), ""},
		{"not-there", text, "def compute(self, values):\n    return sum(values) / len(values)\n", ""},
		{"several", text, "\t\treturn fmt.Errorf(\"%d is too large\", n)\n\t}\n", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, m, err := Replace(c.text, c.old, strings.Replace(c.old, "n", "count", 1), Where{})
				if err != nil {
					_ = err.Error()
				}
				if m.Step != c.step {
					b.Fatalf("by %q: %v", m.Step, err)
				}
			}
		})
	}
}
