package preview

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

// Larger graphs and labels do not help a reader.
const (
	maxGraph = 30 // operations
	maxLabel = 60 // characters
)

// order writes which operations must follow which, as a Mermaid flowchart with the fewest
// arrows, and the suggested order if it differs. It does not draw that edits of one file keep
// their order.
func (w *writer) order() {
	r := w.revision
	if len(r.Operations) < 2 || len(r.Operations) > maxGraph || len(r.Changes) == 1 && !slices.ContainsFunc(r.Operations, isCommand) {
		return
	}
	d := r.Dependencies()
	edges := d.Reduced()
	ids := make([]string, len(r.Operations))
	for i := range r.Operations {
		ids[i] = r.Operations[i].ID
	}
	suggested := d.Suggested()
	other := !slices.Equal(ids, suggested)
	if len(edges) == 0 && !other {
		return
	}
	w.line("## Order\n")
	if len(edges) > 0 {
		w.line("An arrow leads to what must come after; operations that no arrows lead between may change places.\n")
		w.fenced("", "mermaid", w.flowchart(edges))
		w.line("")
	}
	if other {
		w.line("Suggested order: %s\n", phrase.OneLine(strings.Join(suggested, ", ")))
	}
}

func isCommand(o plan.Operation) bool { return o.IsCommand() }

// flowchart returns the graph. It names nodes by their positions: text of a model or a
// file is only in labels.
func (w *writer) flowchart(edges []plan.Edge) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	node := map[string]int{}
	for i := range w.revision.Operations {
		o := &w.revision.Operations[i]
		node[o.ID] = i + 1
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i+1, label(o.ID+" "+w.doing(o)))
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", node[e.From], node[e.To])
	}
	return b.String()
}

// doing describes an operation in a few words.
func (w *writer) doing(o *plan.Operation) string {
	switch {
	case o.IsCommand():
		return plan.CommandIn(o.Command, o.Folder())
	case o.Path != "":
		return o.Tool + " " + o.Path
	}
	changes := w.revision.Concerns(o)
	if len(changes) == 0 {
		return o.Tool
	}
	text := o.Tool + " " + changes[0].Path
	if more := len(changes) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// label formats a text as the label of a node: on one line, with every character that is special
// in Mermaid, Markdown or HTML written as a number.
func label(s string) string {
	runes := []rune(phrase.OneLine(edits.VisibleLine(strings.TrimSpace(s))))
	if len(runes) > maxLabel {
		runes = append(runes[:maxLabel-1], '…')
	}
	var b strings.Builder
	for _, c := range runes {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(" ._-/,:…()+−⟨⟩", c) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "#%d;", c)
		}
	}
	return b.String()
}
