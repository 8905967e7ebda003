package lsp

import (
	"context"

	"redline/lsp/wire"
)

// didChangeConfiguration is taken, and no setting is: settings over LSP may
// come from the repository, and none of those that there are now is harmless
// enough for that.
func (s *session) didChangeConfiguration(context.Context, *wire.NoParams) error { return nil }
