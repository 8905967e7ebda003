package preview

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/agent/plan"
)

var graphLine = regexp.MustCompile(`^(flowchart LR|  n[0-9]+\["([\pL\pN ._/,:…()+−⟨⟩-]|#[0-9]+;)*"\]|  n[0-9]+ --> n[0-9]+)$`)

// TestGraphHoldsItsLabels shows that no name, path or command ends its label or
// the fence of the graph.
func TestGraphHoldsItsLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a\"`]\n\r#;%{}<>&\u2028\u202e|-"))))
		r := plan.Revision{Number: 1}
		for i := range rapid.IntRange(2, 5).Draw(t, "operations") {
			o := op(fmt.Sprint("o", i), "", text.Draw(t, "tool"), text.Draw(t, "path"))
			if rapid.Bool().Draw(t, "command") {
				o.Command = text.Draw(t, "line")
			}
			r.Operations = append(r.Operations, o)
		}
		shown := Render(&plan.Plan{Number: 1, Revisions: []plan.Revision{r}}, &r, texts{}.of, Beside{})
		_, rest, ok := strings.Cut(shown, "\n```mermaid\n")
		if !ok {
			return // nothing depends on anything
		}
		graph, _, _ := strings.Cut(rest, "\n```\n")
		nodes := 0
		for line := range strings.SplitSeq(graph, "\n") {
			if !graphLine.MatchString(line) {
				t.Fatalf("%q in\n%s", line, graph)
			}
			if strings.Contains(line, "[") {
				nodes++
			}
		}
		if nodes != len(r.Operations) {
			t.Fatalf("%d nodes in\n%s", nodes, graph)
		}
	})
}

func TestGraphOnlyWhereItHelps(t *testing.T) {
	graph := func(n int, path func(i int) string) bool {
		r := plan.Revision{Number: 1}
		for i := range n {
			r.Operations = append(r.Operations, op(fmt.Sprint("o", i+1), "", "edit_file", path(i)))
		}
		return strings.Contains(Render(&plan.Plan{Number: 1}, &r, texts{}.of, Beside{}), "```mermaid")
	}
	same := func(int) string { return "a" }
	if !graph(2, same) || !graph(maxGraph, same) {
		t.Error("no graph")
	}
	if graph(1, same) || graph(maxGraph+1, same) || graph(5, func(i int) string { return fmt.Sprint(i) }) {
		t.Error("a graph that says nothing, or too much")
	}
}
