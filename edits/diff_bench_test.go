package edits_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

// pairs are two texts of a megabyte that differ in one way each.
func pairs() []struct{ name, base, proposed string } {
	base := edittest.Megabyte()
	lines := linetext.Split(base)
	each := func(n int, f func(i int, line string) string) string {
		out := slices.Clone(lines)
		for i := 0; i < len(out); i += n {
			out[i] = f(i, out[i])
		}
		return strings.Join(out, "")
	}
	third := len(lines) / 3
	moved := slices.Concat(lines[third:2*third], lines[:third], lines[2*third:])
	shuffled := make([]string, 0, len(lines)) // blocks of 40 lines, in another order
	blocks := slices.Collect(slices.Chunk(lines, 40))
	for i := range blocks {
		shuffled = append(shuffled, blocks[i*7%len(blocks)]...)
	}
	minified := strings.ReplaceAll(base, "\n", " ")
	var wide strings.Builder // 20 lines of 50 kB
	for i := range 20 {
		wide.WriteString(minified[i*len(minified)/20:(i+1)*len(minified)/20] + "\n")
	}
	same := strings.Repeat("\t\t}\n", 1<<20/4)
	two := strings.Repeat("{\n}\n", 1<<20/4)
	return []struct{ name, base, proposed string }{
		{"scattered", base, each(2000, func(i int, _ string) string { return fmt.Sprintf("// changed %d\n", i) })},
		{"moved", base, strings.Join(moved, "")},
		{"shuffled", base, strings.Join(shuffled, "")},
		{"third", base, each(3, func(i int, _ string) string { return fmt.Sprintf("// changed %d\n", i) })},
		{"different", base, each(1, func(i int, _ string) string { return fmt.Sprintf("// another line %d\n", i) })},
		{"reindented", base, each(1, func(_ int, line string) string { return "\t" + line })},
		{"minified", wide.String(), strings.ReplaceAll(wide.String(), "f7()", "g7()")},
		{"one-line", minified + "\n", strings.Replace(minified, "f777()", "g777()", 1) + "\n"},
		{"repeated-half", same, same[:len(same)/2]},
		{"repeated-other", two, strings.ReplaceAll(two, "{\n}\n{\n}\n", "}\n{\n{\n}\n")},
		{"reversed", base, func() string { r := slices.Clone(lines); slices.Reverse(r); return strings.Join(r, "") }()},
	}
}

// BenchmarkDiffBesideGit compares a printed unified diff of two files of a megabyte with `git diff
// --no-index` of the same files, alternately. The figures are medians: ms and git-ms, and net-ms,
// git's time minus its time for two empty files, which is mostly the start of its process.
func BenchmarkDiffBesideGit(b *testing.B) {
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("git is not here to compare with")
	}
	for _, p := range pairs() {
		b.Run(p.name, func(b *testing.B) {
			dir := b.TempDir()
			for name, text := range map[string]string{"base": p.base, "proposed": p.proposed, "empty": "", "none": ""} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			run := func(x, y string) time.Duration {
				cmd := exec.Command(git, "diff", "--no-index", "--no-color", "--no-ext-diff", x, y)
				cmd.Dir, cmd.Stdout = dir, io.Discard
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
				start := time.Now()
				_ = cmd.Run() // 1 when they differ
				return time.Since(start)
			}
			var ours, theirs, start []time.Duration
			for b.Loop() {
				began := time.Now()
				if edits.Unified("a/base", "b/proposed", p.base, p.proposed, 3) == "" {
					b.Fatal("no difference was found")
				}
				ours = append(ours, time.Since(began))
				theirs = append(theirs, run("base", "proposed"))
				start = append(start, run("empty", "none"))
			}
			us, them, idle := medianOf(ours), medianOf(theirs), medianOf(start)
			b.ReportMetric(us, "ms")
			b.ReportMetric(them, "git-ms")
			b.ReportMetric(them-idle, "net-ms")
			b.ReportMetric(us/them, "of-git")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkDiffWorst measures the worst known case: texts of the largest file size, of
// many short lines of two kinds, with many changes.
func BenchmarkDiffWorst(b *testing.B) {
	base := strings.Repeat("{\n}\n", 8<<20/4)
	random := rand.New(rand.NewPCG(1, 2))
	var either strings.Builder
	for either.Len() < 8<<20 {
		either.WriteString([]string{"{\n", "}\n"}[random.IntN(2)])
	}
	for _, c := range []struct{ name, proposed string }{
		{"switched", strings.ReplaceAll(base, "{\n}\n{\n}\n", "}\n{\n{\n}\n")},
		{"random", either.String()},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				edits.Diff(base, c.proposed)
			}
		})
	}
}

// medianOf returns the median in milliseconds.
func medianOf(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)/2].Microseconds()) / 1e3
}
