package protocol

// CodeAction is an entry of the editor's menu of actions.
type CodeAction struct {
	Title       string          `json:"title"`
	Kind        *CodeActionKind `json:"kind,omitzero"`
	Diagnostics []Diagnostic    `json:"diagnostics,omitzero"`
	IsPreferred *bool           `json:"isPreferred,omitzero"`
	Edit        *WorkspaceEdit  `json:"edit,omitzero"`
	Command     Command         `json:"command,omitzero"`
}

// CodeActionKind is the kind of an action: words with dots between them, the widest first.
type CodeActionKind string

// CodeActionKindQuickFix is the kind of actions that solve a problem.
const CodeActionKindQuickFix CodeActionKind = "quickfix"

// Command is a call of workspace/executeCommand.
type Command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []LSPAny `json:"arguments,omitzero"`
}

// IsZero reports whether there is no command, for omitzero.
func (c Command) IsZero() bool { return c.Title == "" && c.Command == "" && c.Arguments == nil }

// CompletionList is the answer to textDocument/completion.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// CompletionItem is something that the user can insert.
type CompletionItem struct {
	Label         string             `json:"label"`
	Kind          CompletionItemKind `json:"kind,omitzero"`
	Detail        Optional[string]   `json:"detail,omitzero"`
	Documentation Text               `json:"documentation,omitzero"`
	SortText      Optional[string]   `json:"sortText,omitzero"`
	FilterText    Optional[string]   `json:"filterText,omitzero"`
	TextEdit      *TextEdit          `json:"textEdit,omitzero"`
}

// CompletionItemKind is the kind of an item, which editors show as an icon.
type CompletionItemKind uint32

// The kinds of items.
const (
	CompletionItemKindFunction  CompletionItemKind = 3
	CompletionItemKindKeyword   CompletionItemKind = 14
	CompletionItemKindSnippet   CompletionItemKind = 15
	CompletionItemKindFile      CompletionItemKind = 17
	CompletionItemKindReference CompletionItemKind = 18
)
