package apply

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/editor"
	"redline/edits"
	"redline/edits/landed"
	"redline/workspace"
)

// Review implements editor.Editor. All proposals go into one request, each of
// their changes annotated as in need of confirmation (LSP 3.18, "WorkspaceEdit"
// and "ChangeAnnotation"), so that the user lets them through one by one. It is
// never sent again by itself: a refusal cannot be told from a dismissal.
func (a *Applier) Review(ctx context.Context, plan int, proposals []editor.Proposal) ([]edits.Applied, error) {
	batch := make([]*sending, len(proposals))
	for i, p := range proposals {
		s := a.prepare(p.Change)
		s.plan, s.hunks = plan, p.Hunks
		if why := a.workspace.Guarded(p.Change); why != "" && !s.settled {
			s.refuse(why)
		}
		if s.onDisk && !s.settled && !a.makesReviewed(s) {
			s.refuse("the editor's review cannot make or delete " + p.Path + " as it was shown: approve it by itself")
		}
		batch[i] = s
	}
	shown := unsettled(batch)
	if len(shown) == 0 {
		return results(batch), nil
	}
	answer, err := a.call(ctx, shown, a.annotatedEdit(shown), a.timeouts.Review)
	if err != nil {
		return results(batch), err
	}
	wait := a.timeouts.Hidden
	if answer.verdict == refused {
		wait = a.timeouts.Refusal
	}
	moment, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	a.awaitAll(moment, shown)
	for _, s := range shown {
		a.settleReviewed(s, answer)
	}
	return results(batch), nil
}

// settleReviewed records what the text shows that the user let through.
func (a *Applier) settleReviewed(s *sending, answer answer) {
	file, landings, move := a.reviewed(s)
	landed, absent := tally(landings)
	all := len(landings)
	if s.change.Kind == edits.Rename {
		all++
		l, n := tally([]edits.Landing{move})
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
		r.Reason = s.change.Path + " was changed while it was reviewed, so that it cannot be told what of it was let through: look at the file."
	}
	s.settle(r)
}

// reviewed is the file as it is after a review, what became of each of the
// change's hunks, and of its move.
func (a *Applier) reviewed(s *sending) (file workspace.File, landings []edits.Landing, move edits.Landing) {
	switch s.change.Kind {
	case edits.Create, edits.Delete:
		file = a.see(s)
		landing := s.look(file)
		if s.change.Kind == edits.Create && file.Exists && edits.Blank(file.Text) && s.change.Text != "" {
			landing = edits.Absent
		}
		if s.change.Kind == edits.Delete && landing == edits.Absent && a.half(s) != "" {
			landing = edits.Unclear
		}
		return file, []edits.Landing{landing}, edits.Unclear
	case edits.Rename:
		at := s.change.Path
		switch old, moved := a.isThere(at, s.change.NewPath), a.isThere(s.change.NewPath, at); {
		case moved && !old:
			at, move = s.change.NewPath, edits.Landed
		case old && !moved:
			move = edits.Absent
		}
		file, _ = a.workspace.Read(at)
	default:
		file, _ = a.workspace.Read(s.change.Path)
	}
	if !file.Exists {
		return file, make([]edits.Landing, len(s.edits)), move
	}
	return file, landed.Of(s.before, s.edits, file.Text), move
}

// tally counts what landed and what did not.
func tally(landings []edits.Landing) (landed, absent int) {
	for _, l := range landings {
		switch l {
		case edits.Landed:
			landed++
		case edits.Absent:
			absent++
		}
	}
	return landed, absent
}

// annotatedEdit is the workspaceEdit of a batch, each change of which names an
// annotation. All of one file have the same label, by which clients group them.
func (a *Applier) annotatedEdit(batch []*sending) protocol.WorkspaceEdit {
	yes := true
	annotations := map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	edit := protocol.WorkspaceEdit{ChangeAnnotations: annotations}
	for i, s := range batch {
		label := fmt.Sprintf("Redline plan %d: %s", s.plan, s.change.Path)
		note := func(part, description string) protocol.ChangeAnnotationIdentifier {
			id := protocol.ChangeAnnotationIdentifier(fmt.Sprintf("%d.%d.%s", s.plan, i+1, part))
			annotations[id] = protocol.ChangeAnnotation{Label: label, NeedsConfirmation: &yes, Description: &description}
			return id
		}
		for _, change := range a.documentChanges(s) {
			switch c := change.(type) {
			case *protocol.CreateFile:
				c.AnnotationID = note("create", s.describe(0, "create the file"))
			case *protocol.DeleteFile:
				c.AnnotationID = note("delete", s.describe(0, "delete the file"))
			case *protocol.RenameFile:
				c.AnnotationID = note("move", "move the file to "+s.change.NewPath)
			case *protocol.TextDocumentEdit:
				for k, e := range c.Edits {
					if text, ok := e.(*protocol.TextEdit); ok {
						id := note(fmt.Sprint("edit", k+1), s.describe(k, s.textNote()))
						c.Edits[k] = &protocol.AnnotatedTextEdit{TextEdit: *text, AnnotationID: id}
					}
				}
			}
			edit.DocumentChanges = append(edit.DocumentChanges, change)
		}
	}
	return edit
}

// textNote is what the text edits of a creation or deletion are for.
func (s *sending) textNote() string {
	switch s.change.Kind {
	case edits.Create:
		return "its text"
	case edits.Delete:
		return "empty the file"
	}
	return ""
}

// describe says in a few words what a change of a review is: the hunk, what is
// done, and how many lines it adds and takes away.
func (s *sending) describe(hunk int, what string) string {
	if hunk >= len(s.hunks) {
		return what
	}
	h := s.hunks[hunk]
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s +%d −%d", h.ID, what, h.Added, h.Removed)), " ")
}
