package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/lsp/apply"
	"redline/lsp/codeaction"
	"redline/lsp/diagnostics"
	"redline/lsp/present"
	"redline/lsp/window"
)

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
	if c.name == "" {
		c.name = "lsp"
	}
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
