package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/model/modeltest"
)

// program builds the program that users run.
func program(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "redline")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		b.Skipf("the program cannot be built here: %v\n%s", err, out)
	}
	return path
}

func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

// The time from the start of the process to the answer to initialize, and the resident memory at
// that moment. Both are medians.
func BenchmarkStartToInitialize(b *testing.B) {
	redline := program(b)
	var took []time.Duration
	var memory []float64
	for b.Loop() {
		c := begin(b, redline, "serve")
		c.initialized(b)
		took = append(took, time.Since(c.started))
		memory = append(memory, resident(b, c.Process.Pid))
		c.send(b, shutdown)
		c.receive(b)
		c.send(b, exit)
		if err := c.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(median(took).Microseconds())/1e3, "ms")
	b.ReportMetric(median(memory), "MiB")
}

// resident returns the peak resident memory of a living process, in MiB.
func resident(b *testing.B, pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("this system has no /proc to read the memory from")
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}

// The edit that the benchmarks of a whole run make, in a file of its own.
const (
	beforeEdit = "func Total(a, b int) int {"
	afterEdit  = "func Sum(a, b int) int {"
	request    = "rename Total to Sum in prices.go"
)

// agentRun is a program that makes the edit, with a scripted model.
type agentRun struct {
	args []string
	env  []string
	dir  string
	cost string // where measure writes

	took   []time.Duration
	worked []time.Duration
	memory []float64
}

func newAgentRun(b *testing.B, args, env []string) *agentRun {
	if runtime.GOOS == "windows" {
		b.Skip("Windows does not tell the peak of memory")
	}
	r := &agentRun{args: args, dir: b.TempDir(), cost: filepath.Join(b.TempDir(), "cost")}
	r.env = append(append(os.Environ(), env...), "MEASURE="+r.cost)
	return r
}

// once runs the program and checks that the edit was made.
func (r *agentRun) once(b *testing.B) {
	b.Helper()
	file := filepath.Join(r.dir, "prices.go")
	text := "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("measure", r.args...)
	cmd.Env, cmd.Dir = r.env, r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != strings.Replace(text, beforeEdit, afterEdit, 1) {
		b.Fatalf("the edit was not made: %v\n%s", err, got)
	}
	cost, err := os.ReadFile(r.cost)
	if err != nil {
		b.Fatal(err)
	}
	var used usageOf
	if err := json.Unmarshal(cost, &used); err != nil {
		b.Fatal(err)
	}
	r.took, r.worked, r.memory = append(r.took, used.Wall), append(r.worked, used.CPU), append(r.memory, used.Peak)
}

// report reports the medians of wall time, processor time and peak memory of the process.
func (r *agentRun) report(b *testing.B, prefix string) (ms, mib float64) {
	ms, mib = float64(median(r.took).Microseconds())/1e3, median(r.memory)
	b.ReportMetric(ms, prefix+"ms")
	b.ReportMetric(float64(median(r.worked).Microseconds())/1e3, prefix+"cpu-ms")
	b.ReportMetric(mib, prefix+"MiB")
	return ms, mib
}

// redlineRun is `redline run --approve` with a model that makes the edit in one
// turn: two requests to an endpoint on the loopback interface. script must be
// called before each run.
func redlineRun(b *testing.B) (r *agentRun, script func()) {
	redline := program(b)
	server := modeltest.New()
	base, err := server.Start()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Close)
	arguments, err := json.Marshal(map[string]string{"path": "prices.go", "old_string": beforeEdit, "new_string": afterEdit})
	if err != nil {
		b.Fatal(err)
	}
	r = newAgentRun(b, []string{redline, "run", "--approve", request}, []string{
		"PROFDIR=" + os.Getenv("PROFDIR"), "OPENAI_BASE_URL=" + base, "OPENAI_API_KEY=none", "REDLINE_MODEL=scripted",
		"REDLINE_STATE_DIR=" + b.TempDir(), "REDLINE_CONFIG=", "XDG_CONFIG_HOME=" + filepath.Join(b.TempDir(), "none"),
	})
	return r, func() {
		server.Add(modeltest.Stream(modeltest.Call("edit_file", string(arguments))), modeltest.Stream(modeltest.Text("Renamed.")))
	}
}

func BenchmarkRunOneEdit(b *testing.B) {
	r, script := redlineRun(b)
	for b.Loop() {
		script()
		r.once(b)
	}
	r.report(b, "")
}
