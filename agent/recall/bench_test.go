package recall

import (
	"strings"
	"testing"
)

// A reply of many megabytes is shortened without being searched to its end.
func BenchmarkShorten10MB(b *testing.B) {
	text := strings.Repeat("So it goes on and on. ", 10_000_000/22)
	for b.Loop() {
		Shorten(text, 8000)
	}
}
