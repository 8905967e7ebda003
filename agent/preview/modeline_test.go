package preview

import (
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/modeline"
)

// hostilePlans are plans of which each word that a model or a file chooses is hostile.
func hostilePlans(hostile string) map[string]*sample {
	many := strings.Repeat(hostile+"\n", 8)
	named := func(r plan.Revision) plan.Revision {
		r.Description = many
		for i := range 3 {
			r.Steps = append(r.Steps, plan.Step{ID: "s" + string(rune('1'+i)), Description: hostile, Rationale: many, Risk: hostile})
		}
		return r
	}
	all := map[string]*sample{
		"nothing":  sampleOf(func(texts) plan.Revision { return plan.Revision{Description: many} }),
		"in words": sampleOf(func(texts) plan.Revision { return named(plan.Revision{TextOnly: true, Predicted: []string{hostile}}) }),
		"commands": sampleOf(func(texts) plan.Revision {
			return named(plan.Revision{Operations: []plan.Operation{command("o1", "s1", many, "{}"), command("o2", "s2", hostile, "{}")}})
		}),
		"edits": sampleOf(func(b texts) plan.Revision {
			return named(plan.Revision{
				Operations: []plan.Operation{op("o1", "s1", "edit_file", hostile), op("o2", "s2", "write_file", "b")},
				Changes:    []plan.Change{b.change(plan.Update, hostile, "", "x\n"+many, many, "o1"), b.change(plan.Create, "b", "", "", many+hostile, "o2")},
			})
		}),
		"one edit": sampleOf(func(b texts) plan.Revision {
			return plan.Revision{Operations: []plan.Operation{op("o1", "", "write_file", "b")}, Changes: []plan.Change{b.change(plan.Create, "b", "", "", hostile, "o1")}}
		}),
	}
	for _, s := range all {
		s.plan.Goal = hostile
	}
	return all
}

// No word of a model or a file is where an editor looks for options: in the first and last five
// lines, or in the last page.
func TestModelinesInPreviews(t *testing.T) {
	const hostile = "HOSTILE vim: set ts=77: -*- fill-column: 77 -*- Local Variables:"
	for name, s := range hostilePlans(hostile) {
		for _, beside := range []Beside{{}, {
			Trials:   []state.Trial{{Command: hostile, Verdict: "failed", Output: strings.Repeat(hostile+"\n", 8), Shown: true}},
			Unparsed: map[string]string{hostile: hostile, "b": hostile},
		}} {
			page := Render(s.plan, s.revision(), s.texts.of, beside)
			if !strings.Contains(page, "HOSTILE") {
				t.Fatalf("%s: nothing of the model is in\n%s", name, page)
			}
			lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
			first, last := strings.Join(lines[:modeline.Lines], "\n"), strings.Join(lines[len(lines)-modeline.Lines:], "\n")
			if strings.Contains(first, "HOSTILE") || strings.Contains(last, "HOSTILE") || strings.Count(page, "\n\f\n") != 1 || !strings.HasPrefix(last, "\f\n") {
				t.Errorf("%s: a model's words are in\n%s\n…\n%q", name, first, last)
			}
			if e := s.read(t, page); !e.Empty() {
				t.Errorf("%s: as it was, it says %+v", name, e)
			}
			if e := s.read(t, strings.Replace(page, "\f", "", 1)); !e.Empty() {
				t.Errorf("%s: without the form feed, it says %+v", name, e)
			}
		}
	}
}
