package lsp

import (
	"context"
	"fmt"
	"net/url"
	"path"

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
	if countEdits(all) > maxEdits {
		// It is cheaper to find everything again than to follow so many edits.
		s.workspace.Open(buffer.URI, buffer.Language, p.TextDocument.Version, lines.Whole().Text())
	} else {
		err = s.workspace.Update(buffer.URI, p.TextDocument.Version, lines, all...)
	}
	s.changed()
	return err
}

// maxEdits is how many edits of one notification are followed.
const maxEdits = 64

func countEdits(lists [][]edits.Edit) int {
	n := 0
	for _, es := range lists {
		n += len(es)
	}
	return n
}

// follow makes content changes. It returns the text after them and the edits
// that lead there: one list after the other, each for the text that the lists
// before it left. A byte order mark at the start is no part of the text, but is
// of what the client's positions count.
func (s *session) follow(lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, [][]edits.Edit, error) {
	whole, all, err := s.followWhole(lines.Whole(), changes)
	if err != nil {
		return nil, nil, err
	}
	after := whole.CutMark()
	if lines.Marked() || after.Marked() {
		all = withoutMark(all, lines, after)
	}
	return after, all, nil
}

// withoutMark turns edits of a text with a byte order mark in front, or that
// make one, into edits that lead from before to after, which have none.
func withoutMark(all [][]edits.Edit, before, after *edits.Lines) [][]edits.Edit {
	const size = len(edits.BOM)
	stays := before.Marked()
	for _, es := range all {
		stays = stays && (len(es) == 0 || es[0].Start >= size)
	}
	if !stays {
		e := edits.Edit{Span: edits.Span{End: len(before.Text())}, New: after.Text()}
		if es := edits.Refine(before.Text(), e); len(es) > 0 {
			return [][]edits.Edit{es}
		}
		return nil
	}
	for _, es := range all {
		for i := range es {
			es[i].Start, es[i].End = es[i].Start-size, es[i].End-size
		}
	}
	return all
}

// followWhole is follow for the text as the client has it.
func (s *session) followWhole(lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, [][]edits.Edit, error) {
	var all [][]edits.Edit
	b := newBatch(s.Mapper, lines)
	for _, c := range changes {
		ok, err := b.add(c)
		if err == nil && !ok {
			if b, all, err = b.made(all); err == nil {
				_, err = b.add(c)
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	b, all, err := b.made(all)
	if err != nil {
		return nil, nil, err
	}
	return b.lines, all, nil
}

// lose gives up a document whose text is not known any more. The error is for
// the log, once for a document.
func (s *session) lose(uri string, err error) error {
	path, _ := s.workspace.PathOf(uri)
	if !s.damaged.lost(uri, path) {
		return nil
	}
	s.workspace.Close(uri)
	s.diagnostics.unnote(uri)
	s.window.Warn("an edit of " + shortName(uri) + " could not be understood, so Redline cannot follow this file: close and open it again.")
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
