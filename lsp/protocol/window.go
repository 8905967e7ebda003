package protocol

import "go.lsp.dev/uri"

// MessageType says how important a message is.
type MessageType uint32

// The types of messages.
const (
	MessageTypeError   MessageType = 1
	MessageTypeWarning MessageType = 2
	MessageTypeInfo    MessageType = 3
	MessageTypeLog     MessageType = 4
)

// LogMessageParams is a line of the server's log.
type LogMessageParams struct {
	Type    MessageType `json:"type"`
	Message string      `json:"message"`
}

// ShowMessageParams is a message to the user.
type ShowMessageParams struct {
	Type    MessageType `json:"type"`
	Message string      `json:"message"`
}

// ShowMessageRequestParams is a question to the user.
type ShowMessageRequestParams struct {
	Type    MessageType         `json:"type"`
	Message string              `json:"message"`
	Actions []MessageActionItem `json:"actions,omitzero"`
}

// MessageActionItem is an answer that the user can choose.
type MessageActionItem struct {
	Title string `json:"title"`
}

// ShowDocumentParams asks the client to show a document.
type ShowDocumentParams struct {
	URI       uri.URI `json:"uri"`
	TakeFocus *bool   `json:"takeFocus,omitzero"`
	Selection *Range  `json:"selection,omitzero"`
}

// ShowDocumentResult says whether the client showed it.
type ShowDocumentResult struct {
	Success bool `json:"success"`
}

// WorkDoneProgressCreateParams asks the client for a place that shows progress.
type WorkDoneProgressCreateParams struct {
	Token ProgressToken `json:"token"`
}

// ProgressParams is a step of progress.
type ProgressParams struct {
	Token ProgressToken `json:"token"`
	Value LSPAny        `json:"value"`
}

// WorkDoneProgressBegin starts a progress.
type WorkDoneProgressBegin struct {
	Kind        string  `json:"kind"` // begin
	Title       string  `json:"title"`
	Cancellable *bool   `json:"cancellable,omitzero"`
	Message     *string `json:"message,omitzero"`
}

// WorkDoneProgressReport says how far it is.
type WorkDoneProgressReport struct {
	Kind    string  `json:"kind"` // report
	Message *string `json:"message,omitzero"`
}

// WorkDoneProgressEnd ends it.
type WorkDoneProgressEnd struct {
	Kind    string  `json:"kind"` // end
	Message *string `json:"message,omitzero"`
}
