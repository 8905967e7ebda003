package lsp

import (
	"context"

	"redline/lsp/wire"
)

// didChangeWatchedFiles is taken and not needed: the server does not register
// watchers, and reads what is on disk when it is needed.
func (s *session) didChangeWatchedFiles(context.Context, *wire.NoParams) error {
	s.diagnostics.refresh()
	return nil
}
