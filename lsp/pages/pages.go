// Package pages names the documents that Redline itself writes: previews, traces and the chat
// file.
package pages

import (
	"net/url"
	"strings"

	"redline/agent/conversation"
	"redline/agent/preview"
	"redline/workspace"
)

// ChatFile is the name of the chat file among Redline's own files.
const ChatFile = conversation.ChatFileName

// Pages are Redline's own documents: previews, traces and the chat file.
type Pages struct{ workspace *workspace.Workspace }

// New returns the pages of a workspace.
func New(w *workspace.Workspace) Pages { return Pages{w} }

// URI returns the URI of one of Redline's own files, given its workspace path. The file is
// outside the workspace if Redline cannot write there.
func (p Pages) URI(path string) string {
	own := p.workspace.Own()
	if name, ok := own.Is(path); ok {
		return own.URI(name)
	}
	return p.workspace.URI(path)
}

// Name returns the name of one of Redline's own files for a message: its workspace path, or its
// path on disk if it is outside the workspace.
func (p Pages) Name(path string) string {
	uri := p.URI(path)
	if in, ok := p.workspace.PathOf(uri); ok {
		return in
	}
	if name, err := url.PathUnescape(strings.TrimPrefix(uri, "file://")); err == nil {
		return name
	}
	return uri
}

// ChatName returns the [Pages.Name] of the chat file.
func (p Pages) ChatName() string { return p.Name(p.workspace.Own().Path(ChatFile)) }

// IsChat reports whether a URI names the chat file.
func (p Pages) IsChat(uri string) bool {
	name, ok := p.workspace.Own().IsDocument(uri)
	return ok && name == ChatFile
}

// Preview returns the open preview that a URI names, and its name among Redline's own files.
func (p Pages) Preview(uri string) (name string, b *workspace.Buffer, ok bool) {
	if name, ok = p.workspace.Own().IsDocument(uri); !ok {
		return "", nil, false
	}
	if _, _, ok = preview.PlanOf(name); !ok {
		return "", nil, false
	}
	b, ok = p.workspace.BufferURI(uri)
	return name, b, ok
}
