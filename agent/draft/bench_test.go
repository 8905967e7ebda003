package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/draft"
)

// BenchmarkSeal seals a draft with one edit in each of 1,000 files of 200
// lines.
func BenchmarkSeal(b *testing.B) {
	files := memory{}
	text := strings.Repeat("a line of usual length, or nearly so\n", 199)
	d := draft.New(files)
	for i := range 1000 {
		path := fmt.Sprintf("dir%d/file%d", i%10, i)
		files[path] = text + "last\n"
		if _, err := d.Edit(path, "last", "LAST", false, op("edit_file")); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		s, err := d.Seal(files.live)
		if err != nil || len(s.Changes) != 1000 {
			b.Fatalf("%d changes, %v", len(s.Changes), err)
		}
	}
}
