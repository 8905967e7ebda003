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
)

// BenchmarkTrialHelper reports the memory of a trial's helper beside that of the command: its own
// memory, and that including its share of the memory in common with the program that started it.
func BenchmarkTrialHelper(b *testing.B) {
	if err := runner.Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	redline, dir, state := program(b), b.TempDir(), b.TempDir()
	config := filepath.Join(state, "config.toml")
	for name, text := range map[string]string{config: "[trials]\nmode = \"on\"\n", filepath.Join(dir, "a.txt"): "one\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	run := func(args ...string) *exec.Cmd {
		c := exec.Command(redline, append(args, "--dir", dir)...)
		c.Env = append(c.Environ(), "REDLINE_STATE_DIR="+state, "REDLINE_CONFIG="+config, "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "REDLINE_MODEL=")
		return c
	}
	_ = run("run", `replace "one" with "1" in a.txt`).Run() // the plan is pending
	var own, share []float64
	for b.Loop() {
		c := run("plans", "try", "1")
		c.Args = append(c.Args, "--", "sleep", "1000")
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		helper := 0
		for end := time.Now().Add(20 * time.Second); helper == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				b.Fatal("the command does not begin")
			}
			for _, pid := range descendants(c.Process.Pid) {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
				if strings.HasPrefix(string(line), "sleep\x001000") {
					helper = descendants(c.Process.Pid)[0]
				}
			}
		}
		memory, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", helper))
		if err != nil {
			b.Fatal(err)
		}
		mib := func(names ...string) (sum float64) {
			for _, name := range names {
				var kib float64
				_, after, _ := strings.Cut(string(memory), "\n"+name+":")
				if _, err := fmt.Sscan(after, &kib); err != nil {
					b.Fatal(err)
				}
				sum += kib / 1024
			}
			return sum
		}
		own, share = append(own, mib("Private_Clean", "Private_Dirty")), append(share, mib("Pss"))
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}
	b.ReportMetric(0, "ns/op") // of the whole program
	b.ReportMetric(median(own), "own-MiB")
	b.ReportMetric(median(share), "share-MiB")
}
