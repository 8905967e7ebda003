//go:build !windows

package world

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkPrograms finds what the programs on a PATH of 3,000 need, as each trial does: none of them
// a link, links within the folder and to the system, and 30 or 300 that lead to 30 environments. It
// reports what the first time takes, too.
func BenchmarkPrograms(b *testing.B) {
	for _, c := range []struct {
		name   string
		inside int // links that stay
		out    int // links that lead out
	}{{"none", 0, 0}, {"inside", 1000, 0}, {"out=30", 1000, 30}, {"out=300", 1000, 300}} {
		b.Run(c.name, func(b *testing.B) {
			files := map[string]string{"py/bin/python3.12": "", "py/lib/python3.12/os.py": ""}
			for i := range 30 {
				files[fmt.Sprintf("venvs/v%d/pyvenv.cfg", i)] = "home = DIR/py/bin\n"
				files[fmt.Sprintf("venvs/v%d/bin/python", i)] = "->DIR/py/bin/python3.12"
			}
			for i := range c.out {
				name := fmt.Sprintf("venvs/v%d/bin/p%d", i%30, i)
				files[name], files[fmt.Sprintf("bin/p%d", i)] = "", "->DIR/"+name
			}
			for i := range c.inside {
				files[fmt.Sprintf("bin/p%d", c.out+i)] = "->" + []string{"p2999", "/usr/bin/env", "./p2999"}[i%3]
			}
			for i := c.out + c.inside; i < 3000; i++ {
				files[fmt.Sprintf("bin/p%d", i)] = ""
			}
			dir := tree(b, files)
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(filepath.Join(dir, "bin"), old, old); err != nil {
				b.Fatal(err)
			}
			ways := Ways{Path: append([]string{filepath.Join(dir, "bin")}, filepath.SplitList(os.Getenv("PATH"))...), Workspaces: []string{filepath.Join(dir, "ws")}}
			p := NewPrograms(filepath.Join(dir, "home"))
			first := time.Now()
			found := p.Needed(ways).Programs
			took := time.Since(first)
			for b.Loop() {
				found = p.Needed(ways).Programs
			}
			b.ReportMetric(took.Seconds()*1e3, "first-ms")
			b.ReportMetric(float64(len(found)), "shown")
		})
	}
}
