package placeholder

import (
	"strings"
	"testing"
)

// FuzzResolve checks any two texts: the result is the new text, or has lines of both, or
// there is a refusal that can be shown.
func FuzzResolve(f *testing.F) {
	f.Add("a.go", "package a\n\nfunc f() {\n\treturn\n}\n", "package a\n// ... existing code ...\n}\n", uint8(0))
	f.Add("a.py", "a\nb\nc\n", "a\n# rest of the file unchanged", uint8(0))
	f.Add("a.tsx", "<a>\n<b/>\n</a>\n", "<a>\n{/* keep the rest */}\n</a>\n", uint8(1))
	f.Add("README.md", "# A\r\nb\r\n", "```\n// ...\n```\n<!-- unchanged -->\n", uint8(2))
	f.Add("x", "\n\n", "(rest of methods ...)\n...\n…\n", uint8(0))
	f.Fuzz(func(t *testing.T, path, old, text string, form uint8) {
		got, restored, err := Resolve(path, old, text, Form(form%3))
		switch {
		case err != nil:
			if got != "" || len(restored) > 0 || !strings.Contains(err.Error(), "Nothing was changed.") || len(err.Error()) > 4000 {
				t.Fatalf("%q, %v, %v", got, restored, err)
			}
		case len(restored) == 0:
			if got != text {
				t.Fatalf("%q came to %q", text, got)
			}
		default:
			known := map[string]bool{}
			for _, line := range append(splitLines(old), splitLines(text)...) {
				known[line] = true
			}
			for _, line := range splitLines(got) {
				if !known[line] {
					t.Fatalf("the line %q of %q is of no text", line, got)
				}
			}
			if more := len(splitLines(got)); more > len(splitLines(old))+len(splitLines(text)) {
				t.Fatalf("%d lines", more)
			}
		}
	})
}
