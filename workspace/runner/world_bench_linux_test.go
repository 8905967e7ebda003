//go:build amd64 || arm64

package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"redline/workspace/world"
)

// BenchmarkWorld builds a world on a workspace and takes it down, with a command that does
// nothing: what a trial costs besides its command. Bare is the same command without a world.
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
		c := Command{Line: "true", Dir: dir}
		b.Run(fmt.Sprintf("bare/files=%d", files), func(b *testing.B) { benchmarkRun(b, c) })
		c.World = &world.World{Folders: []string{dir}, Home: b.TempDir(), Disk: 1 << 30, Memory: 4 << 30, Processes: 2000}
		b.Run(fmt.Sprintf("world/files=%d", files), func(b *testing.B) { benchmarkRun(b, c) })
	}
}

// BenchmarkTrialOfGoTest runs the tests of a small module, bare and in a world, with Go's cache of
// results and without.
func BenchmarkTrialOfGoTest(b *testing.B) {
	if err := Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	if _, err := exec.LookPath("go"); err != nil {
		b.Skip("there is no go here")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		b.Skip("there is no home folder here")
	}
	dir := b.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module sums\n\ngo 1.26\n",
		"sum.go":      "package sums\n\nfunc Sum(a, b int) int { return a + b }\n",
		"sum_test.go": "package sums\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	w := &world.World{
		Folders: []string{dir}, Home: home, Tools: []string{filepath.Join(home, "go"), filepath.Join(home, ".cache", "go-build")},
		Disk: 1 << 30, Memory: 4 << 30, Processes: 2000,
	}
	for _, line := range []string{"go test ./...", "go test -count=1 ./..."} {
		for _, in := range []*world.World{nil, w} {
			name := "bare"
			if in != nil {
				name = "world"
			}
			b.Run(fmt.Sprintf("%q/%s", line, name), func(b *testing.B) { benchmarkRun(b, Command{Line: line, Dir: dir, World: in, Confine: ConfineOff}) })
		}
	}
}

func benchmarkRun(b *testing.B, c Command) {
	for b.Loop() {
		o, err := Run(context.Background(), c, nil)
		if err != nil || o.ExitCode != 0 {
			b.Fatalf("%+v, %v", o, err)
		}
	}
}
