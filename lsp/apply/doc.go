// Package apply changes files through an editor that cannot be trusted: it sends
// workspace/applyEdit, watches what the editor makes of it, and finds out from the
// text what happened. It sends again what an editor left out, takes back what it
// put into the wrong lines, and reports what it could not put right.
//
// It needs a connection and a workspace, and knows nothing of sessions or plans.
package apply
