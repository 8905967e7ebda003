package protocol

import "go.lsp.dev/uri"

// InitializeParams is what the client says about itself.
type InitializeParams struct {
	ProcessID             *int32             `json:"processId"`
	ClientInfo            ClientInfo         `json:"clientInfo,omitzero"`
	RootURI               *uri.URI           `json:"rootUri"`
	Capabilities          ClientCapabilities `json:"capabilities"`
	InitializationOptions LSPAny             `json:"initializationOptions,omitzero"`
}

// ClientInfo is the name of a client.
type ClientInfo struct {
	Name string `json:"name"`
}

// ClientCapabilities is what the client can do.
type ClientCapabilities struct {
	Workspace    *WorkspaceClientCapabilities    `json:"workspace,omitzero"`
	TextDocument *TextDocumentClientCapabilities `json:"textDocument,omitzero"`
	Window       *WindowClientCapabilities       `json:"window,omitzero"`
	General      *GeneralClientCapabilities      `json:"general,omitzero"`
	Experimental LSPAny                          `json:"experimental,omitzero"`
}

// GeneralClientCapabilities is what the client can do in general.
type GeneralClientCapabilities struct {
	PositionEncodings []PositionEncodingKind `json:"positionEncodings,omitzero"`
}

// WorkspaceClientCapabilities is what the client can do with a workspace.
type WorkspaceClientCapabilities struct {
	ApplyEdit           *bool                            `json:"applyEdit,omitzero"`
	WorkspaceEdit       *WorkspaceEditClientCapabilities `json:"workspaceEdit,omitzero"`
	Configuration       *bool                            `json:"configuration,omitzero"`
	CodeLens            *RefreshClientCapabilities       `json:"codeLens,omitzero"`
	InlayHint           *RefreshClientCapabilities       `json:"inlayHint,omitzero"`
	Diagnostics         *RefreshClientCapabilities       `json:"diagnostics,omitzero"`
	TextDocumentContent *FeatureClientCapabilities       `json:"textDocumentContent,omitzero"`
}

// RefreshClientCapabilities says whether the server can have the client ask again: LSP has a type
// for each feature.
type RefreshClientCapabilities struct {
	RefreshSupport *bool `json:"refreshSupport,omitzero"`
}

// FeatureClientCapabilities is there if the client has a feature: LSP has a type for each.
type FeatureClientCapabilities struct{}

// WorkspaceEditClientCapabilities is which edits the client can make.
type WorkspaceEditClientCapabilities struct {
	DocumentChanges         *bool                            `json:"documentChanges,omitzero"`
	ResourceOperations      []ResourceOperationKind          `json:"resourceOperations,omitzero"`
	FailureHandling         FailureHandlingKind              `json:"failureHandling,omitzero"`
	ChangeAnnotationSupport *ChangeAnnotationsSupportOptions `json:"changeAnnotationSupport,omitzero"`
}

// ResourceOperationKind is something that a client can do to files.
type ResourceOperationKind string

// The operations on files.
const (
	ResourceOperationKindCreate ResourceOperationKind = "create"
	ResourceOperationKindRename ResourceOperationKind = "rename"
	ResourceOperationKindDelete ResourceOperationKind = "delete"
)

// FailureHandlingKind says what a client does when a part of an edit fails.
type FailureHandlingKind string

// The ways to handle a failure that Redline tells apart.
const (
	FailureHandlingKindTransactional         FailureHandlingKind = "transactional"
	FailureHandlingKindTextOnlyTransactional FailureHandlingKind = "textOnlyTransactional"
)

// ChangeAnnotationsSupportOptions is how the client shows annotated edits.
type ChangeAnnotationsSupportOptions struct {
	GroupsOnLabel *bool `json:"groupsOnLabel,omitzero"`
}

// TextDocumentClientCapabilities is what the client can do with a document.
type TextDocumentClientCapabilities struct {
	Synchronization    *TextDocumentSyncClientCapabilities `json:"synchronization,omitzero"`
	Completion         *FeatureClientCapabilities          `json:"completion,omitzero"`
	Hover              *HoverClientCapabilities            `json:"hover,omitzero"`
	DocumentSymbol     *DocumentSymbolClientCapabilities   `json:"documentSymbol,omitzero"`
	CodeAction         *FeatureClientCapabilities          `json:"codeAction,omitzero"`
	CodeLens           *FeatureClientCapabilities          `json:"codeLens,omitzero"`
	DocumentLink       *FeatureClientCapabilities          `json:"documentLink,omitzero"`
	FoldingRange       *FeatureClientCapabilities          `json:"foldingRange,omitzero"`
	PublishDiagnostics *FeatureClientCapabilities          `json:"publishDiagnostics,omitzero"`
	InlayHint          *FeatureClientCapabilities          `json:"inlayHint,omitzero"`
	Diagnostic         *FeatureClientCapabilities          `json:"diagnostic,omitzero"`
}

// TextDocumentSyncClientCapabilities is what the client sends about a document.
type TextDocumentSyncClientCapabilities struct {
	WillSave *bool `json:"willSave,omitzero"`
}

// HoverClientCapabilities is which formats the client can show.
type HoverClientCapabilities struct {
	ContentFormat []MarkupKind `json:"contentFormat,omitzero"`
}

// DocumentSymbolClientCapabilities says whether symbols may be a tree.
type DocumentSymbolClientCapabilities struct {
	HierarchicalDocumentSymbolSupport *bool `json:"hierarchicalDocumentSymbolSupport,omitzero"`
}

// WindowClientCapabilities is what the client can show to the user.
type WindowClientCapabilities struct {
	WorkDoneProgress *bool                           `json:"workDoneProgress,omitzero"`
	ShowMessage      *FeatureClientCapabilities      `json:"showMessage,omitzero"`
	ShowDocument     *ShowDocumentClientCapabilities `json:"showDocument,omitzero"`
}

// ShowDocumentClientCapabilities says whether the client can show a document.
type ShowDocumentClientCapabilities struct {
	Support bool `json:"support"`
}
