package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/fidelity/internal/cases"
	"redline/fidelity/internal/generate"
	"redline/internal/ramtemp"
)

var whole = flag.Bool("all", false, "make the calls of all cases, not only of a sample")

func TestMain(m *testing.M) { os.Exit(ramtemp.Around(m).Run()) }

// The cases are what their seeds give.
func TestCasesAreMade(t *testing.T) {
	t.Parallel()
	made, err := generate.All()
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob("cases/*.txt")
	if err != nil || len(there) != len(made) {
		t.Errorf("%d families in the folder cases, want %d (%v)", len(there), len(made), err)
	}
	for trouble, want := range made {
		got, err := os.ReadFile(filepath.Join("cases", trouble+".txt"))
		if err != nil || string(got) != want {
			t.Errorf("cases/%s.txt is not what the seeds give (%v): go run ./fidelity -generate", trouble, err)
		}
	}
}

// harm orders outcomes: no call may come to a worse one than the last time that they were kept.
var harm = map[outcome]int{right: 0, refusedOK: 0, near: 1, lost: 2, silent: 3, half: 3, wrong: 3}

// TestRedline makes one call of each case, or all calls, and compares their outcomes with
// results/redline.tsv.
func TestRedline(t *testing.T) {
	t.Parallel()
	all, err := cases.Load("cases")
	if err != nil {
		t.Fatal(err)
	}
	before, err := readKept("results/redline.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	calls := choose(all, func(id string) bool { return *whole || sampled(id, 13) })
	results, err := runAll(redline{}, calls, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	better := 0
	for _, r := range results {
		if r.is == cannot {
			continue
		}
		n++
		was, ok := before.of[r.c.ID(r.call)]
		switch {
		case !ok:
			t.Errorf("%s: results/redline.tsv does not have it: go run ./fidelity -save", r.c.ID(r.call))
		case harm[r.is] > harm[was]:
			t.Errorf("%s: %s, and it was %s: go run ./fidelity -only '%s' -show %s\n%s", r.c.ID(r.call), r.is, was, r.c.ID(r.call), r.is, r.message)
		case harm[r.is] < harm[was]:
			better++
		}
	}
	if *whole && n != len(before.of) {
		t.Errorf("%d calls, and results/redline.tsv has %d: go run ./fidelity -save", n, len(before.of))
	}
	if better > 0 {
		t.Logf("%d of %d calls have a better outcome than results/redline.tsv says: go run ./fidelity -save", better, n)
	}
	t.Log("\n" + summary("Redline", results))
	if len(all) < 1500 {
		t.Errorf("%d cases, want at least 1,500", len(all))
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	const before, after = "a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"
	change := &cases.Case{Before: files(before), After: files(after)}
	refuse := &cases.Case{Refuse: true, Before: files(before), Half: files("a\nB\nc\nd\ne\n"), InPart: true}
	for _, test := range []struct {
		c    *cases.Case
		said string
		got  string
		want outcome
	}{
		{change, applied, after, right},
		{change, applied, strings.ReplaceAll(after, "\n", "\r\n"), near},
		{change, applied, strings.TrimSuffix(after, "\n"), near},
		{change, applied, strings.Replace(after, "B", "\uff22", 1), near},
		{change, applied, strings.Replace(after, "B", "B\u200b", 1), near},
		{change, applied, strings.Replace(after, "B\n", "B\r", 1), near},
		{change, applied, before, silent},
		{change, applied, "a\nB\nc\nd\ne\n", half},
		{change, applied, "a\nb\nc\nD\nD\n", wrong},
		{change, refused, before, lost},
		{change, partly, before, lost},
		{change, refused, after, half},
		{change, hasNot, before, cannot},
		{refuse, refused, before, refusedOK},
		{refuse, partly, before, refusedOK},
		{refuse, refused, "a\nB\nc\nd\ne\n", half},
		{refuse, partly, "a\nB\nc\nd\ne\n", refusedOK},
		{refuse, applied, "a\nB\nc\nd\ne\n", half},
		{refuse, applied, after, wrong},
		{refuse, applied, before, silent},
	} {
		if got := judge(test.c, test.said, files(test.got)); got != test.want {
			t.Errorf("refuse %v, %s, %q: %s, want %s", test.c.Refuse, test.said, test.got, got, test.want)
		}
	}
}

func files(text string) map[string]string { return map[string]string{"x": text} }

// A tool that gets no exact call of a form right is not asked properly.
func TestKeepBrokenAdapter(t *testing.T) {
	t.Parallel()
	c := &cases.Case{Name: exact + "/go", Trouble: exact}
	of := func(form string, is outcome) result { return result{c: c, call: cases.Call{Form: form}, is: is} }
	dir := t.TempDir()
	if err := keep(dir, "good 1", []result{of("pairs", lost), of("pairs", right), of("whole", cannot)}); err != nil {
		t.Error(err)
	}
	if err := keep(dir, "bad 1", []result{of("pairs", right), of("blocks", lost)}); err == nil {
		t.Error("the outcomes of a broken adapter are kept")
	}
}

// What an editor would not show is written out, and is read back.
func TestShow(t *testing.T) {
	t.Parallel()
	const text, shown = "\ufeffa \t\r\nb\u00a0c\te\u0301\n\xe9\n\nend ", "⟨U+FEFF⟩a␠␉␍\nb⟨U+00A0⟩c\te⟨U+0301⟩\n⟨byte E9⟩\n\nend␠∎\n"
	if got := cases.Show(text); got != shown {
		t.Errorf("Show: %q, want %q", got, shown)
	}
	if got := cases.Read(shown); got != text {
		t.Errorf("Read: %q, want %q", got, text)
	}
}

// The tables and the plot are made of the kept outcomes.
func TestPages(t *testing.T) {
	t.Parallel()
	all, err := readAll(".")
	if err != nil {
		t.Fatal(err)
	}
	figures, err := os.ReadFile("../docs/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := withTable(string(figures), all)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"../docs/figures.md": renewed, "../docs/images/fidelity.svg": plot(all), "results/README.md": resultsPage(all),
	} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not what results has (%v): go run ./fidelity -tools '' -save", name, err)
		}
	}
}
