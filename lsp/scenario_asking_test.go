package lsp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/state"
	"redline/lsp/lsptest"
)

// The acts about questions of a model.

func init() {
	// Answers the next prompts that offer this answer.
	acts["choose"] = act{"TITLE", func(s *scenario, a []string) error { s.choose(a[0]); return nil }}
	// Awaits a turn in this state.
	acts["turn"] = act{"TURN STATE", (*scenario).wantTurn}
	// Awaits a turn whose question contains this text.
	acts["question"] = act{"TURN TEXT", (*scenario).wantQuestion}
	// Awaits a request to the model, counted from 1, that contains this text, or does not.
	acts["heard"] = act{"REQUEST TEXT", func(s *scenario, a []string) error { return s.wantHeard(a, true) }}
	acts["unheard"] = act{"REQUEST TEXT", func(s *scenario, a []string) error { return s.wantHeard(a, false) }}
}

func (s *scenario) choose(title string) {
	s.editor.OnAsk(func(m lsptest.Message) string {
		if slices.Contains(m.Actions, title) {
			return title
		}
		return ""
	})
}

// awaitTurn waits until ok accepts a turn from redline.state.
func (s *scenario) awaitTurn(id, what string, ok func(state.Turn) bool) error {
	got := "no such turn"
	waited := s.editor.Await(s.ctx, lsptest.Expect(what, func(*lsptest.Editor) bool {
		raw, err := s.editor.Execute(s.ctx, "redline.state", map[string]any{})
		var state state.State
		if err != nil || json.Unmarshal(raw, &state) != nil {
			return false
		}
		for _, t := range state.Turns {
			if t.Turn == id {
				got = t.State
				return ok(t)
			}
		}
		return false
	}))
	if waited != nil {
		return fmt.Errorf("turn %s: %s\n%w", id, got, waited)
	}
	return nil
}

// settled waits until no turn runs.
func (s *scenario) settled() error {
	return s.editor.Await(s.ctx, lsptest.Expect("no turn runs", func(*lsptest.Editor) bool {
		raw, err := s.editor.Execute(s.ctx, "redline.state", map[string]any{})
		var now state.State
		return err == nil && json.Unmarshal(raw, &now) == nil &&
			!slices.ContainsFunc(now.Turns, func(t state.Turn) bool { return t.State == "running" || t.State == "queued" })
	}))
}

func (s *scenario) wantTurn(a []string) error {
	return s.awaitTurn(a[0], "turn "+a[0]+" is "+a[1], func(t state.Turn) bool {
		return t.State == a[1] && (t.Question != nil) == (a[1] == "waiting")
	})
}

func (s *scenario) wantQuestion(a []string) error {
	return s.awaitTurn(a[0], "turn "+a[0]+" asks "+a[1], func(t state.Turn) bool {
		return t.State == "waiting" && t.Question != nil && strings.Contains(*t.Question, a[1])
	})
}

func (s *scenario) wantHeard(a []string, want bool) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	if err := s.model.Await(s.ctx, n); err != nil {
		return err
	}
	var all strings.Builder
	for _, m := range s.model.Requests()[n-1].Messages {
		fmt.Fprintf(&all, "%s: %s\n", m.Role, m.Content)
	}
	if strings.Contains(all.String(), a[1]) != want {
		return fmt.Errorf("request %d is\n%s", n, all.String())
	}
	return nil
}
