package lsp

import (
	"cmp"
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/apply"
	"redline/lsp/backend"
	"redline/lsp/codeaction"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/present"
	"redline/lsp/window"
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

// client describes what the connected editor can do. It is read once from the editor's
// capabilities in initialize, never from its name.
type client struct {
	name     string // clientInfo.name, for records only
	encoding edits.Encoding
	edits    apply.Client      // its support for workspace edits,
	window   window.Client     // for windows and messages,
	actions  codeaction.Client // for code actions,
	events   present.Client    // and for Redline's events
	refresh  diagnostics.RefreshClient

	// Only Redline's own pages answer the following. A client asks about every document.
	completion, documentLink, documentSymbol, foldingRange bool

	codeLens      bool
	willSave      bool // sends willSave, with the reason
	inlayHint     bool
	pull          bool // pulls diagnostics, and does not support published ones
	virtual       bool // requests the texts of virtual documents
	markdown      bool // supports Markdown in hovers
	configuration bool // answers workspace/configuration
}

// newClient reads the parameters of initialize.
func newClient(p *protocol.InitializeParams) client {
	c := client{name: p.ClientInfo.Name}
	c.name = cmp.Or(c.name, "lsp")
	caps := p.Capabilities
	if g := caps.General; g != nil {
		c.encoding = chooseEncoding(g.PositionEncodings)
	}
	if w := caps.Workspace; w != nil && w.WorkspaceEdit != nil {
		c.edits, c.actions.Review = apply.NewClient(w.WorkspaceEdit), showsReview(w.WorkspaceEdit)
	}
	if w := caps.Workspace; w != nil {
		c.configuration = isTrue(w.Configuration)
		c.refresh.CodeLens = w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport)
		c.refresh.InlayHint = w.InlayHint != nil && isTrue(w.InlayHint.RefreshSupport)
		c.refresh.Diagnostic = w.Diagnostics != nil && isTrue(w.Diagnostics.RefreshSupport)
		c.virtual = w.TextDocumentContent != nil
	}
	if t := caps.TextDocument; t != nil {
		c.codeLens = t.CodeLens != nil
		c.willSave = t.Synchronization != nil && isTrue(t.Synchronization.WillSave)
		c.inlayHint = t.InlayHint != nil
		c.pull = t.Diagnostic != nil && t.PublishDiagnostics == nil
		c.completion = t.Completion != nil
		c.documentLink = t.DocumentLink != nil
		c.documentSymbol = t.DocumentSymbol != nil && isTrue(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
		c.foldingRange = t.FoldingRange != nil
	}
	if w := caps.Window; w != nil {
		c.window = window.NewClient(w)
	}
	if t := caps.TextDocument; t != nil && t.CodeAction != nil {
		c.actions.Wholesale = caps.Workspace == nil || !isTrue(caps.Workspace.ApplyEdit)
	}
	if t := caps.TextDocument; t != nil && t.Hover != nil {
		for _, kind := range t.Hover.ContentFormat {
			c.markdown = c.markdown || kind == protocol.MarkupKindMarkdown
		}
	}
	c.events = wantsEvents(caps.Experimental)
	c.events.Beside = c.putsBeside()
	return c
}

// showsReview reports whether the client is likely to show annotated changes to the user before
// it makes them (LSP 3.18, "ChangeAnnotation", since 3.16). Several clients announce
// changeAnnotationSupport and then make the changes without asking. A client that also shows
// them as a tree (groupsOnLabel), and makes all or none (textOnlyTransactional), collects them
// first.
func showsReview(e *protocol.WorkspaceEditClientCapabilities) bool {
	support := e.ChangeAnnotationSupport
	return support != nil && isTrue(support.GroupsOnLabel) && isTrue(e.DocumentChanges) &&
		e.FailureHandling == protocol.FailureHandlingKindTextOnlyTransactional
}

// putsBeside reports whether the client is likely to show a question without interrupting the
// user. No capability says so: in most editors a question takes the keys (Neovim, Emacs, Helix)
// or the whole window (Kate). A client with a review of edits probably has room for a question
// too. A client that follows the events has its own way to decide on plans.
func (c *client) putsBeside() bool { return c.window.Ask && c.actions.Review && !c.events.Events }

// chooseEncoding prefers utf-8, which needs no conversion, then utf-16, which every client
// speaks (LSP 3.18, PositionEncodingKind). It takes utf-32 only if nothing else is offered.
func chooseEncoding(offered []protocol.PositionEncodingKind) edits.Encoding {
	var utf16, utf32 bool
	for _, kind := range offered {
		switch enc, ok := edits.ParseEncoding(string(kind)); {
		case !ok:
		case enc == edits.UTF8:
			return edits.UTF8
		case enc == edits.UTF16:
			utf16 = true
		case enc == edits.UTF32:
			utf32 = true
		}
	}
	if utf32 && !utf16 {
		return edits.UTF32
	}
	return edits.UTF16
}

// wantsEvents reads whether the client announces experimental.redline.events, and how it
// uses them: whether it shows answers itself (experimental.redline.answers), and which
// ways to show differences it supports (experimental.redline.diffModes).
func wantsEvents(experimental protocol.LSPAny) present.Client {
	var e struct {
		Redline struct {
			Events    bool `json:"events"`
			Answers   bool `json:"answers"`
			DiffModes bool `json:"diffModes"`
		} `json:"redline"`
	}
	if json.Unmarshal(experimental, &e) != nil || !e.Redline.Events {
		return present.Client{}
	}
	return present.Client{Events: true, Answers: e.Redline.Answers, DiffModes: e.Redline.DiffModes}
}

func isTrue(b *bool) bool { return b != nil && *b }
