package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// print prints a call with the files that the tool left, for those who look for the cause.
func (r result) print() {
	fmt.Printf("=== %s: %s\n%s\n", r.c.ID(r.call), r.is, r.message)
	for _, name := range slices.Sorted(maps.Keys(r.got)) {
		if r.got[name] != r.c.Before[name] {
			fmt.Printf("-- it has %s --\n%s", name, cases.Show(r.got[name]))
		}
	}
}

// count is how often each outcome came.
type count map[outcome]int

func (n count) all() (sum int) {
	for _, o := range outcomes {
		sum += n[o]
	}
	return sum
}

// summary returns a table with a row for each form.
func summary(name string, results []result) string {
	forms := map[string]count{}
	for _, r := range results {
		if forms[r.call.Form] == nil {
			forms[r.call.Form] = count{}
		}
		forms[r.call.Form][r.is]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-32s%8s", name, "calls")
	for _, o := range outcomes {
		fmt.Fprintf(&b, "%9s", o)
	}
	b.WriteString("\n")
	sum := count{}
	row := func(name string, n count) {
		fmt.Fprintf(&b, "%-32s%8d", name, n.all())
		for _, o := range outcomes {
			fmt.Fprintf(&b, "%9d", n[o])
		}
		b.WriteString("\n")
	}
	for _, form := range cases.Forms {
		if n := forms[form]; n != nil && n.all() > 0 {
			row(form, n)
			for o, k := range n {
				sum[o] += k
			}
		}
	}
	row("all", sum)
	return b.String()
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// resultFile returns the name of the file with the outcomes of a tool.
func resultFile(dir, name string) string {
	word, _, _ := strings.Cut(strings.ToLower(name), " ")
	return filepath.Join(dir, "results", notInNames.ReplaceAllString(word, "-")+".tsv")
}

// exact is the trouble of cases without a trouble.
const exact = "exact"

// keep writes the outcomes: the tool's name, then a line for each call that it has a form for. It
// refuses outcomes that say more about the adapter than about the tool.
func keep(dir, name string, results []result) error {
	good := map[string]bool{}
	for _, r := range results {
		if r.c.Trouble == exact && r.is != cannot {
			good[r.call.Form] = good[r.call.Form] || r.is == right
		}
	}
	for form, ok := range good {
		if !ok {
			return fmt.Errorf("%s gets no call of %s in the form %s right: is its adapter broken?", name, exact, form)
		}
	}
	lines := []string{"# " + name}
	for _, r := range results {
		if r.is != cannot {
			lines = append(lines, string(r.is)+"\t"+r.c.ID(r.call))
		}
	}
	file := resultFile(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// kept are the outcomes of a tool that were kept, by the names of calls.
type kept struct {
	name string
	of   map[string]outcome
}

func readKept(file string) (kept, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return kept{}, err
	}
	k := kept{of: map[string]outcome{}}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			k.name = name
			continue
		}
		is, id, ok := strings.Cut(line, "\t")
		if !ok {
			return k, fmt.Errorf("%s: what is %q?", file, line)
		}
		k.of[id] = outcome(is)
	}
	return k, nil
}
