package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// bigFiles and bigHunks are the size of a plan that must be approved quickly.
const (
	bigFiles = 1000
	bigHunks = 10 // in each file
)

func bigName(file int) string { return fmt.Sprintf("dir%d/file%d.txt", file%20, file) }

// bigText returns a file with bigHunks occurrences of one word, far enough apart for
// separate hunks, and lines other lines.
func bigText(file, lines int) string {
	var b strings.Builder
	for i := range bigHunks {
		fmt.Fprintf(&b, "line %d of file %d has an apple in it\n", i, file)
		for j := range lines / bigHunks {
			fmt.Fprintf(&b, "\tand this is line %d after it, which stays as it is\n", j)
		}
	}
	return b.String()
}

// bigPlan stores a plan that changes each occurrence in each file, one operation each, as a
// model would make it.
func bigPlan(b *testing.B, st *store.Store, dir string, files []string) {
	p := &plan.Plan{Conversation: "c1", Goal: "replace apples", State: plan.AwaitingApproval, Created: time.Now(), Updated: time.Now()}
	r := plan.Revision{Author: plan.AuthorModel, Created: time.Now(), Description: "Apples are out.",
		Steps: []plan.Step{{ID: "s1", Description: "replace apples"}}}
	texts := map[plan.Blob]string{}
	for i, base := range files {
		proposed := strings.ReplaceAll(base, "apple", "pear")
		c := plan.Change{Path: bigName(i), Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed),
			BaseExists: true, Mode: 0o644, Hunks: plan.Hunks(plan.Update, base, proposed, nil)}
		for j := range bigHunks {
			id := fmt.Sprintf("o%d", i*bigHunks+j+1)
			args := fmt.Sprintf(`{"path":%q,"old_string":"line %d of file %d has an apple","new_string":"line %d of file %d has a pear"}`,
				c.Path, j, i, j, i)
			r.Operations = append(r.Operations, plan.Operation{ID: id, Step: "s1", Tool: "edit_file", Args: json.RawMessage(args), Path: c.Path})
			c.Operations = append(c.Operations, id)
		}
		r.Changes = append(r.Changes, c)
		texts[c.Base], texts[c.Proposed] = base, proposed
	}
	p.NextOperation = len(r.Operations)
	p.Add(r, func(b plan.Blob) string { return texts[b] })
	if err := st.CreatePlan(b.Context(), dir, p, texts); err != nil {
		b.Fatal(err)
	}
}

// Measures an approval of 10,000 hunks in 1,000 files from the request to the answer, with
// every text verified. Text is the size of all files. Peak is the growth of the heap at its
// largest, garbage included. Live is the largest live heap that the collector found,
// including earlier plans and texts and the editor in the same process.
func BenchmarkApproveBig(b *testing.B) {
	for _, c := range []struct {
		name        string
		open, lines int
	}{
		{"closed", 0, 100},
		{"half", bigFiles / 2, 100},
		{"open", bigFiles, 100},
		{"half-4x", bigFiles / 2, 400},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkApprove(b, c.open, c.lines) })
	}
}

func benchmarkApprove(b *testing.B, open, lines int) {
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as redline serve sets it
	files := make([]string, bigFiles)
	size := 0
	for i := range files {
		files[i] = bigText(i, lines)
		size += len(files[i])
	}
	var peak, live, allocated uint64
	var slowest time.Duration
	for b.Loop() {
		b.StopTimer()
		e := bigEditor(b, files)
		for i := range open {
			e.must(e.Open(bigName(i)))
		}
		if _, err := e.Execute(e.ctx, command.Show, map[string]int{"plan": 1}); err != nil {
			b.Fatal(err)
		}
		e.await(lsptest.DiagnosticCount(bigName(0), bigHunks))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		heap := watchHeap()
		b.StartTimer()

		start := time.Now()
		r, err := e.approve()
		slowest = max(slowest, time.Since(start))

		b.StopTimer()
		most, used := heap()
		peak, live = max(peak, most-before.HeapAlloc), max(live, used)
		runtime.ReadMemStats(&after)
		allocated += after.TotalAlloc - before.TotalAlloc
		if err != nil || r.State != "completed" || len(r.Files) != bigFiles { // it is executing if the approval took over 5 s
			b.Fatalf("the plan is %s in %d files: %v", r.State, len(r.Files), err)
		}
		for i, text := range files {
			if e.Text(bigName(i)) != strings.ReplaceAll(text, "apple", "pear") {
				b.Fatalf("%s is not as approved", bigName(i))
			}
		}
		e.Kill()
		b.StartTimer()
	}
	const MiB = 1 << 20
	b.ReportMetric(float64(size)/MiB, "text-MiB")
	b.ReportMetric(float64(peak)/MiB, "peak-MiB")
	b.ReportMetric(float64(peak)/float64(size), "peak/text")
	b.ReportMetric(float64(live)/float64(size), "live/text")
	b.ReportMetric(float64(allocated)/float64(b.N)/MiB, "alloc-MiB")
	b.ReportMetric(slowest.Seconds(), "slowest-s")
}

// bigEditor returns an editor whose workspace has the files and a plan for them.
func bigEditor(b *testing.B, files []string) *connected {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i, text := range files {
		write(b, filepath.Join(dir, bigName(i)), text)
	}
	st := store.New(filepath.Join(dir, ".state"))
	b.Cleanup(func() { st.Close(); os.RemoveAll(dir) })
	bigPlan(b, st, dir, files)
	return connectTo(b, lsptest.Honest(), dir, Options{
		NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
			return agent.New(agent.Options{Workspace: w, Store: st, Model: model.New(model.Config{})}), nil
		},
	})
}

// watchHeap samples the heap every millisecond until result is called. result returns the
// largest heap, garbage included, and the largest live heap.
func watchHeap() (result func() (most, used uint64)) {
	var most, used uint64
	stop, done := make(chan struct{}), make(chan struct{})
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(samples)
			most, used = max(most, samples[0].Value.Uint64()), max(used, samples[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func() (uint64, uint64) { close(stop); <-done; return most, used }
}
