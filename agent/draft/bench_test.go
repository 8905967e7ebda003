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

// BenchmarkWithout takes one operation out of 1,000: of 1,000 files, and of one
// file of 10,000 lines.
func BenchmarkWithout(b *testing.B) {
	for name, path := range map[string]func(i int) string{
		"files":    func(i int) string { return fmt.Sprintf("f%d.txt", i) },
		"one file": func(int) string { return "f.txt" },
	} {
		b.Run(name, func(b *testing.B) {
			files := memory{}
			for i := range 1000 {
				lines := 20
				if path(0) == path(1) {
					lines = 10_000
				}
				if files[path(i)] == "" {
					var text strings.Builder
					for k := range lines {
						fmt.Fprintf(&text, "line %d.\n", k)
					}
					files[path(i)] = text.String()
				}
			}
			d := draft.New(files)
			for i := range 1000 {
				line := 10
				if path(0) == path(1) {
					line = 10 * i
				}
				if _, err := recorded(d, fmt.Sprintf("edit %s|line %d.|row", path(i), line)); err != nil {
					b.Fatal(err)
				}
			}
			p, texts := planOf(b, d, files)
			for b.Loop() {
				rest, err := draft.Without(p.Latest(), []string{"o500"}, func(string) bool { return false }, texts, again)
				if err != nil || len(rest.Operations) != 999 {
					b.Fatal(err)
				}
			}
		})
	}
}
