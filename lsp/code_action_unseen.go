package lsp

import (
	"fmt"

	"redline/agent"
	"redline/agent/plan"
	"redline/internal/phrase"
)

// vouch is for an action that changes files, where the user's settings say that
// the editor shows only some of them: whoever chooses it says that those which it
// does not show are saved. It notes that in the argument, and returns what the
// title says of it, "" if the editor shows them all.
func (m *menu) vouch(saved *bool, files ...*agent.FileView) string {
	if !m.someBuffers {
		return ""
	}
	var unseen []string
	for _, f := range files {
		if f.Status != plan.FileApplied && f.Change.Action == plan.Create {
			continue // there is none yet
		}
		if _, open := m.workspace.Buffer(f.Path); !open {
			unseen = append(unseen, f.Path)
		}
	}
	switch n := len(unseen); n {
	case 0:
		return ""
	case 1:
		*saved = true
		return fmt.Sprintf("; I have saved %s", unseen[0])
	default:
		*saved = true
		return fmt.Sprintf("; I have saved %s and %s", unseen[0], phrase.Count(n-1, "other file"))
	}
}
