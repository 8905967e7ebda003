//go:build linux && (amd64 || arm64)

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"redline/workspace/runner"
)

// adoptBench is a user whose commands run bare and by redline adopt, one after the other.
type adoptBench struct {
	redline, dir, tools string
	env                 []string
	states              map[string]string // the state directories, by the build: each knows what it has kept itself
	plans               map[string]int    // how many each has made
	bare, adopted       []time.Duration
	beside              []time.Duration // adopted by another build
}

var adoptBeside = flag.String("adopt.beside", "", "also measure what redline adopt takes with this `program`, another build, in turns")

func newAdoptBench(b *testing.B) *adoptBench {
	b.Helper()
	if err := runner.Worlds(); err != nil {
		b.Skip("there are no worlds here: " + err.Error())
	}
	scripted, err := exec.LookPath("scripted-agent")
	if err != nil {
		b.Fatal(err)
	}
	of := &adoptBench{redline: program(b), dir: b.TempDir(), tools: b.TempDir(), plans: map[string]int{}}
	config := filepath.Join(b.TempDir(), "config.toml")
	of.states = map[string]string{of.redline: b.TempDir(), *adoptBeside: b.TempDir()}
	for _, err := range []error{
		os.WriteFile(config, []byte("[trials]\nmode = \"on\"\n"), 0o600), os.Symlink(scripted, filepath.Join(of.tools, "scripted-agent")),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
	of.env = append(os.Environ(), "PATH="+of.tools+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+b.TempDir(),
		"REDLINE_CONFIG="+config, "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "REDLINE_MODEL=")
	return of
}

// run runs a program in the workspace and returns how long it took.
func (of *adoptBench) run(b *testing.B, status int, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = of.dir, append(of.env, "REDLINE_STATE_DIR="+of.states[args[0]])
	began := time.Now()
	out, _ := cmd.CombinedOutput() // the status counts
	took := time.Since(began)
	if got := cmd.ProcessState.ExitCode(); got != status {
		b.Fatalf("exit status %d\n%s", got, out)
	}
	return took
}

// once runs a command line bare, then adopts what it does. prepare is called before each, and the
// plan is rejected afterwards.
func (of *adoptBench) once(b *testing.B, prepare func(), line ...string) {
	b.Helper()
	prepare()
	of.bare = append(of.bare, of.run(b, exitOK, line...))
	of.adopted = append(of.adopted, of.adopt(b, prepare, of.redline, line))
	if *adoptBeside != "" {
		of.beside = append(of.beside, of.adopt(b, prepare, *adoptBeside, line))
	}
}

func (of *adoptBench) adopt(b *testing.B, prepare func(), program string, line []string) time.Duration {
	b.Helper()
	prepare()
	took := of.run(b, exitWaiting, append([]string{program, "adopt", "--plan-only", "--"}, line...)...)
	of.plans[program]++
	of.run(b, exitOK, program, "plans", "reject", fmt.Sprint(of.plans[program])) // else the next ones follow its hunks too
	if err := os.RemoveAll(filepath.Join(of.dir, ".redline")); err != nil {
		b.Fatal(err)
	}
	return took
}

func (of *adoptBench) report(b *testing.B) {
	first := of.adopted[0] // nothing is known of the workspace and the tools; median sorts
	bare, adopted := median(of.bare).Seconds()*1e3, median(of.adopted).Seconds()*1e3
	b.ReportMetric(0, "ns/op") // of both together
	b.ReportMetric(bare, "bare-ms")
	b.ReportMetric(adopted, "adopted-ms")
	b.ReportMetric(first.Seconds()*1e3, "first-ms")
	if len(of.beside) > 0 {
		b.ReportMetric(median(of.beside).Seconds()*1e3, "beside-ms")
	}
	b.ReportMetric(adopted-bare, "more-ms")
	b.ReportMetric(adopted/bare, "time-ratio")
}

// BenchmarkAgents compares an agent of others alone with the same in a copy whose changes become a
// plan.
func BenchmarkAgents(b *testing.B) {
	for name := range agentPrograms {
		b.Run(name, func(b *testing.B) {
			installed := installedAgent(b, name)
			of := newAdoptBench(b)
			if err := os.Symlink(installed, filepath.Join(of.tools, name)); err != nil {
				b.Fatal(err)
			}
			script := writeScript(b, of.tools, agentEdits)
			prepare := func() {
				for file, text := range map[string]string{"prices.go": "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n", "old/gone.txt": "old\n"} {
					file = filepath.Join(of.dir, filepath.FromSlash(file))
					for _, err := range []error{os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)} {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				_ = os.Remove(filepath.Join(of.dir, "made.txt")) // if it is there
			}
			for b.Loop() {
				of.once(b, prepare, "scripted-agent", name, name, script, "Rename Total to Sum")
			}
			of.report(b)
		})
	}
}

// BenchmarkAdoptLargeWorkspace adopts a change of 100 files among 100,000, with and without Git.
func BenchmarkAdoptLargeWorkspace(b *testing.B) {
	for _, git := range []bool{false, true} {
		b.Run(fmt.Sprintf("git=%v", git), func(b *testing.B) {
			of := newAdoptBench(b)
			for i := range 1000 {
				folder := filepath.Join(of.dir, fmt.Sprintf("d%d", i%50), fmt.Sprintf("e%d", i))
				if err := os.MkdirAll(folder, 0o755); err != nil {
					b.Fatal(err)
				}
				for k := range 100 {
					if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", k)), []byte("package e\n"), 0o644); err != nil {
						b.Fatal(err)
					}
				}
			}
			if git {
				of.run(b, exitOK, "git", "init", "-q")
				of.run(b, exitOK, "git", "add", "-A")
				of.run(b, exitOK, "git", "-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "gc.auto=0", "commit", "-qm", "all")
			}
			edits := 0
			for b.Loop() {
				edits++
				of.once(b, func() {}, "sh", "-c", fmt.Sprintf("for f in d7/e7/*.go; do echo '// edit %d' >>$f; done", edits))
			}
			of.report(b)
		})
	}
}
