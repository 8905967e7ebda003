//go:build amd64 || arm64

package runner

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// contender is one way to run a command.
type contender struct {
	name string
	run  func() error
	took []time.Duration
}

// race runs a command in each of the ways in turn, and reports the median of each in ms, and the
// ratio of the second way's time to the first's. prepare is called before each run.
func race(b *testing.B, ways []*contender, prepare func()) {
	for b.Loop() {
		for _, way := range ways {
			prepare()
			began := time.Now()
			if err := way.run(); err != nil {
				b.Fatalf("%s: %v", way.name, err)
			}
			way.took = append(way.took, time.Since(began))
		}
	}
	b.ReportMetric(0, "ns/op") // of all ways together
	medians := make([]float64, len(ways))
	for i, way := range ways {
		slices.Sort(way.took)
		medians[i] = way.took[len(way.took)/2].Seconds() * 1e3
		b.ReportMetric(medians[i], way.name+"-ms")
	}
	b.ReportMetric(medians[1]/medians[0], "trial/bare")
}

// waysTo returns the ways to run a line in dir: bare, as a trial, and, where they are installed, in
// bubblewrap with a list of arguments that isolates about as much (it has no copy of the files:
// what the line writes stays), and in Codex' sandbox, which is started by its command line.
// CODEX names Codex' own binary; its launcher in Node.js costs extra. Folders in writable can be
// written besides.
func waysTo(b *testing.B, line, dir string, writable ...string) []*contender {
	b.Helper()
	program := func(args ...string) func() error {
		return func() error {
			c := exec.Command(args[0], args[1:]...)
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		}
	}
	w := &world.World{Folders: []string{dir}, Tools: writable, Home: b.TempDir(), Disk: 1 << 30, Memory: 4 << 30, Processes: 2000}
	ways := []*contender{{name: "bare", run: program("sh", "-c", line)}, {name: "trial", run: func() error {
		o, err := Run(context.Background(), Command{Line: line, Dir: dir, World: w}, nil)
		if err == nil && o.ExitCode != 0 {
			err = fmt.Errorf("%+v", o)
		}
		return err
	}}}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		args := []string{
			bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
			"--tmpfs", "/tmp", "--tmpfs", "/run", "--bind", dir, dir,
		}
		for _, folder := range writable {
			args = append(args, "--bind", folder, folder)
		}
		ways = append(ways, &contender{name: "bwrap", run: program(append(args, "--chdir", dir, "--", "sh", "-c", line)...)})
	}
	if codex, err := exec.LookPath(cmp.Or(os.Getenv("CODEX"), "codex")); err == nil {
		home, err := os.MkdirTemp("/var/tmp", "redline-codex-") // it refuses /tmp
		if err != nil {
			b.Skip(err)
		}
		b.Cleanup(func() { os.RemoveAll(home) })
		b.Setenv("CODEX_HOME", home)
		var roots []string
		for _, folder := range writable {
			roots = append(roots, fmt.Sprintf("%q", folder))
		}
		ways = append(ways, &contender{name: "codex", run: program(codex, "sandbox", "-c", `sandbox_mode="workspace-write"`,
			"-c", "sandbox_workspace_write.writable_roots=["+strings.Join(roots, ",")+"]", "--", "sh", "-c", line)})
	}
	return slices.DeleteFunc(ways, func(way *contender) bool {
		err := way.run() // also so that caches are warm
		if err != nil {
			b.Logf("%s is left out: %v", way.name, err)
		}
		return err != nil && way.name != "trial"
	})
}

// BenchmarkWorld builds a world on a workspace and removes it, with a command that does nothing: it
// measures the cost of a trial besides its command.
func BenchmarkWorld(b *testing.B) {
	if err := Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	for _, files := range []int{1000, 100_000} {
		dir := b.TempDir()
		for i := range files {
			folder := filepath.Join(dir, fmt.Sprintf("d%d", i/100%50), fmt.Sprintf("e%d", i/100))
			if i%100 == 0 {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i%100)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) { race(b, waysTo(b, "true", dir), func() {}) })
	}
}

// BenchmarkTrialOfGoTest runs the tests of a published Go module of 800 files: with the results
// that Go has cached, without them, and after an edit in the file that everything else depends on.
func BenchmarkTrialOfGoTest(b *testing.B) {
	if err := Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		b.Skip("there is no folder for caches: ", err)
	}
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(caches, "redline-repositories", "toml-1.5.0"))); err != nil {
		b.Skip("there is no repository here, run .ci/install-repositories: ", err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		b.Skip("there is no go here")
	}
	edited := filepath.Join(dir, "meta.go")
	text, err := os.ReadFile(edited)
	if err != nil {
		b.Fatal(err)
	}
	edits := 0
	for name, c := range map[string]struct {
		line    string
		prepare func()
	}{
		"kept results": {"go test ./...", func() {}},
		"no results":   {"go test -count=1 ./...", func() {}},
		"after an edit": {"go test ./...", func() {
			edits++
			if err := os.WriteFile(edited, fmt.Appendf(slices.Clip(text), "\n// edit %d.%d\n", os.Getpid(), edits), 0o644); err != nil {
				b.Fatal(err)
			}
		}},
	} {
		b.Run(name, func(b *testing.B) { race(b, waysTo(b, c.line, dir, strings.TrimSpace(string(cache))), c.prepare) })
	}
}

// BenchmarkWorldOfPrograms builds a world that shows the installations which a number of programs on
// PATH lead to, beside one that shows none: a trial besides its command and the search for them.
func BenchmarkWorldOfPrograms(b *testing.B) {
	if err := Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	for _, n := range []int{10, 100} {
		dir, away := b.TempDir(), b.TempDir()
		with := &world.World{Folders: []string{dir}, Home: b.TempDir(), Disk: 1 << 30, Processes: 2000}
		none := *with
		for i := range n {
			folder := filepath.Join(away, fmt.Sprintf("p%d", i), "bin")
			if err := os.MkdirAll(folder, 0o755); err != nil {
				b.Fatal(err)
			}
			with.Programs = append(with.Programs, folder)
		}
		in := func(w *world.World) func() error {
			return func() error {
				_, err := Run(context.Background(), Command{Line: "true", Dir: dir, World: w}, nil)
				return err
			}
		}
		b.Run(fmt.Sprintf("programs=%d", n), func(b *testing.B) {
			race(b, []*contender{{name: "none", run: in(&none)}, {name: "trial", run: in(with)}}, func() {})
		})
	}
}
