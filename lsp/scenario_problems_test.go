package lsp_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/workspace"
)

func init() {
	maps.Copy(acts, map[string]act{
		"report":   {"PLAN PART", (*scenario).report},
		"problems": {"PLAN WORDS", (*scenario).wantProblems},
		"unmarked": {"PATH", (*scenario).wantUnmarked},
	})
}

// report makes language servers report on a plan as it is now. A line of the part is a problem, such as
// `main.go 3 error undefined: Sum`, `fixed 1`, or `not-checked gopls was not ready`.
func (s *scenario) report(a []string) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	part, ok := s.part(a[1])
	if !ok {
		return fmt.Errorf("there is no part %s", a[1])
	}
	found := &plan.Problems{Checked: []plan.Checked{{Language: "go", Server: "gopls", State: plan.CheckedAll}}}
	for line := range strings.SplitSeq(strings.TrimSpace(part), "\n") {
		first, rest, _ := strings.Cut(line, " ")
		switch first {
		case "fixed":
			found.Fixed, err = strconv.Atoi(rest)
		case "not-checked":
			found.Checked[0].State = rest
		default:
			words := strings.SplitN(rest, " ", 3)
			if len(words) < 3 {
				return fmt.Errorf("%q is not: PATH LINE SEVERITY MESSAGE", line)
			}
			var at plan.Place
			at.Line, err = strconv.Atoi(words[0])
			at.Line--
			found.Added = append(found.Added, plan.Problem{
				Path: first, Range: plan.Range{Start: at, End: at}, Severity: plan.Severity(words[1]), Message: hiddenCharacters(words[2]), Source: "compiler",
			})
		}
		if err != nil {
			return err
		}
	}
	board := s.agent.Load().Board
	h, err := board.Find(s.ctx, n)
	if err != nil {
		return err
	}
	v, ws, began := board.View(h), s.agent.Load().Session.Workspace, time.Now()
	texts := view.UnsavedTexts(ws).WithPlan(v)
	basis := view.BasisOf(v, texts, began)
	basis.Reads = []string{".go"}
	if found.Basis.Disk, err = workspace.Fingerprint(s.ctx, ws, basis.DependsOn); err != nil {
		return err
	}
	found.Basis.Reads = basis.Reads
	return board.AddProblems(s.ctx, v, texts, began, found)
}

// wantProblems awaits the added problems of a plan, `PATH:LINE: MESSAGE` with commas between them, "none", or
// "unknown" while nothing is known.
func (s *scenario) wantProblems(a []string) error {
	return s.awaitPlan(a[0], "plan "+a[0]+" has the problems "+a[1], func(p state.Plan) (string, bool) {
		now := "unknown"
		if p.Problems != nil {
			var all []string
			for _, one := range p.Problems.Added {
				all = append(all, fmt.Sprintf("%s:%d: %s", one.Path, one.Range.Start.Line+1, one.Message))
			}
			if now = strings.Join(all, ", "); now == "" {
				now = "none"
			}
		}
		return now, now == a[1]
	})
}

// wantUnmarked fails if a document has a diagnostic.
func (s *scenario) wantUnmarked(a []string) error {
	if all := s.editor.Diagnostics(a[0]); len(all) > 0 {
		return fmt.Errorf("%s has the diagnostics %+v", a[0], all)
	}
	return nil
}
