package decide

import (
	"slices"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/internal/phrase"
)

// unseen refuses a decision that would change a file whose buffer the editor may not show to
// Redline ([Options.SomeBuffers]): the user may have another text than the disk. Only the user
// knows, and says so with [decision.Request.Saved]. A file that is to be created has no buffer.
func (ds *Decisions) unseen(x *checked, d decision.Request) error {
	if !ds.options.SomeBuffers || d.Saved {
		return nil
	}
	var paths []string
	for _, p := range x.Parts {
		path := p.File.Path
		if p.File.Change.Action == plan.Create && x.Verdict != plan.VerdictUndo || slices.Contains(paths, path) {
			continue
		}
		if _, open := ds.ws.Buffer(path); !open {
			paths = append(paths, path)
		}
	}
	switch len(paths) {
	case 0:
		return nil
	case 1:
		return refusal.New(refusal.Busy, "Your editor does not show %s to Redline, so it may be unsaved there: save it, then choose the action that says so, or send /%s %d saved.", paths[0], again(x), x.held.Number())
	}
	return refusal.New(refusal.Busy, "Your editor does not show %s to Redline, so they may be unsaved there: save them, then choose the action that says so, or send /%s %d saved.", phrase.And(phrase.FirstOf(paths, 5, "file")), again(x), x.held.Number())
}

// again is the slash command that makes the decision.
func again(x *checked) string {
	if x.Undoes() {
		return "undo"
	}
	return "approve"
}
