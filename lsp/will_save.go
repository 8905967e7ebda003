package lsp

import (
	"context"

	"redline/lsp/position"
)

// afterDelay is TextDocumentSaveReason.AfterDelay: the editor saves by itself, while the user may
// be in the middle of a word.
const afterDelay = 2

// willSaveParams are WillSaveTextDocumentParams.
type willSaveParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Reason       int                   `json:"reason"`
}

// willSave notes why a document is about to be saved (LSP 3.18,
// "WillSaveTextDocument Notification"): a preview becomes a revision when its user saves it, not
// at each tick of the editor's auto-save.
func (s *session) willSave(_ context.Context, p *willSaveParams) error {
	s.saves.will(p.TextDocument.URI, p.Reason == afterDelay)
	return nil
}

// saves tracks which documents the editor saves by itself. Only the read loop uses it.
type saves struct {
	byItself map[string]bool // by URI, whether the save announced last is the editor's own
	unread   map[string]bool // previews with edits that auto-save has saved and that were not read since
}

func (s *saves) will(uri string, byItself bool) {
	if s.byItself == nil {
		s.byItself, s.unread = map[string]bool{}, map[string]bool{}
	}
	if byItself {
		s.byItself[uri] = true
	} else {
		delete(s.byItself, uri)
	}
}

// did reports whether a save was made by the editor itself. If the client does not
// announce saves, every save counts as the user's.
func (s *saves) did(uri string) (byItself bool) {
	byItself = s.byItself[uri]
	delete(s.byItself, uri)
	if byItself {
		s.unread[uri] = true
	} else {
		delete(s.unread, uri)
	}
	return byItself
}

// closed reports whether a closed document was last saved only by auto-save.
func (s *saves) closed(uri string) (unread bool) {
	unread = s.unread[uri]
	delete(s.byItself, uri)
	delete(s.unread, uri)
	return unread
}
