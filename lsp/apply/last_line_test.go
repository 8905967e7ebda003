package apply

import (
	"strings"
	"testing"

	"redline/edits"
)

// Whatever is replaced, the text is the same afterwards, and the last line end is
// touched only where it has to be.
func TestKeepLastEnd(t *testing.T) {
	for _, text := range []string{"", "a", "\n", "a\n", "a\nb\n", "a\n\n", "a\r\nb\r\n"} {
		for _, first := range []edits.Edit{{}, {Span: edits.Span{Start: 0, End: min(1, len(text))}, New: "x\n"}} {
			for start := first.End; start <= len(text); start++ {
				for end := start; end <= len(text); end++ {
					for _, inserted := range []string{"", "y", "y\n", "\n", "y\r\n", "y\r\nz\r\n"} {
						es := []edits.Edit{{Span: edits.Span{Start: start, End: end}, New: inserted}}
						if first != (edits.Edit{}) {
							es = append([]edits.Edit{first}, es...)
						}
						want, err := edits.Apply(text, es)
						if err != nil {
							t.Fatal(err)
						}
						kept := keepLastEnd(text, es)
						got, err := edits.Apply(text, kept)
						if err != nil || got != want {
							t.Fatalf("%q with %+v is %q (%v), want %q", text, kept, got, err, want)
						}
						last := kept[len(kept)-1]
						whole := strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\r\n") && strings.HasSuffix(inserted, "\n")
						if len(es) == 1 && whole && last.End == len(text) {
							t.Errorf("%q with %+v replaces the last line end", text, kept)
						}
					}
				}
			}
		}
	}
}
