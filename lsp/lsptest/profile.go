package lsptest

import (
	"sync/atomic"
	"time"

	"redline/edits/charset"
)

// VersionCheck is what an editor does when an edit names another version of a document than it has.
type VersionCheck int

const (
	// CheckExact refuses the edit. An omitted or null version is not checked.
	CheckExact VersionCheck = iota
	// CheckFirstOlder checks only the first document of an edit, and silently skips it when the
	// version is older than the buffer's. Version 0 is not checked.
	CheckFirstOlder
	// CheckNever applies the edit to whatever text there is.
	CheckNever
)

// Profile is how an editor behaves: what it announces, and what it really does. The functions below
// return named editors; a test may change single fields.
type Profile struct {
	Name string

	// What it announces in initialize.
	Encodings          []string // general.positionEncodings; nil announces none, which means utf-16
	ApplyEdit          bool     // workspace.applyEdit
	DocumentChanges    bool     // workspace.workspaceEdit.documentChanges
	ResourceOperations []string // workspace.workspaceEdit.resourceOperations
	FailureHandling    string   // workspace.workspaceEdit.failureHandling
	Annotations        bool     // workspace.workspaceEdit.changeAnnotationSupport, and its groupsOnLabel
	ShowMessageRequest bool     // window.showMessage; MethodNotFound when false
	ShowDocument       bool     // window.showDocument; MethodNotFound when false
	WorkDoneProgress   bool     // window.workDoneProgress
	CodeLens           bool     // textDocument.codeLens
	InlayHint          bool     // textDocument.inlayHint
	PullDiagnostics    bool     // textDocument.diagnostic; pulls them if the server offers that
	OnlyPull           bool     // no textDocument.publishDiagnostics, which all others announce
	Refreshes          bool     // refreshSupport of these three; a refresh is MethodNotFound when false
	Completion         bool     // textDocument.completion
	Pages              bool     // textDocument.documentLink, documentSymbol (hierarchical) and foldingRange
	SaysWhy            bool     // textDocument.synchronization.willSave, sent before each save
	VirtualDocuments   bool     // workspace.textDocumentContent; a refresh is MethodNotFound when false

	// What it does with a WorkspaceEdit.
	Versions         VersionCheck
	FromZero         bool          // the first version of a document is 0, and the next one 3
	NeedsVersionKey  bool          // an omitted "version" is an error (null is fine)
	AlwaysApplied    bool          // always answers applied: true
	FileOperations   bool          // carries out CreateFile, RenameFile, DeleteFile; else ignores them
	CreateTruncates  bool          // CreateFile without options empties an existing file
	CreateNeedsDir   bool          // CreateFile fails when the folder is missing; else makes it
	IgnoreCreates    bool          // CreateFile with ignoreIfExists makes a buffer and no file
	RenameOverwrites bool          // RenameFile replaces an existing target; else see RenameSkips
	RenameSkips      bool          // RenameFile onto an existing target does nothing; else it fails
	Attach           bool          // a file that is not open is opened (didOpen); else edited in a hidden buffer that the server never sees
	KeepsDeleted     bool          // the buffer of a file that is deleted stays open
	LateChanges      bool          // didChange follows the answer to applyEdit instead of preceding it
	MergedChanges    bool          // didChange holds one change from the first to the last difference
	WholeTexts       bool          // didChange holds the whole text
	OneByOne         bool          // each edit is a didChange of its own
	Reviews          bool          // shows edits that need confirmation to the user, who ticks some (OnReview); else ignores that
	ApplyWindow      time.Duration // edits are accepted only this long after a command was run; 0: always

	// What else it does.
	Unanswered         []string        // methods that it never answers
	Silent             bool            // never answers any
	ForgetsDiagnostics bool            // drops the diagnostics of a document that is closed
	EndsLines          bool            // every text ends with a line end: a new file is one, and saving adds it
	ConvertsLineEnds   bool            // the line ends of an edit become those that the text has, "\n" for a new one
	Charset            charset.Charset // of a file that is not UTF-8, without a mark of UTF-16; UTF-8: its bytes are shown as they are
	KeepsMarks         bool            // the byte order mark of a file is in its text; else it is removed and restored on saving
	ExactDiagnostics   bool            // drops diagnostics whose version is not the buffer's
	ShowFails          bool            // showDocument is answered with success: false
	ShowErrs           bool            // showDocument is answered with an error
	EmptyDismissal     bool            // a dismissed showMessageRequest is answered {} instead of null
}

