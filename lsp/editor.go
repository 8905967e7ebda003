package lsp

import (
	"redline/agent/state"
	"redline/lsp/apply"
	"redline/lsp/present"
)

// userEditor is the connected client in the role of the agent's editor.
type userEditor struct {
	*apply.Applier     // changes files
	*present.Presenter // shows and asks
}

var _ state.Editor = userEditor{}
