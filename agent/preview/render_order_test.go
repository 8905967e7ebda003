package preview

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/agent/plan"
)

// No name, path or command gets out of its line of the list.
func TestOrderHoldsItsNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a\"`]\n\r#;%{}<>&\u2028\u202e|-"))))
		r := plan.Revision{Number: 1}
		for i := range rapid.IntRange(2, 5).Draw(t, "operations") {
			o := op(fmt.Sprint("o", i), "", "t"+text.Draw(t, "tool"), text.Draw(t, "path"))
			if rapid.Bool().Draw(t, "command") {
				o.Command = text.Draw(t, "line")
			}
			r.Operations = append(r.Operations, o)
		}
		shown := Render(&plan.Plan{Number: 1, Revisions: []plan.Revision{r}}, &r, texts{}.of, Beside{})
		_, list, ok := strings.Cut(shown, "the rest may change places.\n\n")
		if !ok {
			return // nothing depends on anything
		}
		list, _, _ = strings.Cut(list, "\n\n")
		for line := range strings.SplitSeq(list, "\n") {
			if name, after, ok := strings.Cut(line, ", after: "); !ok || !strings.HasPrefix(name, "- ") || after == "" {
				t.Fatalf("%q in\n%s", line, list)
			}
		}
	})
}

func TestOrderOnlyWhereItHelps(t *testing.T) {
	listed := func(edits int, path func(i int) string, more ...plan.Operation) bool {
		r := plan.Revision{Number: 1}
		for i := range edits {
			r.Operations = append(r.Operations, op(fmt.Sprint("o", i+1), "", "edit_file", path(i)))
		}
		r.Operations = append(r.Operations, more...)
		return strings.Contains(Render(&plan.Plan{Number: 1}, &r, texts{}.of, Beside{}), "## Order")
	}
	same := func(int) string { return "a" }
	other := func(i int) string { return fmt.Sprint(i) }
	check := command("o99", "", "make", "{}")
	if !listed(1, same, check) || !listed(2, other, check) || !listed(maxOrdered-1, other, check) {
		t.Error("no list")
	}
	if listed(1, same) || listed(2, same) || listed(5, other) || listed(maxOrdered, other, check) {
		t.Error("a list that says nothing, or too much")
	}
}
