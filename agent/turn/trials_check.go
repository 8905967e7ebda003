package turn

import (
	"context"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/trial"
	"redline/agent/view"
)

// check tries the project's checks on a draft, or of these only those that have failed. It returns
// those that fail because of the draft, or that the request is about. Where a model of the turn may
// not try commands, check does not either.
func (w trying) check(ctx context.Context, d *draft.Draft, failed []orchestrator.Failure) (fail []orchestrator.Failure) {
	if !w.turn.tried.isOffered() || !d.HasNews() || len(d.Files()) == 0 {
		return nil
	}
	var commands []tool.Try
	for _, f := range failed {
		commands = append(commands, tool.Try{Command: f.Command, Cwd: f.Cwd})
	}
	if failed == nil {
		for _, c := range w.checks() {
			commands = append(commands, tool.Try{Command: c.Command, Cwd: c.Folder})
		}
	}
	for _, c := range commands {
		result := w.turn.tried.on(w.proposed(d, view.UnsavedTexts(w.ws)).Names(), c)
		if result == nil {
			name := trial.Command{Line: c.Command, Cwd: c.Cwd}.Named()
			w.turn.Notify(state.Event{Kind: state.ToolCalled, Name: "try_command", Summary: "trying " + name})
			var err error
			if result, err = w.run(ctx, d, c); err != nil {
				return fail
			}
		}
		if verdict := result.Verdict(); verdict == plan.FailsNow || verdict == plan.StillFails {
			fail = append(fail, orchestrator.Failure{
				Command: c.Command, Cwd: c.Cwd, Names: result.Places,
				Report: plan.CommandIn(c.Command, c.Cwd) + ": " + strings.TrimSpace(result.ForModel("with all that is staged")),
			})
		}
	}
	return fail
}

// isOffered reports whether a model of the turn was offered to try commands.
func (a *attempts) isOffered() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offered
}

// on returns the result of a command that was tried on texts in this turn, nil for none.
func (a *attempts) on(texts []plan.TriedText, c tool.Try) *trial.Result {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range slices.Backward(a.done) {
		on := slices.DeleteFunc(slices.Clone(r.Texts), func(t plan.TriedText) bool { return t.OnDisk })
		if r.Command == c.Command && r.Cwd == c.Cwd && slices.Equal(on, texts) {
			return r
		}
	}
	return nil
}
