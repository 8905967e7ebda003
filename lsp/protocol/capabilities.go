package protocol

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	Capabilities ServerCapabilities `json:"capabilities"`
	ServerInfo   ServerInfo         `json:"serverInfo,omitzero"`
}

// ServerInfo is the name of a server.
type ServerInfo struct {
	Name    string           `json:"name"`
	Version Optional[string] `json:"version,omitzero"`
}

// ServerCapabilities is what Redline can do.
type ServerCapabilities struct {
	PositionEncoding       PositionEncodingKind     `json:"positionEncoding,omitzero"`
	TextDocumentSync       *TextDocumentSyncOptions `json:"textDocumentSync,omitzero"`
	CompletionProvider     *CompletionOptions       `json:"completionProvider,omitzero"`
	HoverProvider          BooleanOr                `json:"hoverProvider,omitzero"`
	DocumentSymbolProvider BooleanOr                `json:"documentSymbolProvider,omitzero"`
	CodeActionProvider     BooleanOr                `json:"codeActionProvider,omitzero"`
	CodeLensProvider       *CodeLensOptions         `json:"codeLensProvider,omitzero"`
	DocumentLinkProvider   *DocumentLinkOptions     `json:"documentLinkProvider,omitzero"`
	FoldingRangeProvider   BooleanOr                `json:"foldingRangeProvider,omitzero"`
	ExecuteCommandProvider ExecuteCommandOptions    `json:"executeCommandProvider"`
	InlayHintProvider      BooleanOr                `json:"inlayHintProvider,omitzero"`
	DiagnosticProvider     *DiagnosticOptions       `json:"diagnosticProvider,omitzero"`
	Workspace              *WorkspaceOptions        `json:"workspace,omitzero"`
}

// TextDocumentSyncOptions is what Redline wants to hear about a document.
type TextDocumentSyncOptions struct {
	OpenClose *bool                 `json:"openClose,omitzero"`
	Change    *TextDocumentSyncKind `json:"change,omitzero"`
	WillSave  *bool                 `json:"willSave,omitzero"`
	Save      *SaveOptions          `json:"save,omitzero"`
}

// TextDocumentSyncKind is how a client sends changes.
type TextDocumentSyncKind uint32

// TextDocumentSyncKindIncremental asks for the parts that changed.
const TextDocumentSyncKindIncremental TextDocumentSyncKind = 2

// SaveOptions says whether the text is sent along.
type SaveOptions struct {
	IncludeText *bool `json:"includeText,omitzero"`
}

// CompletionOptions says after which characters the client asks.
type CompletionOptions struct {
	TriggerCharacters []string `json:"triggerCharacters,omitzero"`
}

// CodeActionOptions says which kinds of actions there are.
type CodeActionOptions struct {
	CodeActionKinds []CodeActionKind `json:"codeActionKinds,omitzero"`
}

// CodeLensOptions is empty: there are lenses.
type CodeLensOptions struct{}

// DocumentLinkOptions is empty: there are links.
type DocumentLinkOptions struct{}

// ExecuteCommandOptions names the commands.
type ExecuteCommandOptions struct {
	Commands []string `json:"commands"`
}

// DiagnosticOptions says which diagnostics a client can ask for.
type DiagnosticOptions struct {
	Identifier            *string `json:"identifier,omitzero"`
	InterFileDependencies bool    `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool    `json:"workspaceDiagnostics"`
}

// WorkspaceOptions is what Redline can do with a workspace.
type WorkspaceOptions struct {
	WorkspaceFolders    *WorkspaceFoldersServerCapabilities `json:"workspaceFolders,omitzero"`
	TextDocumentContent *TextDocumentContentOptions         `json:"textDocumentContent,omitzero"`
}

// WorkspaceFoldersServerCapabilities says whether Redline follows the client's folders.
type WorkspaceFoldersServerCapabilities struct {
	Supported           *bool     `json:"supported,omitzero"`
	ChangeNotifications BooleanOr `json:"changeNotifications,omitzero"`
}

// TextDocumentContentOptions lists the schemes of the URIs whose text the server can provide.
type TextDocumentContentOptions struct {
	Schemes []string `json:"schemes"`
}
