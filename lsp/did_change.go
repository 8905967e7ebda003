package lsp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"

	"redline/edits"
	"redline/lsp/wire"
)

// didChange follows an edit of a document (LSP 3.18, "DidChangeTextDocument
// Notification"): its content changes one after the other, each in the text
// that the one before left.
//
// A range that ends beyond the text is cut at its end, since Neovim sends such
// ranges and means that. A change that cannot be read at all is never guessed
// at: the whole notification is refused, and because the server's text then is
// not the editor's, the document is closed, and nothing is applied to it, until
// the client sends a whole text or opens it again.
func (s *session) didChange(_ context.Context, p *wire.DidChangeParams) error {
	uri := p.TextDocument.URI
	changes, err := wire.DecodeContentChanges(p.ContentChanges)
	if err == nil {
		changes, err = s.damaged.usable(uri, changes)
	}
	if err != nil {
		return s.lose(uri, err)
	}
	buffer, ok := s.workspace.BufferURI(uri)
	if !ok {
		if changes = sinceWhole(changes); changes == nil {
			return fmt.Errorf("%s was changed but is not open", shortName(uri))
		}
		s.workspace.Open(uri, "", p.TextDocument.Version, "")
		buffer, _ = s.workspace.BufferURI(uri)
	}
	lines, all, err := s.follow(buffer.Lines, changes)
	if err != nil {
		return s.lose(uri, err)
	}
	if sinceWhole(changes) != nil {
		s.diagnostics.resend(uri)
	}
	if len(all) > maxEdits {
		// It is cheaper to find everything again than to follow so many edits.
		s.workspace.Open(buffer.URI, buffer.Language, p.TextDocument.Version, lines.Text())
	} else {
		err = s.workspace.Update(buffer.URI, p.TextDocument.Version, lines, all)
	}
	s.diagnostics.refresh()
	return err
}

// maxEdits is how many edits of one notification are followed one by one.
const maxEdits = 64

// follow makes content changes. It returns the text after them and the edits,
// one after the other, that lead there.
func (s *session) follow(lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, []edits.Edit, error) {
	var all []edits.Edit
	for _, c := range changes {
		e, err := s.edit(lines, c)
		if err != nil {
			return nil, nil, err
		}
		refined := edits.Refine(lines.Text(), e)
		if len(refined) > maxEdits {
			lines, all = lines.Replace(e), slices.Concat(all, refined)
			continue
		}
		for _, r := range slices.Backward(refined) { // from the last on, so that none moves the others
			lines, all = lines.Replace(r), append(all, r)
		}
	}
	return lines, all, nil
}

// edit turns one content change into an edit of the text of lines.
func (s *session) edit(lines *edits.Lines, c wire.ContentChange) (edits.Edit, error) {
	if !c.HasRange {
		return edits.Edit{Span: edits.Span{End: len(lines.Text())}, New: c.Text}, nil
	}
	start := edits.Position{Line: int(c.Range.Start.Line), Character: int(c.Range.Start.Character)}
	end := edits.Position{Line: int(c.Range.End.Line), Character: int(c.Range.End.Character)}
	span := edits.Span{Start: s.offset(lines, start), End: s.offset(lines, end)}
	if span.End < span.Start {
		return edits.Edit{}, errors.New("a change ends before it starts")
	}
	return edits.Edit{Span: span, New: c.Text}, nil
}

// lose gives up a document whose text is not known any more. The error is for
// the log, once for a document.
func (s *session) lose(uri string, err error) error {
	path, _ := s.workspace.PathOf(uri)
	if !s.damaged.lost(uri, path) {
		return nil
	}
	s.workspace.Close(uri)
	s.diagnostics.refresh()
	s.messages.warn("an edit of " + shortName(uri) + " could not be understood, so Redline cannot follow this file: close and open it again.")
	return fmt.Errorf("%s is not followed any more: %w", shortName(uri), err)
}

// shortName is the last part of a URI, for messages.
func shortName(uri string) string {
	name := path.Base(uri)
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}
