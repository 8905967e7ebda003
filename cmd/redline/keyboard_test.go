package main

import (
	"testing"
)

// A pasted text of several lines is one line for the line editor, wherever the terminal's answer is cut.
func TestPaste(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, keys, want string
		ended            bool
	}{
		{"typed", "ab\tc", "ab\tc", false},
		{"typed lines", "a\rb\r", "a\r", true},
		{"Ctrl-C", "a\x03b", "a\x03", true},
		{"keys", "\x1b[A\x1b[2~\x1b\x1b[3~", "\x1b[A\x1b[2~\x1b\x1b[3~", false},
		{"a pasted word", "a" + pasteBegins + "b" + pasteEnd + "c", "a" + pasteBegins + "bc", false},
		{"pasted lines", pasteBegins + "one\rtwo\n\r\nthree\r" + pasteEnd + "\rnext", pasteBegins + "one⏎two⏎⏎three⏎\r", true},
		{"a pasted tab", pasteBegins + "\tif x {\r\t}" + pasteEnd, pasteBegins + "⇥if x {⏎⇥}", false},
		{"pasted keys", pasteBegins + "a\x1b[Ab\x03c\x04d\x7f\x1b[20" + pasteEnd, pasteBegins + "a[Abcd[20", false},
		{"two texts", pasteBegins + "a\r" + pasteEnd + " and " + pasteBegins + "\nb" + pasteEnd + "\r", pasteBegins + "a⏎ and " + pasteBegins + "⏎b\r", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.keys) + 1 {
				var p paste
				got, _, ended := p.edit([]byte(tt.keys[:cut]))
				if !ended {
					var more []byte
					more, _, ended = p.edit([]byte(tt.keys[cut:]))
					got = append(got, more...)
				}
				if string(got) != tt.want || ended != tt.ended {
					t.Errorf("cut at %d: got %q, %v, want %q, %v", cut, got, ended, tt.want, tt.ended)
				}
			}
		})
	}
}
