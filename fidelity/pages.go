package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// key is the name of a call, taken apart.
type key struct{ trouble, language, form string }

func keyOf(id string) key {
	name, form, _ := strings.Cut(id, " ")
	trouble, language, _ := strings.Cut(name, "/")
	return key{trouble, strings.TrimSuffix(language, "-2"), form}
}

// good reports whether an outcome is as it should be.
func (o outcome) good() bool { return o == right || o == refusedOK }

// harmful reports whether an outcome leaves files otherwise than the model believes.
func (o outcome) harmful() bool { return o == wrong || o == silent || o == half }

// counted returns how often each outcome came to those calls that are wanted.
func (k kept) counted(wanted func(key) bool) count {
	n := count{}
	for id, is := range k.of {
		if wanted(keyOf(id)) {
			n[is]++
		}
	}
	return n
}

func (n count) of(wanted func(outcome) bool) (sum int) {
	for o, k := range n {
		if wanted(o) {
			sum += k
		}
	}
	return sum
}

func always(key) bool { return true }

// readAll reads the outcomes of all tools, Redline's first.
func readAll(dir string) ([]kept, error) {
	files, err := filepath.Glob(filepath.Join(dir, "results", "*.tsv"))
	if err != nil {
		return nil, err
	}
	var all []kept
	for _, file := range files {
		k, err := readKept(file)
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	slices.SortStableFunc(all, func(a, b kept) int {
		first := func(k kept) int { return map[bool]int{true: 0, false: 1}[k.name == redline{}.name()] }
		return cmp.Or(first(a)-first(b), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// Where the short table stands in the page of figures.
const (
	opensTable  = "<!-- made:fidelity -->\n"
	closesTable = "<!-- /made -->"
)

// renewPages renews what is made of the kept outcomes: results/README.md, the plot, and the table in
// the page of figures.
func renewPages(dir string) error {
	all, err := readAll(dir)
	if err != nil {
		return err
	}
	docs := filepath.Join(dir, "..", "docs")
	figures := filepath.Join(docs, "figures.md")
	page, err := os.ReadFile(figures)
	if err != nil {
		return err
	}
	renewed, err := withTable(string(page), all)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "results", "README.md"), []byte(resultsPage(all)), 0o644),
		os.WriteFile(filepath.Join(docs, "images", "fidelity.svg"), []byte(plot(all)), 0o644),
		os.WriteFile(figures, []byte(renewed), 0o644),
	)
}

// withTable returns the page of figures with the short table.
func withTable(page string, all []kept) (string, error) {
	before, rest, ok := strings.Cut(page, opensTable)
	_, after, closed := strings.Cut(rest, closesTable)
	if !ok || !closed {
		return "", errors.New("docs/figures.md has no place for the table")
	}
	return before + opensTable + totals(all) + closesTable + after, nil
}

// totals returns a table with a row for each tool.
func totals(all []kept) string {
	var b strings.Builder
	b.WriteString("|tool|calls|right|refused|lost|near|wrong|silent|half|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, k := range all {
		n := k.counted(always)
		fmt.Fprintf(&b, "|%s|%d|%d|%d|%d|%d|%d|%d|%d|\n", k.name, n.all(), n[right], n[refusedOK], n[lost], n[near], n[wrong], n[silent], n[half])
	}
	return b.String()
}

// resultsPage returns the page with all tables.
func resultsPage(all []kept) string {
	var b strings.Builder
	b.WriteString("# Results\n\n*How does each kind of call end, for each tool?*\n\n" +
		"`go run ./fidelity -tools all -save` makes this page from the outcomes beside it, one line for each call. " +
		"[The outcomes](../README.md#the-outcomes) are explained there. A tool is sent only the forms that it has. " +
		"A percentage behind its name says that it was sent a sample, since it takes long.\n\n" +
		totals(all) + "\nIn the tables below, `58/60` says that 58 of 60 calls came out as they should, right or refused; `✗2` that 2 are wrong, silent or half.\n")
	keys := map[key]bool{}
	for _, k := range all {
		for id := range k.of {
			keys[keyOf(id)] = true
		}
	}
	section := func(name string, of func(key) string, shown func(string) string, order []string) {
		b.WriteString("\n## By " + name + "\n\n|" + name)
		for _, k := range all {
			b.WriteString("|" + k.name)
		}
		b.WriteString("|\n|---" + strings.Repeat("|--:", len(all)) + "|\n")
		if order == nil {
			values := map[string]bool{}
			for k := range keys {
				values[of(k)] = true
			}
			order = slices.Sorted(maps.Keys(values))
		}
		for _, value := range order {
			b.WriteString("|" + shown(value))
			for _, k := range all {
				b.WriteString("|" + cell(k.counted(func(c key) bool { return of(c) == value })))
			}
			b.WriteString("|\n")
		}
	}
	asIs := func(value string) string { return value }
	section("form", func(c key) string { return c.form }, asIs, cases.Forms)
	section("language", func(c key) string { return c.language }, asIs, nil)
	section("trouble", func(c key) string { return c.trouble }, linked, nil)
	b.WriteString("\n" + better(all))
	return b.String()
}

// linked returns a trouble with a link to its cases.
func linked(trouble string) string { return fmt.Sprintf("[%s](../cases/%s.txt)", trouble, trouble) }

func cell(n count) string {
	if n.all() == 0 {
		return ""
	}
	text := fmt.Sprintf("%d/%d", n.of(outcome.good), n.all())
	if bad := n.of(outcome.harmful); bad > 0 {
		text += fmt.Sprintf(" ✗%d", bad)
	}
	return text
}

func sum[K comparable](n map[K]int) (all int) {
	for _, k := range n {
		all += k
	}
	return all
}

// better returns a table of the calls that Redline does not bring to the right end, and of the tools that do.
func better(all []kept) string {
	type group struct {
		key
		is outcome
	}
	n, by, beaten := map[group]int{}, map[group]map[string]int{}, map[string]bool{}
	for id, is := range all[0].of {
		if is.good() {
			continue
		}
		g := group{keyOf(id), is}
		g.language = ""
		n[g]++
		for _, k := range all[1:] {
			if other, ok := k.of[id]; ok && other.good() {
				if by[g] == nil {
					by[g] = map[string]int{}
				}
				by[g][k.name]++
				beaten[id] = true
			}
		}
	}
	groups := slices.SortedFunc(maps.Keys(n), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.trouble, b.trouble), slices.Index(cases.Forms, a.form)-slices.Index(cases.Forms, b.form), cmp.Compare(a.is, b.is))
	})
	var b strings.Builder
	b.WriteString("## Where Redline is not right\n\n")
	fmt.Fprintf(&b, "%d of its calls. In %d of them another tool is right: which one, in how many of the calls that it was sent too, is in the last column.\n\n", sum(n), len(beaten))
	b.WriteString("|trouble|form|outcome|calls|right in|\n|---|---|---|--:|---|\n")
	for _, g := range groups {
		var others []string
		for _, name := range slices.Sorted(maps.Keys(by[g])) {
			others = append(others, fmt.Sprintf("%s: %d", name, by[g][name]))
		}
		fmt.Fprintf(&b, "|%s|%s|%s|%d|%s|\n", linked(g.trouble), g.form, g.is, n[g], strings.Join(others, ", "))
	}
	return b.String()
}
