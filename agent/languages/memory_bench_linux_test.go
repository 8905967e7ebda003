package languages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"redline/agent/languages"
	"redline/agent/view"
)

// BenchmarkTwentyPlans checks plans in one server, and reports what that uses: after the first five, which load what is
// kept, and after twenty more. Then the same server is asked directly, with as many changes of the same document.
func BenchmarkTwentyPlans(b *testing.B) {
	besides(b, func(b *testing.B, a *asking) {
		s := sessionOn(b, a.folder(b))
		n := 0
		plans := func(count int) float64 {
			for range count {
				n++
				a.check(b, s, a.defines[n%2], n)
			}
			return residentBelow(b)
		}
		d, asked := (*direct)(nil), 0
		changes := func(count int) float64 { // each plan is shown, and taken back
			for range count {
				asked++
				a.ask(d, asked)
				d.change(a.defines[0], a.text(a.defines[0], 0))
			}
			return residentBelow(b)
		}
		var grown, after []float64
		before := plans(5)
		for b.Loop() {
			after = append(after, plans(20))
			grown = append(grown, after[len(after)-1]-before)
			before = after[len(after)-1]
		}
		s.Close()
		d = startDirect(b, a.adapter, a.folder(b), a.set...)
		defer d.close()
		a.begin(d)
		alone := []float64{changes(5)}
		for range grown {
			alone = append(alone, changes(20))
		}
		last := len(grown)
		b.ReportMetric(0, "ns/op") // of 20 plans
		b.ReportMetric(alone[last], "direct-MiB")
		b.ReportMetric(alone[1]-alone[0], "direct-first-grown-MiB")
		b.ReportMetric(alone[last]-alone[last-1], "direct-last-grown-MiB")
		b.ReportMetric(after[len(after)-1], "MiB")
		b.ReportMetric(grown[0], "first-grown-MiB")
		b.ReportMetric(grown[len(grown)-1], "last-grown-MiB")
	})
}

// residentBelow returns the memory of the processes below this one, in MiB: of language servers and their helpers.
func residentBelow(b *testing.B) (mib float64) {
	b.Helper()
	for _, pid := range below(os.Getpid()) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), "VmRSS:")
		var kib float64
		_, _ = fmt.Sscan(rest, &kib) // one that ends has none
		mib += kib / 1024
	}
	return mib
}

// below returns the processes below one.
func below(pid int) (found []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range lists {
		list, _ := os.ReadFile(name) // it may have ended
		for field := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(append(found, child), below(child)...)
			}
		}
	}
	return found
}

// manyPackages is how many packages make 220,000 lines.
const manyPackages = 256

// manyLines is a module of 220,000 lines: packages of ten files that import up to four earlier ones.
func manyLines() (files map[string]string, lines int) {
	files = map[string]string{"go.mod": "module m\n\ngo 1.26\n"}
	for p := range manyPackages {
		for f := range 10 {
			var t strings.Builder
			fmt.Fprintf(&t, "package p%d\n\n", p)
			if f == 0 && p > 0 {
				t.WriteString("import (\n")
				for _, other := range imported(p) {
					fmt.Fprintf(&t, "\t\"m/p%d\"\n", other)
				}
				t.WriteString(")\n\n")
				for _, other := range imported(p) {
					fmt.Fprintf(&t, "var _ int = p%d.F0x0(1)\n", other)
				}
			}
			for i := range 7 {
				fmt.Fprintf(&t, "// T%[1]dx%[2]d has a value.\ntype T%[1]dx%[2]d struct{ Value int }\n\nfunc F%[1]dx%[2]d(n int) int { return n + %[2]d }\n\n", f, i)
			}
			fmt.Fprintf(&t, "func sum%d(all []T%[1]dx0) (n int) {\n", f)
			for range 15 {
				t.WriteString("\tfor _, one := range all {\n")
				fmt.Fprintf(&t, "\t\tn += F%dx0(one.Value)\n", f)
				t.WriteString("\t}\n")
			}
			t.WriteString("\treturn n\n}\n")
			name := fmt.Sprintf("p%d/f%d.go", p, f)
			files[name] = t.String()
			lines += strings.Count(files[name], "\n")
		}
	}
	return files, lines
}

// imported returns the packages that package p imports.
func imported(p int) (all []int) {
	for _, other := range []int{p - 1, p / 2, p / 3, 0} {
		if other < p && other >= 0 && (len(all) == 0 || other < all[len(all)-1]) {
			all = append(all, other)
		}
	}
	return all
}

// BenchmarkManyLines checks plans in a module of 220,000 lines: the first one of a session without anything that gopls keeps
// on the disk, then others. Each breaks callers in other packages: of the last package but
// one, which one imports, and of the first one, which all import.
func BenchmarkManyLines(b *testing.B) {
	a := askings()[0]
	if _, err := find(a.adapter.Command[0]); err != nil {
		b.Skipf("it needs %s: .ci/install-languages installs it", a.adapter.Command[0])
	}
	files, lines := manyLines()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	writeAll(b, dir, files)
	b.Setenv("HOME", b.TempDir()) // where nothing is kept
	check := func(s *languages.Servers, p, n, want int) {
		name := fmt.Sprintf("p%d/f0.go", p)
		text := strings.Replace(files[name], "func F0x0(n int) int {", fmt.Sprintf("type N%d int\n\nfunc F0x0(n int) N%[1]d {", n), 1)
		text = strings.ReplaceAll(text, "F0x0(one.Value)", "int(F0x0(one.Value))")
		text = strings.Replace(text, "{ return n + 0 }", fmt.Sprintf("{ return N%d(n) }", n), 1)
		found, err := s.Check(b.Context(), view.TriedTexts{name: {Text: text}}, nil)
		if err != nil || found == nil || len(found.Added) != want {
			b.Fatalf("plan %d: %.2000s, %v", n, say(found), err)
		}
	}
	var first, one, many []time.Duration
	var small, big float64
	n := 0
	for b.Loop() {
		s := sessionOn(b, dir)
		took(&first, func() { n++; check(s.Languages, manyPackages-2, n, 1) })
		for range 5 {
			took(&one, func() { n++; check(s.Languages, manyPackages-2, n, 1) })
		}
		small = residentBelow(b)
		for range 5 {
			took(&many, func() { n++; check(s.Languages, 0, n, manyPackages-1) })
		}
		big = residentBelow(b)
		s.Close()
	}
	b.ReportMetric(0, "ns/op") // of all together
	b.ReportMetric(float64(lines), "lines")
	b.ReportMetric(middle(first), "first-ms")
	b.ReportMetric(middle(one), "one-caller-ms")
	b.ReportMetric(middle(many), "all-callers-ms")
	b.ReportMetric(small, "MiB")
	b.ReportMetric(big, "all-callers-MiB")
}
