package protocol

import "go.lsp.dev/uri"

// ApplyWorkspaceEditParams asks the client to change files.
type ApplyWorkspaceEditParams struct {
	Label *string       `json:"label,omitzero"`
	Edit  WorkspaceEdit `json:"edit"`
}

// WorkspaceEdit is changes to files. Clients that support it get DocumentChanges, others Changes.
type WorkspaceEdit struct {
	Changes           map[uri.URI][]TextEdit                          `json:"changes,omitzero"`
	DocumentChanges   []DocumentChange                                `json:"documentChanges,omitzero"`
	ChangeAnnotations map[ChangeAnnotationIdentifier]ChangeAnnotation `json:"changeAnnotations,omitzero"`
}

// DocumentChange is a [*TextDocumentEdit], [*CreateFile], [*RenameFile] or [*DeleteFile].
type DocumentChange interface{ isDocumentChange() }

func (*TextDocumentEdit) isDocumentChange() {}
func (*CreateFile) isDocumentChange()       {}
func (*RenameFile) isDocumentChange()       {}
func (*DeleteFile) isDocumentChange()       {}

// TextDocumentEdit is edits of one version of a document.
type TextDocumentEdit struct {
	TextDocument OptionalVersionedTextDocumentIdentifier `json:"textDocument"`
	Edits        []TextDocumentEditElement               `json:"edits"`
}

// OptionalVersionedTextDocumentIdentifier names a version of a document: null is the file on the
// disk.
type OptionalVersionedTextDocumentIdentifier struct {
	TextDocumentIdentifier
	Version *int32 `json:"version"`
}

// TextDocumentEditElement is a [*TextEdit] or an [*AnnotatedTextEdit].
type TextDocumentEditElement interface{ isTextDocumentEditElement() }

func (*TextEdit) isTextDocumentEditElement()          {}
func (*AnnotatedTextEdit) isTextDocumentEditElement() {}

// TextEdit replaces a range by a text.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// AnnotatedTextEdit is an edit that belongs to an annotation.
type AnnotatedTextEdit struct {
	TextEdit
	AnnotationID ChangeAnnotationIdentifier `json:"annotationId"`
}

// ChangeAnnotationIdentifier names an annotation in a [WorkspaceEdit].
type ChangeAnnotationIdentifier string

// ChangeAnnotation says what the user sees about edits before they are made.
type ChangeAnnotation struct {
	Label             string  `json:"label"`
	NeedsConfirmation *bool   `json:"needsConfirmation,omitzero"`
	Description       *string `json:"description,omitzero"`
}

// CreateFile creates a file.
type CreateFile struct {
	Kind         string                     `json:"kind"` // create
	AnnotationID ChangeAnnotationIdentifier `json:"annotationId,omitzero"`
	URI          uri.URI                    `json:"uri"`
	Options      *CreateFileOptions         `json:"options,omitzero"`
}

// CreateFileOptions says what happens if the file exists.
type CreateFileOptions struct {
	IgnoreIfExists *bool `json:"ignoreIfExists,omitzero"`
}

// RenameFile renames a file.
type RenameFile struct {
	Kind         string                     `json:"kind"` // rename
	AnnotationID ChangeAnnotationIdentifier `json:"annotationId,omitzero"`
	OldURI       uri.URI                    `json:"oldUri"`
	NewURI       uri.URI                    `json:"newUri"`
}

// DeleteFile deletes a file.
type DeleteFile struct {
	Kind         string                     `json:"kind"` // delete
	AnnotationID ChangeAnnotationIdentifier `json:"annotationId,omitzero"`
	URI          uri.URI                    `json:"uri"`
}
