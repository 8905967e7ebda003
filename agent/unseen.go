package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/internal/phrase"
)

// unseen refuses an execution that would change a file which the editor does not
// show to Redline, where the user has said that it shows some buffers only
// ([Options.SomeBuffers]): what is on disk need not be what the user has there.
// Only the user knows, and says so with [Decide.Saved]. A file that is to be
// created is none of these. The caller has locked the plan, and does not hold Board.mu.
func (ds *Decisions) unseen(h *heldPlan, x *execution, d Decide) error {
	if !ds.someBuffers || d.Saved {
		return nil
	}
	ds.board.mu.Lock()
	var paths []string
	for _, p := range x.parts {
		path := p.file.Path
		if p.file.Change.Action == plan.Create && x.verdict != plan.VerdictUndo || slices.Contains(paths, path) {
			continue
		}
		if _, open := ds.ws.Buffer(path); !open {
			paths = append(paths, path)
		}
	}
	ds.board.mu.Unlock()
	switch len(paths) {
	case 0:
		return nil
	case 1:
		return refusal.New(refusal.Busy, "Your editor does not show %s to Redline, so it may be unsaved there: save it, then choose the action that says so, or send /%s %d saved.", paths[0], again(x), h.plan().Number)
	}
	return refusal.New(refusal.Busy, "Your editor does not show %s to Redline, so they may be unsaved there: save them, then choose the action that says so, or send /%s %d saved.", phrase.And(phrase.FirstOf(paths, 5, "file")), again(x), h.plan().Number)
}

// again is the slash command that makes the decision.
func again(x *execution) string {
	if x.verdict == plan.VerdictUndo {
		return "undo"
	}
	return "approve"
}
