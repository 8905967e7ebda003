package match

import (
	"testing"

	"redline/edits/internal/edittest"
)

// In code, a line that ends anew loses the spaces that the file has behind it. What ends as before
// keeps them, and so does what may be in a string, and what is no code.
func TestReplaceTrimsLinesThatEndAnew(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, code, prose string }{
		{"a new end", "a\nf(x)  \n", "a\nf(x)\n", "a\ng(y)\n", "a\ng(y)\n", "a\ng(y)  \n"},
		{"the end stays", "a\nx = f(y)  \n", "a\nx = f(y)\n", "a\nz = f(y)\n", "a\nz = f(y)  \n", ""},
		{"the line stays", "a\nf(x)  \n", "a\nf(x)\n", "b\nf(x)\n", "b\nf(x)  \n", ""},
		{"the call has others in both texts", "a\nf(x)  \n", "a\nf(x)\t\n", "a\ng(y)\t\n", "a\ng(y)  \n", ""},
		{"the call changes them", "a\nf(x)  \n", "a\nf(x)\n", "a\ng(y)\t\n", "a\ng(y)\t\n", ""},
		{"in a string", "s = `\na b  \nc`\n", "s = `\na b\nc`\n", "s = `\na d\nc`\n", "s = `\na d  \nc`\n", ""},
		{"in another line end", "a\r\nf(x) \r\n", "a\nf(x)\n", "a\ng(y)\n", "a\r\ng(y)\r\n", "a\r\ng(y) \r\n"},
		{"indented otherwise", "\ta\n\tf(x) \n", "a\nf(x)\n", "a\ng(y)\n", "\ta\n\tg(y)\n", "\ta\n\tg(y) \n"},
	} {
		for _, trims := range []bool{true, false} {
			want := c.code
			if !trims && c.prose != "" {
				want = c.prose
			}
			es, m, err := Replace(c.text, c.old, c.new, Where{Trims: trims})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if got := edittest.Apply(t, c.text, es...); got != want {
				t.Errorf("%s, %v: got %q by %s, want %q", c.name, trims, got, m.Step, want)
			}
		}
	}
}
