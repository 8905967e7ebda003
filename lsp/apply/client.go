package apply

import "go.lsp.dev/protocol"

// Client says what the client can do with workspace edits.
type Client struct {
	DocumentChanges bool // a WorkspaceEdit may have documentChanges
	LooseVersions   bool // it may take version 0 of a document for any version
	Create          bool // and these file operations
	Rename          bool
	Delete          bool
	Transactional   bool // all or nothing, over several files
}

// NewClient reads what a client announces. Neovim announces the operations only,
// and takes documentChanges; it is the client that does not check version 0.
func NewClient(e *protocol.WorkspaceEditClientCapabilities) Client {
	announced := e.DocumentChanges != nil && *e.DocumentChanges
	c := Client{
		DocumentChanges: announced || len(e.ResourceOperations) > 0,
		Transactional:   e.FailureHandling == protocol.FailureHandlingKindTransactional,
	}
	c.LooseVersions = c.DocumentChanges && !announced
	for _, kind := range e.ResourceOperations {
		switch kind {
		case protocol.ResourceOperationKindCreate:
			c.Create = true
		case protocol.ResourceOperationKindRename:
			c.Rename = true
		case protocol.ResourceOperationKindDelete:
			c.Delete = true
		}
	}
	return c
}
