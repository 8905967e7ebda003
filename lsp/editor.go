package lsp

import (
	"redline/agent/editor"
	"redline/lsp/apply"
)

// userEditor is the connected client as the agent uses it.
type userEditor struct {
	*apply.Applier // changes files
	*presenter     // shows and asks
}

var _ editor.Editor = userEditor{}
