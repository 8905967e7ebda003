package apply

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/state"
	"redline/edits"
	"redline/edits/landed"
	"redline/workspace"
	"redline/workspace/judge"
)

// Review shows the proposals of a plan in the client's own review, and returns what the
// user accepted. All proposals go into one request, each change annotated as needing
// confirmation (LSP 3.18, "WorkspaceEdit" and "ChangeAnnotation"). Review never sends
// it again: a refusal cannot be told from a dismissal. An error means that the client
// is gone.
func (a *Applier) Review(ctx context.Context, plan int, proposals []state.Proposal) ([]edits.Applied, error) {
	batch := make([]*attempt, len(proposals))
	for i, p := range proposals {
		t := a.prepare(p.Change)
		t.plan, t.hunks = plan, p.Hunks
		if why := a.Workspace.Guarded(p.Change); why != "" && !t.Finished {
			t.Refuse(why)
		}
		if t.OnDisk && !t.Finished && !a.createdInReview(t) {
			t.Refuse("the editor's review cannot make the change of " + p.Path + " as it was shown: approve it on its own")
		}
		batch[i] = t
	}
	shown := unfinished(batch)
	if len(shown) == 0 {
		return results(batch), nil
	}
	answer, err := a.request(ctx, shown, a.encoder.annotatedEdit(shown), a.Timeouts.Review)
	if err != nil {
		return results(batch), err
	}
	a.awaitAnswered(ctx, shown, answer, a.Timeouts.Hidden)
	for _, t := range shown {
		a.finishReviewed(t, answer)
	}
	return results(batch), nil
}

// finishReviewed records, from the text, which hunks the user accepted.
func (a *Applier) finishReviewed(t *attempt, answer answer) {
	file, landings, move := reviewed(a.files, t)
	landed, absent := judge.Tally(landings)
	all := len(landings)
	if t.Change.Kind == edits.Rename {
		all++
		l, n := judge.Tally([]edits.Landing{move})
		landed, absent = landed+l, absent+n
	}
	r := edits.Applied{Status: edits.Unverified, Text: file.Text, Landings: landings, Move: move}
	switch {
	case landed == all:
		r.Status = edits.Done
	case answer.verdict == silent:
		r.Status, r.Reason = edits.Unknown, answer.reason
	case absent == all:
		r.Status = edits.Refused
	case landed+absent < all:
		r.Reason = t.Change.Path + " changed during the review, so it is not known which of its changes you accepted: look at the file."
	}
	t.Finish(r)
}

// reviewed reads the file after a review, and reports for each hunk of the change, and
// for its move, whether it landed.
func reviewed(f judge.Files, t *attempt) (file workspace.File, landings []edits.Landing, move edits.Landing) {
	switch t.Change.Kind {
	case edits.Create, edits.Delete:
		file = f.Changed(&t.Attempt)
		landing := t.Landing(file)
		if t.Change.Kind == edits.Create && file.Exists && edits.Blank(file.Text) && t.Change.Text != "" {
			landing = edits.Absent
		}
		if t.Change.Kind == edits.Delete && landing == edits.Absent && f.Partial(&t.Attempt) != "" {
			landing = edits.Unclear
		}
		return file, []edits.Landing{landing}, edits.Unclear
	case edits.Rename:
		at := t.Change.Path
		switch old, moved := f.Named(at, t.Change.NewPath), f.Named(t.Change.NewPath, at); {
		case moved && !old:
			at, move = t.Change.NewPath, edits.Landed
		case old && !moved:
			move = edits.Absent
		}
		file, _ = f.Workspace.Read(at)
	default:
		file, _ = f.Workspace.Read(t.Change.Path)
	}
	if !file.Exists {
		return file, make([]edits.Landing, len(t.Edits)), move
	}
	return file, landed.Of(t.Before, t.Edits, file.Text), move
}

// annotatedEdit returns the workspaceEdit of a batch with an annotation for each
// change. The changes of one file share a label, by which clients group them.
func (e *encoder) annotatedEdit(batch []*attempt) protocol.WorkspaceEdit {
	yes := true
	annotations := map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	edit := protocol.WorkspaceEdit{ChangeAnnotations: annotations}
	for i, t := range batch {
		label := fmt.Sprintf("Redline plan %d: %s", t.plan, t.Change.Path)
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
				c.AnnotationID = note("move", "move the file to "+t.Change.NewPath)
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

// textNote returns what the text edits of a creation or deletion are for.
func (t *attempt) textNote() string {
	switch t.Change.Kind {
	case edits.Create:
		return "its text"
	case edits.Delete:
		return "empty the file"
	}
	return ""
}

// describe describes a change of a review in a few words: the hunk's id, what happens,
// and how many lines it adds and removes.
func (t *attempt) describe(hunk int, what string) string {
	if hunk >= len(t.hunks) {
		return what
	}
	h := t.hunks[hunk]
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s +%d −%d", h.ID, what, h.Added, h.Removed)), " ")
}

// Omitted is a file that a preview leaves out, as a whole or in part.
type Omitted struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Preview returns one WorkspaceEdit that makes the changes, and the files it leaves out.
// It sends nothing.
func (a *Applier) Preview(changes []edits.Change) (protocol.WorkspaceEdit, []Omitted) {
	var batch []*attempt
	var left []Omitted
	for _, c := range changes {
		t := a.prepare(c)
		switch {
		case t.Finished && t.Result.Status != edits.Done:
			left = append(left, Omitted{c.Path, t.Result.Reason})
		case a.createdByClient(t) && !t.Finished:
			batch = append(batch, t)
		case t.OnDisk && c.Kind == edits.Create && a.Client.Create:
			left = append(left, Omitted{c.Path, "Redline creates this file itself, since no editor can set its permissions."})
		case t.OnDisk:
			left = append(left, Omitted{c.Path, fmt.Sprintf("This editor does not say that it can %s files.", c.Kind)})
		case !t.Finished:
			batch = append(batch, t)
		}
	}
	return a.encoder.workspaceEdit(batch), left
}