var allOperations = []string{"create", "rename", "delete"}

// Honest returns an editor that announces all it can do and answers truthfully, much like VS Code.
func Honest() Profile {
	return Profile{
		Name: "honest", Encodings: []string{"utf-16"},
		ApplyEdit: true, DocumentChanges: true, ResourceOperations: allOperations, FailureHandling: "textOnlyTransactional",
		ShowMessageRequest: true, ShowDocument: true, WorkDoneProgress: true,
		NeedsVersionKey: true, FileOperations: true, Attach: true, SaysWhy: true,
	}
}

// VSCodeLike returns VS Code with a plain language client: utf-16, exact versions, an answer without a
// reason, and a review of annotated edits in which nothing is ticked at first.
func VSCodeLike() Profile {
	p := Honest()
	p.Name, p.Annotations, p.Reviews, p.ConvertsLineEnds = "vscode", true, true, true
	p.VirtualDocuments, p.CodeLens, p.InlayHint, p.Refreshes = true, true, true, true
	p.Completion, p.Pages, p.PullDiagnostics = true, true, true
	return p
}

// PullLike returns an editor that pulls diagnostics and takes no published ones.
func PullLike() Profile {
	p := Honest()
	p.Name, p.PullDiagnostics, p.OnlyPull, p.Refreshes = "pull", true, true, true
	return p
}

// NeovimLike returns Neovim 0.7: it answers applied: true to everything, silently skips stale edits,
// and edits files that are not open in hidden buffers that the server never hears of. Every text ends
// with a line end.
func NeovimLike() Profile {
	return Profile{
		Name: "neovim-0.7", ApplyEdit: true, ResourceOperations: allOperations,
		ShowMessageRequest: true, WorkDoneProgress: true,
		Versions: CheckFirstOlder, FromZero: true, AlwaysApplied: true, FileOperations: true,
		CreateTruncates: true, CreateNeedsDir: true, IgnoreCreates: true, RenameSkips: true,
		LateChanges: true, MergedChanges: true, ForgetsDiagnostics: true,
		EndsLines: true, ConvertsLineEnds: true,
	}
}

// Neovim12Like returns Neovim 0.12: like 0.7, but it attaches to the buffers that it loads, needs the
// version key, and reports when an edit fails.
func Neovim12Like() Profile {
	p := NeovimLike()
	p.Name, p.Encodings = "neovim-0.12", []string{"utf-8", "utf-16", "utf-32"}
	p.ShowDocument, p.Attach, p.Completion, p.Pages = true, true, true, true
	p.CodeLens, p.InlayHint, p.Refreshes, p.PullDiagnostics, p.SaysWhy = true, true, true, true, true
	p.AlwaysApplied, p.NeedsVersionKey, p.CreateNeedsDir = false, true, false
	p.Charset = charset.Latin1
	return p
}

// HelixLike returns Helix 25.07: utf-8, exact versions and truthful answers; creating and renaming
// overwrite an existing file; no showMessageRequest.
func HelixLike() Profile {
	return Profile{
		Name: "helix", Encodings: []string{"utf-8", "utf-32", "utf-16"},
		ApplyEdit: true, DocumentChanges: true, ResourceOperations: allOperations, FailureHandling: "abort",
		ShowDocument: true, WorkDoneProgress: true,
		FileOperations: true, CreateTruncates: true, RenameOverwrites: true, Attach: true,
		KeepsDeleted: true, ExactDiagnostics: true, InlayHint: true, Completion: true,
		PullDiagnostics: true,
	}
}

// KateLike returns Kate: no file operations, edits only within two seconds of a command, and
// workspace/applyEdit is not announced; showDocument is never answered.
func KateLike() Profile {
	return Profile{
		Name: "kate", ShowMessageRequest: true, ShowDocument: true, WorkDoneProgress: true,
		Versions: CheckNever, Attach: true, ApplyWindow: 2 * time.Second,
		EmptyDismissal: true, InlayHint: true, PullDiagnostics: true,
		Unanswered: []string{"window/showDocument", "client/registerCapability", "workspace/codeLens/refresh"},
	}
}

