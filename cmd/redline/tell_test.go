package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/edits"
)

// Names and sentences from other people cannot affect the terminal, wherever they are printed.
func TestNothingPrintedActsOnTheTerminal(t *testing.T) {
	const bad = "a\x1b[2Jb\u202e"
	p := &state.Plan{
		Plan: 1, Revision: 1, State: "completed", Goal: bad, Description: bad, Conversation: bad,
		Operations: []state.Operation{{ID: "o1", Step: "s1", Tool: "edit_file", Path: bad}, {ID: "o2", Tool: "apply_patch", Paths: []string{bad}}},
		Files: []state.File{{
			Path: bad, NewPath: bad, Action: "rename", Status: "pending", Reason: bad, Syntax: bad,
			Hunks: []state.Hunk{{ID: "h1", Status: "pending", Reason: bad}},
			Lines: edits.NewLines(""),
		}},
		Commands:  []state.Command{{ID: "o3", Command: bad}},
		Revisions: []state.Revision{{Revision: 1, Note: bad}, {Revision: 2, Note: bad}},
		Problems: state.NewProblems(&plan.Problems{
			Added:   []plan.Problem{{Path: bad, Severity: plan.SeverityError, Message: bad, Source: bad, Code: bad}},
			Checked: []plan.Checked{{State: bad}},
		}, func(path string) string { return path }),
	}
	for name, print := range map[string]func(*console){
		"show": func(c *console) { c.show(p, "", next(p)) },
		"files": func(c *console) {
			tellFiles(c, p, state.Result{Files: []state.FileResult{{Path: bad}, {Path: bad + "2", Reason: bad}}})
		},
		"staged": func(c *console) { c.tellStaged(p, true) },
		"comparison": func(c *console) {
			w := &pageOf{to: c.out}
			w.comparison(&plan.Comparison{Operations: []string{bad}, Files: []plan.FileComparison{{Path: bad, Diff: bad, NoPlace: []string{"h1"}}}})
			c.paged(w.String())
		},
		"pruned": func(c *console) {
			tellPruned(c, decide.Pruned{Removed: []decide.PrunedPlan{{Workspace: bad, Goal: bad}}})
		},
		"list":   func(c *console) { _ = listPlans(c, []state.Plan{*p}) },
		"answer": func(c *console) { c.answer(bad) },
		"step": func(c *console) {
			c.verbose = true
			c.Notify(state.Event{Kind: state.Traced, Step: &trace.Step{Kind: trace.ToolDone, Summary: bad, Detail: bad}})
		},
		"notice": func(c *console) { c.Notify(state.Event{Kind: state.Noticed, Text: bad}) },
		"error":  func(c *console) { report(context.Background(), errors.New(bad), c.err) },
	} {
		var out bytes.Buffer
		print(&console{streams: streams{out: &out, err: &out}})
		if got := out.String(); got == "" || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s prints %q", name, got)
		}
	}
}

// A plan is shown with what language servers report about it.
func TestShowSaysTheProblems(t *testing.T) {
	p := &state.Plan{Plan: 1, Revision: 1, State: "awaiting_approval"}
	shown := func() string {
		var out bytes.Buffer
		c := &console{streams: streams{out: &out, err: &out}}
		c.show(p, "", "")
		return out.String()
	}
	if text := shown(); strings.Contains(text, "Problems") {
		t.Errorf("while nothing is known:\n%s", text)
	}
	report := &plan.Problems{
		Added: []plan.Problem{
			{Path: "main.go", Range: plan.Range{Start: plan.Place{Line: 11}}, Severity: plan.SeverityError, Message: "undefined: Total", Source: "compiler", Code: "UndeclaredName"},
			{Path: "b.go", Severity: plan.SeverityWarning, Message: "x is unused"},
		},
		More: 1, Fixed: 2, Checked: []plan.Checked{{Language: "python", Server: "pyright", State: "pyright was not ready"}},
	}
	p.Problems = state.NewProblems(report, func(path string) string { return path })
	want := "Problems\nchecked  adds 1 error, fixes 2, not checked: pyright was not ready\n" +
		"error    main.go:12: undefined: Total (compiler UndeclaredName)\nwarning  b.go:1: x is unused\nand 1 more problem\n"
	if text := shown(); !strings.Contains(text, want) {
		t.Errorf("%s\nwant in it\n%s", text, want)
	}
}
