package toolfolders

import "testing"

// Redline looks for these folders each time it starts.
func BenchmarkCaches(b *testing.B) {
	for b.Loop() {
		Caches()
	}
}

func BenchmarkSeen(b *testing.B) {
	for b.Loop() {
		Seen()
	}
}
