package trace

import (
	"strings"
	"testing"
	"time"
)

// BenchmarkRecord is what one step costs a turn.
func BenchmarkRecord(b *testing.B) {
	s := Step{Kind: ToolDone, Name: "search", Summary: "search \"" + strings.Repeat("price total ", 20) + "\": 12 lines", Path: "shop/prices.go"}
	for b.Loop() {
		r := NewRecorder(Trace{}, time.Now, nil)
		r.Record(s)
	}
}
