package workspace

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hundredThousand creates a tree of 100,000 files, 300 MB of words, with a needle in one
// line each of a thousand files.
func hundredThousand(b *testing.B) string {
	b.Helper()
	dir := newTree(b, map[string]string{".git/": "", ".gitignore": "*.log\nnode_modules/\n/build\n*.o\n"})
	var words []string
	for i := range 4000 {
		words = append(words, strings.Map(func(r rune) rune { return r - 0x30 + 0x61 + r%3*5 }, fmt.Sprintf("%07o", i*7919)[:3+i%5]))
	}
	var text bytes.Buffer
	for i := range 1000 {
		folder := filepath.Join(dir, fmt.Sprintf("pkg%d", i%50), fmt.Sprintf("mod%d", i%400), fmt.Sprintf("d%d", i))
		must(b, os.MkdirAll(folder, 0o755))
		for j := range 100 {
			text.Reset()
			for w := 0; text.Len() < []int{500, 1500, 3000, 6000, 500}[j%5]; w++ {
				text.WriteString(words[(i*31+j*17+w*w)%len(words)])
				text.WriteByte(" \n"[w%8/7])
			}
			if j == 0 {
				text.WriteString("\nthe Needle is here\n")
			}
			must(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", j)), text.Bytes(), 0o644))
		}
	}
	return dir
}

// BenchmarkSearchBesideRipgrep searches a tree of 100,000 files, alternating with ripgrep.
// It reports the ratio of the search's time to ripgrep's; the project's goal is at most 2.
func BenchmarkSearchBesideRipgrep(b *testing.B) {
	if testing.Short() {
		b.Skip("making 100,000 files takes a while: run without -short")
	}
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("ripgrep is not installed: there is nothing to compare with")
	}
	dir := hundredThousand(b)
	w := New([]Folder{{Dir: dir}}, Options{})
	for _, c := range []struct {
		name string
		q    Query
		args []string
		hits int
	}{
		{"text", Query{Pattern: "Needle", Limit: 1000}, []string{"-F", "Needle"}, 1000},
		{"nocase", Query{Pattern: "NEEDLE", IgnoreCase: true, Limit: 1000}, []string{"-iF", "NEEDLE"}, 1000},
		{"regexp", Query{Pattern: `^the \w+dle is|Needles`, Regexp: true, Limit: 1000}, []string{"-e", `^the \w+dle is|Needles`}, 1000},
		{"many", Query{Pattern: "a", Limit: 1000}, []string{"-F", "a"}, 0},
		{"expression without a text", Query{Pattern: `[A-Z][a-z]{3,}`, Regexp: true, Limit: 1000}, []string{"-e", `[A-Z][a-z]{3,}`}, 1000},
	} {
		b.Run(c.name, func(b *testing.B) {
			var ours, theirs time.Duration
			for b.Loop() {
				start := time.Now()
				found, err := w.Search(b.Context(), c.q, nil)
				ours += time.Since(start)
				if err != nil || c.hits > 0 && found.Lines != c.hits {
					b.Fatalf("%d hits, %v", found.Lines, err)
				}
				start = time.Now()
				out, err := exec.CommandContext(b.Context(), rg, append([]string{"-n", "--no-config", "--hidden", "-g", "!.git"}, append(c.args, dir)...)...).Output()
				theirs += time.Since(start)
				if n := bytes.Count(out, []byte{'\n'}); err != nil || n != found.Lines {
					b.Fatalf("ripgrep found %d lines where we found %d: %v", n, found.Lines, err)
				}
			}
			b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/search")
			b.ReportMetric(float64(theirs.Milliseconds())/float64(b.N), "ms/ripgrep")
			b.ReportMetric(float64(ours)/float64(theirs), "x")
		})
	}
}