// KakouneLike returns Kakoune with kak-lsp: it ignores versions, so that edits go into whatever is in
// their lines by then, claims that all went well, and reports each change as a whole text.
func KakouneLike() Profile {
	p := Honest()
	p.Name, p.Encodings = "kakoune", []string{"utf-8", "utf-16"}
	p.Versions, p.AlwaysApplied, p.NeedsVersionKey, p.WholeTexts = CheckNever, true, false, true
	p.FailureHandling, p.ShowDocument, p.SaysWhy = "abort", false, false
	p.CodeLens, p.InlayHint, p.Refreshes = true, true, true
	return p
}

// SilentLike returns an editor that announces what Honest does and never answers a request of the
// server.
func SilentLike() Profile {
	p := Honest()
	p.Name, p.Silent = "silent", true
	return p
}

// capabilities returns the ClientCapabilities that p announces.
func (p *Profile) capabilities(o options) map[string]any {
	type object = map[string]any
	put := func(into object, name string, has bool, value any) {
		if has {
			into[name] = value
		}
	}
	edit := object{}
	put(edit, "documentChanges", p.DocumentChanges, true)
	put(edit, "resourceOperations", p.ResourceOperations != nil, p.ResourceOperations)
	put(edit, "failureHandling", p.FailureHandling != "", p.FailureHandling)
	put(edit, "changeAnnotationSupport", p.Annotations, object{"groupsOnLabel": true})
	refreshes := object{"refreshSupport": p.Refreshes}
	workspace := object{"workspaceEdit": edit, "configuration": true, "workspaceFolders": true}
	put(workspace, "applyEdit", p.ApplyEdit, true)
	put(workspace, "textDocumentContent", p.VirtualDocuments, object{})
	put(workspace, "codeLens", p.CodeLens, refreshes)
	put(workspace, "inlayHint", p.InlayHint, refreshes)
	put(workspace, "diagnostics", p.PullDiagnostics, refreshes)
	window := object{}
	put(window, "workDoneProgress", p.WorkDoneProgress, true)
	put(window, "showMessage", p.ShowMessageRequest, object{"messageActionItem": object{}})
	put(window, "showDocument", p.ShowDocument, object{"support": true})
	synchronization := object{"didSave": true}
	put(synchronization, "willSave", p.SaysWhy, true)
	document := object{
		"synchronization": synchronization,
		"codeAction": object{
			"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"", "quickfix", "refactor", "source"}}},
			"isPreferredSupport":       true,
		},
		"hover": object{"contentFormat": []string{"markdown", "plaintext"}},
	}
	put(document, "codeLens", p.CodeLens, object{})
	put(document, "inlayHint", p.InlayHint, object{})
	put(document, "diagnostic", p.PullDiagnostics, object{})
	put(document, "publishDiagnostics", !p.OnlyPull, object{})
	put(document, "completion", p.Completion, object{"completionItem": object{}})
	put(document, "documentLink", p.Pages, object{"tooltipSupport": true})
	put(document, "documentSymbol", p.Pages, object{"hierarchicalDocumentSymbolSupport": true})
	put(document, "foldingRange", p.Pages, object{"lineFoldingOnly": true})
	c := object{"workspace": workspace, "window": window, "textDocument": document}
	put(c, "general", p.Encodings != nil, object{"positionEncodings": p.Encodings})
	put(c, "experimental", o.events, object{"redline": object{"events": true, "answers": o.answers}})
	return c
}

// scripts owns the functions by which a test decides in the user's place.
type scripts struct {
	onApply  script[func(WorkspaceEdit) (Answer, bool)]
	onAsk    script[func(Message) string]
	onReview script[func([]Proposal) []bool]
}

// script is a function that a test sets while the editor runs.
type script[F any] struct{ atomic.Pointer[F] }

// now returns the function, nil if none is set.
func (s *script[F]) now() (f F) {
	if set := s.Load(); set != nil {
		f = *set
	}
	return f
}

// OnApply makes f decide on each edit of the server: f may call Apply, wait, refuse or lie. If handled
// is false, the editor does as its profile says. f runs beside the editor's other work.
func (s *scripts) OnApply(f func(edit WorkspaceEdit) (answer Answer, handled bool)) {
	s.onApply.Store(&f)
}

// OnAsk makes f choose the action of each showMessageRequest by its title; "" dismisses it, as the
// editor does without f.
func (s *scripts) OnAsk(f func(Message) string) { s.onAsk.Store(&f) }

// OnReview makes f decide on each review: f returns which proposals are ticked, nil to dismiss all, as
// the editor does without f. f may wait; it runs beside the editor's other work.
func (s *scripts) OnReview(f func([]Proposal) []bool) { s.onReview.Store(&f) }
