//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/workspace/runner"
	"redline/workspace/warm"
)

// BenchmarkWarmTrial compares a trial of `cargo test` that builds all with one that has what the trial
// before has built, each after an edit of the last of 6 crates.
func BenchmarkWarmTrial(b *testing.B) {
	if err := runner.Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		b.Skip("cargo is not installed: install Rust to run this benchmark")
	}
	redline, dir, state := program(b), b.TempDir(), b.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	config := filepath.Join(state, "config.toml")
	write(config, "[trials]\nmode = \"on\"\n")
	write(filepath.Join(dir, "notes.txt"), "one\n")
	var members []string
	for i := range 6 {
		name, depends := fmt.Sprintf("c%d", i), ""
		members = append(members, fmt.Sprintf("%q", name))
		if i > 0 {
			depends = fmt.Sprintf("[dependencies]\nc%d = { path = \"../c%d\" }\n", i-1, i-1)
		}
		var source strings.Builder
		for f := range 120 {
			fmt.Fprintf(&source, "pub fn f%d(a: &[u64]) -> Vec<String> { a.iter().map(|x| x * %d).filter(|x| x %% 3 == 0).map(|x| format!(\"{x}\")).collect() }\n", f, f+1)
		}
		write(filepath.Join(dir, name, "Cargo.toml"), "[package]\nname = \""+name+"\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"+depends)
		write(filepath.Join(dir, name, "src", "lib.rs"), source.String()+"#[test]\nfn none() { assert!(f0(&[1]).is_empty()); }\n")
	}
	write(filepath.Join(dir, "Cargo.toml"), "[workspace]\nresolver = \"2\"\nmembers = ["+strings.Join(members, ", ")+"]\n")
	run := func(status int, args ...string) {
		c := exec.Command(redline, args...)
		c.Dir = dir
		c.Env = append(c.Environ(), "REDLINE_STATE_DIR="+state, "REDLINE_CONFIG="+config, "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "REDLINE_MODEL=")
		if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != status {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run(exitWaiting, "run", "--plan-only", `replace "one" with "1" in notes.txt`)
	last, edits := filepath.Join(dir, "c5", "src", "lib.rs"), 0
	try := func() float64 {
		edits++
		text, err := os.ReadFile(last)
		if err != nil {
			b.Fatal(err)
		}
		write(last, string(text)+fmt.Sprintf("// %d\n", edits))
		began := time.Now()
		run(0, "plans", "try", "1", "--", "cargo", "test", "--offline", "--workspace", "--lib")
		return time.Since(began).Seconds()
	}
	var cold, kept []float64
	for b.Loop() {
		if err := os.RemoveAll(filepath.Join(state, warm.Folder)); err != nil {
			b.Fatal(err)
		}
		cold = append(cold, try())
		kept = append(kept, try())
	}
	b.ReportMetric(0, "ns/op") // of both
	b.ReportMetric(median(cold), "cold-s")
	b.ReportMetric(median(kept), "warm-s")
}
