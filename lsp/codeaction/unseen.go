package codeaction

import (
	"fmt"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
)

// vouch makes an action say that files are saved which the editor does not show: it sets saved
// and returns the words for the title. It returns "" if the editor shows all of the files, or
// if by the user's settings it shows all of its buffers.
func (m *menu) vouch(saved *bool, files ...*view.File) string {
	if !m.client.SomeBuffers {
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
