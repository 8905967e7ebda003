package acp

import (
	"fmt"

	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// remarks says what the diffs of a plan do not show, before the user is asked: which files would not
// parse, and what language servers report. What the plan lacks is in the answer of its turn.
func (n *chatSession) remarks(v *view.Plan) (all []string) {
	for _, f := range v.Files {
		if why := f.Unparsed(); why != "" {
			all = append(all, fmt.Sprintf("%s does not parse as proposed: %s", edits.VisibleLine(f.ProposedPath()), phrase.OneSentence(why)))
		}
	}
	if words := view.Problems(n.place.agent.Session.Workspace, v).Words(); words != "" {
		all = append(all, "Checked as proposed: "+phrase.FullStop(words))
	}
	return all
}
