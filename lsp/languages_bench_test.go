package lsp

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/languages"
	"redline/agent/trial"
	"redline/workspace/language"
)

// pairLanguages does something in turns in a session with language servers switched off and in one where they may run and
// none is installed, and reports the medians and their ratio.
func pairLanguages(b *testing.B, files map[string]string, prepare, do func(f *fixture, i int)) {
	off := newFixture(b, client{}, files)
	on := newFixture(b, client{}, files, func(o *agent.Options) {
		o.Trials.Mode = trial.On
		o.Languages = languages.Options{Mode: trial.Ask, Adapters: language.Adapters(), Find: func(string) (string, error) {
			return "", errors.New("it is not installed")
		}}
	})
	sessions := []*fixture{off, on}
	took := map[*fixture][]time.Duration{}
	for _, f := range sessions {
		prepare(f, 0)
	}
	for i := 0; b.Loop(); i++ {
		for k := range sessions { // who is the first one may matter
			f := sessions[(i+k)%2]
			start := time.Now()
			do(f, i)
			took[f] = append(took[f], time.Since(start))
		}
		b.StopTimer()
		time.Sleep(2 * time.Millisecond)
		b.StartTimer()
	}
	median := func(of *fixture) float64 {
		slices.Sort(took[of])
		return float64(took[of][len(took[of])/2].Nanoseconds())
	}
	b.ReportMetric(0, "ns/op") // of both together
	b.ReportMetric(median(off), "off-ns")
	b.ReportMetric(median(on), "on-ns")
	b.ReportMetric(median(on)/median(off), "on/off")
}

// Measures what a character costs that is typed into a Go file of 1 MB with 100 undecided hunks, and a turn of the built-in
// model, where no language server is installed, beside a session with them switched off.
func BenchmarkWithoutLanguageServers(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as redline serve sets it
	files := map[string]string{"go.mod": "module m\n", "a.go": manyHunks(100) + strings.Repeat("this line is typed in and is one of many\n", 25_000), "b.go": "package b\n\nvar apple0 = 1\n"}
	b.Run("keystroke", func(b *testing.B) {
		pairLanguages(b, files, func(f *fixture, _ int) {
			f.open("a.go", files["a.go"])
			f.ask(`replace "apple" with "pear" in a.go`)
		}, func(f *fixture, i int) {
			line := 300 + i%20_000
			if err := f.didChange(f.ctx, changeParams(f.uri("a.go"), fmt.Sprintf(
				`[{"range":{"start":{"line":%d,"character":3},"end":{"line":%d,"character":3}},"text":"x"}]`, line, line))); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("turn", func(b *testing.B) {
		pairLanguages(b, files, func(*fixture, int) {}, func(f *fixture, _ int) {
			f.ask(`replace "apple0" with "pear" in b.go`)
		})
	})
}
