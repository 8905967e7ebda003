package protocol

import "go.lsp.dev/uri"

// Position is a place in a text: a line and a character, both from 0. What a character is depends
// on the encoding that was agreed on in initialize.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a part of a text. End is after its last character.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// PositionEncodingKind says what a character of a position is.
type PositionEncodingKind string

// TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI uri.URI `json:"uri"`
}

// Hover is the answer to textDocument/hover.
type Hover struct {
	Contents Text   `json:"contents"`
	Range    *Range `json:"range,omitzero"`
}

// DocumentSymbol is an item of the outline of a document.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Detail         *string          `json:"detail,omitzero"`
	Kind           SymbolKind       `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitzero"`
}

// SymbolKind is the kind of a symbol.
type SymbolKind uint32

// SymbolKindString is the kind of a string.
const SymbolKindString SymbolKind = 15

// FoldingRange is lines that can be folded.
type FoldingRange struct {
	StartLine uint32 `json:"startLine"`
	EndLine   uint32 `json:"endLine"`
}

// DocumentLink is a part of a document that opens another.
type DocumentLink struct {
	Range   Range    `json:"range"`
	Target  *uri.URI `json:"target,omitzero"`
	Tooltip *string  `json:"tooltip,omitzero"`
}

// InlayHint is a text that the editor shows between the characters of a document.
type InlayHint struct {
	Position    Position `json:"position"`
	Label       String   `json:"label"`
	Tooltip     Text     `json:"tooltip,omitzero"`
	PaddingLeft *bool    `json:"paddingLeft,omitzero"`
}

// PublishDiagnosticsParams are the diagnostics of a document.
type PublishDiagnosticsParams struct {
	URI         uri.URI      `json:"uri"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is a problem or a note at a place. What Redline only sends back is kept as it came.
type Diagnostic struct {
	Range              Range              `json:"range"`
	Severity           DiagnosticSeverity `json:"severity,omitzero"`
	Code               ProgressToken      `json:"code,omitzero"`
	CodeDescription    LSPAny             `json:"codeDescription,omitzero"`
	Source             Optional[string]   `json:"source,omitzero"`
	Message            Text               `json:"message"`
	Tags               LSPAny             `json:"tags,omitzero"`
	RelatedInformation LSPAny             `json:"relatedInformation,omitzero"`
	Data               LSPAny             `json:"data,omitzero"`
}

// DiagnosticSeverity says how bad a problem is.
type DiagnosticSeverity uint32

// The severities.
const (
	DiagnosticSeverityError       DiagnosticSeverity = 1
	DiagnosticSeverityWarning     DiagnosticSeverity = 2
	DiagnosticSeverityInformation DiagnosticSeverity = 3
)
