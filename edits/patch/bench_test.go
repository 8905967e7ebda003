package patch_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/edits/patch"
)

// BenchmarkPatch reads and places a unified diff of 1,000 hunks, with wrong numbers, in a
// file of a megabyte; every other line of the file occurs many times.
func BenchmarkPatch(b *testing.B) {
	var base, text strings.Builder
	text.WriteString("--- a/x\n+++ b/x\n")
	for i := 0; base.Len() < 1<<20; i++ {
		fmt.Fprintf(&base, "func f%d() int {\n\treturn 1\n}\n\n", i)
		if i%30 == 0 {
			fmt.Fprintf(&text, "@@ -7,3 +7,3 @@\n func f%d() int {\n-\treturn 1\n+\treturn %d\n }\n", i, i)
		}
	}
	for b.Loop() {
		files, err := patch.Parse(text.String())
		if err != nil {
			b.Fatal(err)
		}
		es, _, err := files[0].Edits(base.String(), true)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(es)), "hunks")
	}
}
