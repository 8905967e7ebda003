package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/internal/phrase"
	"redline/lsp/backend"
	"redline/lsp/codeaction"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/wire"
	"redline/workspace"
)

// initialize returns what the server can do (LSP 3.18, "Initialize Request"), all of it
// statically, since several clients ignore dynamic registration. It ignores members of the
// wrong shape.
func (s *server) initialize(_ context.Context, raw *json.RawMessage) (wire.Run, error) {
	folders := foldersOf(*raw)
	p, dropped, err := wire.DecodeLenient[protocol.InitializeParams](*raw)
	if err != nil {
		return nil, backend.InvalidParams("The params of initialize must be an object.")
	}
	if len(dropped) > 0 {
		s.log.Warn("ignored members of initialize that have a wrong shape", zap.Strings("members", dropped))
	}
	session := newSession(s, newClient(p), folders)
	session.settings.takeOptions(p.InitializationOptions)
	s.session.Store(session)
	if p.ProcessID != nil {
		s.conn.Go("parent", func(ctx context.Context) { s.watchParent(ctx, int(*p.ProcessID)) })
	}
	result := &protocol.InitializeResult{
		Capabilities: serverCapabilities(session.client),
		ServerInfo:   protocol.ServerInfo{Name: "redline", Version: protocol.NewOptional(s.options.Version)},
	}
	return func(context.Context) (any, error) { return result, nil }, nil
}

func serverCapabilities(c client) protocol.ServerCapabilities {
	incremental := protocol.TextDocumentSyncKindIncremental
	yes, no := true, false
	sync := &protocol.TextDocumentSyncOptions{
		OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{IncludeText: &no},
	}
	capabilities := protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKind(c.encoding.String()),
		TextDocumentSync: sync,
		HoverProvider:    protocol.Boolean(true),
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, codeaction.Refactor},
		},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: command.Names()},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: &yes, ChangeNotifications: protocol.Boolean(true),
			},
		},
	}
	if c.willSave {
		sync.WillSave = &yes
	}
	if c.codeLens {
		capabilities.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if c.inlayHint {
		capabilities.InlayHintProvider = protocol.Boolean(true)
	}
	if c.pull {
		id := diagnostics.Source
		capabilities.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: &id, WorkspaceDiagnostics: true}
	}
	if c.completion {
		capabilities.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: []string{"/", "@"}}
	}
	if c.documentLink {
		capabilities.DocumentLinkProvider = &protocol.DocumentLinkOptions{}
	}
	if c.documentSymbol {
		capabilities.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if c.foldingRange {
		capabilities.FoldingRangeProvider = protocol.Boolean(true)
	}
	if c.virtual {
		capabilities.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{pages.Scheme}}
	}
	return capabilities
}

// foldersOf returns the folders that the client works in: workspaceFolders,
// else rootUri, else rootPath. It reads the raw members, because package
// protocol normalises URIs and clients compare them as strings.
func foldersOf(raw json.RawMessage) []workspace.Folder {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	var given []json.RawMessage
	_ = json.Unmarshal(members["workspaceFolders"], &given) // treat a member that cannot be read as missing
	var folders []workspace.Folder
	for _, one := range given {
		var f workspaceFolder
		if json.Unmarshal(one, &f) == nil && f.URI != "" {
			folders = append(folders, f.folder())
		}
	}
	if len(folders) > 0 {
		return folders
	}
	var root string
	if json.Unmarshal(members["rootUri"], &root) == nil && root != "" {
		return []workspace.Folder{{URI: root}}
	}
	if json.Unmarshal(members["rootPath"], &root) == nil && root != "" {
		return []workspace.Folder{{Dir: root}}
	}
	return nil
}

// workspaceFolder is LSP's WorkspaceFolder with the URI as the client spells it.
type workspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

func (f workspaceFolder) folder() workspace.Folder {
	return workspace.Folder{Name: f.Name, URI: f.URI}
}

// initialized starts reading the plans of earlier sessions off the read loop (LSP 3.18,
// "Initialized Notification"), so that nothing slow happens before the editor has its answer.
func (s *session) initialized(context.Context, *wire.NoParams) error {
	if s.backend.Err() != nil {
		s.window.Error(phrase.OneSentence(s.backend.Err().Error()))
	}
	s.warnOfSettings()
	s.recoverSoon()
	return nil
}

// warnOfSettings shows which of the user's own settings have no effect: one message, which names
// the first of several.
func (s *session) warnOfSettings() {
	if len(s.warnings) == 0 {
		return
	}
	text := string(s.warnings[0])
	if more := len(s.warnings) - 1; more > 0 {
		text = phrase.FullStop(text) + " " + phrase.Count(more, "more warning") + ": redline doctor lists them."
	}
	s.window.Warn(text)
}
