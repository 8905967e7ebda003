package apply

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// annotatedEdit is the workspaceEdit of a batch, each change of which names an
// annotation. All of one file have the same label, by which clients group them.
func (e *encoder) annotatedEdit(batch []*attempt) protocol.WorkspaceEdit {
	yes := true
	annotations := map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	edit := protocol.WorkspaceEdit{ChangeAnnotations: annotations}
	for i, t := range batch {
		label := fmt.Sprintf("Redline plan %d: %s", t.plan, t.change.Path)
		note := func(part, description string) protocol.ChangeAnnotationIdentifier {
			id := protocol.ChangeAnnotationIdentifier(fmt.Sprintf("%d.%d.%s", t.plan, i+1, part))
			annotations[id] = protocol.ChangeAnnotation{Label: label, NeedsConfirmation: &yes, Description: &description}
			return id
		}
		for _, change := range e.documentChanges(t) {
			switch c := change.(type) {
			case *protocol.CreateFile:
				c.AnnotationID = note("create", t.describe(0, "create the file"))
			case *protocol.DeleteFile:
				c.AnnotationID = note("delete", t.describe(0, "delete the file"))
			case *protocol.RenameFile:
				c.AnnotationID = note("move", "move the file to "+t.change.NewPath)
			case *protocol.TextDocumentEdit:
				for k, e := range c.Edits {
					if text, ok := e.(*protocol.TextEdit); ok {
						id := note(fmt.Sprint("edit", k+1), t.describe(k, t.textNote()))
						c.Edits[k] = &protocol.AnnotatedTextEdit{TextEdit: *text, AnnotationID: id}
					}
				}
			}
			edit.DocumentChanges = append(edit.DocumentChanges, change)
		}
	}
	return edit
}

// textNote says what the text edits of a creation or deletion are for.
func (t *attempt) textNote() string {
	switch t.change.Kind {
	case edits.Create:
		return "its text"
	case edits.Delete:
		return "empty the file"
	}
	return ""
}

// describe says in a few words what a change of a review is: the hunk, what is
// done, and how many lines it adds and removes.
func (t *attempt) describe(hunk int, what string) string {
	if hunk >= len(t.hunks) {
		return what
	}
	h := t.hunks[hunk]
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s +%d −%d", h.ID, what, h.Added, h.Removed)), " ")
}
