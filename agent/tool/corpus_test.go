package tool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// corpusCase is one or more calls as models make them, and the outcome that they must
// have.
type corpusCase struct {
	kind, name string
	files      map[string]string
	calls      []corpusCall
	want       map[string]string // final texts of the files that change; nil: all calls are refused
	either     bool              // a refusal is allowed as well: there is one right text, but a tool need not find it
	says       []string          // words that the last answer contains
}

// verdict is the outcome of a case.
type verdict string

const (
	right   verdict = "right"   // applied, with the right text
	refused verdict = "refused" // refused, as it must be
	lost    verdict = "lost"    // refused, though there was one right text
	silent  verdict = "silent"  // applied, though it had to be refused
	wrong   verdict = "wrong"   // applied, with another text
	unsaid  verdict = "unsaid"  // refused, without the words that help
)

var verdicts = []verdict{right, refused, lost, unsaid, silent, wrong}

// TestCorpus makes every call of the corpus and checks the outcome: the one right text,
// or a refusal. The right answer is known from how a case was made.
func TestCorpus(t *testing.T) {
	cases := append(generated(), stories(t)...)
	table := map[string]map[verdict]int{}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.kind+c.name] {
			t.Errorf("%s: there are two cases %q", c.kind, c.name)
		}
		seen[c.kind+c.name] = true
		v, got := c.run(t)
		if table[c.kind] == nil {
			table[c.kind] = map[verdict]int{}
		}
		table[c.kind][v]++
		if v != right && v != refused {
			t.Errorf("%s: %s: %s\n%s", c.kind, c.name, v, got)
		}
	}
	t.Logf("%d cases\n%s", len(cases), tabled("kind", 66, 8, slices.Sorted(maps.Keys(table)), verdicts, table))
	checkFigures(t, len(cases), table)
	if len(cases) < 600 {
		t.Errorf("the corpus has %d cases, want at least 600", len(cases))
	}
}

// checkFigures fails if docs/figures.md does not state the corpus's figures.
func checkFigures(t *testing.T, cases int, table map[string]map[verdict]int) {
	page, err := os.ReadFile("../../docs/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := map[verdict]int{}
	for _, of := range table {
		for v, n := range of {
			sum[v] += n
		}
	}
	figure := fmt.Sprintf("%d calls %d lead to the one right text, %d are refused, none leads to another", cases, sum[right], sum[refused])
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), figure) {
		t.Errorf("docs/figures.md does not say: %s", figure)
	}
}

// tabled returns a table of counts: a row for each kind, a column for each verdict, and a
// row of sums. head is the head of the first column, which is wide characters wide; the
// others have width.
func tabled[V ~string](head string, wide, width int, kinds []string, verdicts []V, table map[string]map[V]int) string {
	var b strings.Builder
	row := func(name string, cell func(V) string) {
		fmt.Fprintf(&b, "%-*s", wide, name)
		for _, v := range verdicts {
			fmt.Fprintf(&b, "%*s", width, cell(v))
		}
		b.WriteByte('\n')
	}
	row(head, func(v V) string { return string(v) })
	sum := map[V]int{}
	for _, kind := range kinds {
		row(kind, func(v V) string {
			sum[v] += table[kind][v]
			return fmt.Sprint(table[kind][v])
		})
	}
	row("all", func(v V) string { return fmt.Sprint(sum[v]) })
	return b.String()
}

// run makes the calls and judges the outcome.
func (c *corpusCase) run(t *testing.T) (verdict, string) {
	b := newBench(t, c.files)
	var answers []string
	failed := 0
	for _, call := range c.calls {
		args, err := json.Marshal(call.args)
		if err != nil {
			t.Fatal(err)
		}
		r := b.call(t, call.tool, string(args))
		answers = append(answers, r.Text)
		if r.IsError {
			failed++
		}
	}
	said := strings.Join(answers, "\n---\n")
	v := c.judge(b, failed)
	if v == right || v == refused {
		for _, words := range c.says {
			if !strings.Contains(answers[len(answers)-1], words) {
				return unsaid, fmt.Sprintf("the answer has no %q:\n%s", words, said)
			}
		}
		return v, ""
	}
	return v, fmt.Sprintf("calls: %q\n%s%s", c.calls, said, c.difference(b))
}

func (c *corpusCase) judge(b *bench, failed int) verdict {
	switch {
	case failed == len(c.calls) && len(b.env.Draft.Operations()) == 0 && (c.want == nil || c.either):
		return refused
	case failed == len(c.calls) && len(b.env.Draft.Operations()) == 0:
		return lost
	case c.want == nil:
		return silent
	case c.difference(b) != "":
		return wrong
	}
	return right
}

// difference describes how the texts differ from the wanted ones.
func (c *corpusCase) difference(b *bench) string {
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(union(c.files, c.want))) {
		want, ok := c.want[path]
		if !ok {
			want, ok = c.files[path]
		}
		got, exists, err := b.env.Draft.Read(path)
		if err != nil || exists != ok || got != want {
			fmt.Fprintf(&out, "\n%s (%v): got %q\nwant %q", path, err, got, want)
		}
	}
	return out.String()
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, b)
	return out
}
