package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/preview"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/diagnostics"
	"redline/lsp/summary"
	"redline/workspace"
)

// codePreview is the code of diagnostics on lines of a preview that cannot be read.
const codePreview = "preview"

// readPreview makes a revision from a preview that the user has edited and saved. The read loop
// calls it; the work runs off the loop, in order with the messages to the agent.
func (s *session) readPreview(name string, b *workspace.Buffer) {
	read := s.backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		read, err := a.EditPreview(ctx, name, b.Lines.Text())
		if err != nil {
			return nil, err
		}
		s.markProblems(b, read.Problems, func(*workspace.Buffer) bool { return true })
		if view := s.backend.Plan(read.Plan); read.Revision != 0 && view != nil {
			s.shown.NoteView(view)
			s.window.Info(summary.PlanReady(view, s.pages))
			uri := s.pages.URI(view.Preview)
			s.conn.Go("preview", func(ctx context.Context) { s.window.ShowDocument(ctx, uri, nil, false) })
		}
		return nil, nil
	})
	s.conn.Go("preview", func(ctx context.Context) {
		if _, err := read(ctx); err != nil {
			s.window.Error(phrase.OneSentence("The preview could not be read: " + err.Error()))
		}
	})
}

// checkPreview marks the lines of an opened preview that cannot be read.
func (s *session) checkPreview(name string, b *workspace.Buffer) {
	s.conn.Go("preview", func(ctx context.Context) {
		a, err := s.backend.Ready(ctx)
		if err != nil {
			return
		}
		if problems, _, err := a.CheckPreview(ctx, name, b.Lines.Text()); err == nil {
			s.markProblems(b, problems, func(now *workspace.Buffer) bool { return now.Version == b.Version })
		}
	})
}

// leavePreview marks the lines of a preview that cannot be read, or else that its edits are no
// revision yet, after the editor has saved it by itself.
func (s *session) leavePreview(name string, b *workspace.Buffer) {
	check := s.backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		problems, edited, err := a.CheckPreview(ctx, name, b.Lines.Text())
		if err != nil {
			return nil, err
		}
		if edited && len(problems) == 0 {
			n, _, _ := preview.PlanOf(name)
			problems = []preview.Problem{{Reason: fmt.Sprintf(unreadEdits, n), Note: true}}
		}
		s.markProblems(b, problems, func(*workspace.Buffer) bool { return true })
		return nil, nil
	})
	s.conn.Go("preview", func(ctx context.Context) { _, _ = check(ctx) }) // the next save tries again
}

// unreadEdits explains what happens to edits that auto-save has saved. %d is the plan.
const unreadEdits = "Auto-save has kept your edits, but they are not in plan %d yet: save the page yourself when they are complete."

// markProblems replaces the diagnostics on the lines of a preview. It does nothing if the
// preview was closed meanwhile, or if counts returns false for its current text.
func (s *session) markProblems(b *workspace.Buffer, problems []preview.Problem, counts func(now *workspace.Buffer) bool) {
	var list []protocol.Diagnostic
	for _, p := range problems {
		var at edits.Span
		if p.Line < b.Lines.Count() {
			at = b.Lines.Content(p.Line)
		}
		severity := protocol.DiagnosticSeverityError
		if p.Note {
			severity = protocol.DiagnosticSeverityInformation
		}
		list = append(list, protocol.Diagnostic{
			Range:    s.Mapper.Range(b.Lines, at),
			Severity: severity,
			Code:     protocol.String(codePreview),
			Source:   protocol.NewOptional(diagnostics.Source),
			Message:  protocol.String(edits.ExpandTabs(edits.Visible(p.Reason), 0)),
		})
	}
	s.diagnostics.Note(b.URI, list, func() bool {
		now, open := s.workspace.BufferURI(b.URI)
		return open && counts(now)
	})
}
