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
