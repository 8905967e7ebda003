package lsp

import (
	"net/url"
	"strings"

	"redline/agent/preview"
	"redline/workspace"
)

// chatName is the chat file among Redline's own files.
const chatName = "chat.md"

// pages are Redline's own documents: previews, traces and the chat file.
type pages struct{ workspace *workspace.Workspace }

func newPages(w *workspace.Workspace) pages { return pages{w} }

// uri returns the URI of one of Redline's own files by its workspace path; it may
// be outside the workspace when that cannot be written.
func (p pages) uri(path string) string {
	own := p.workspace.Own()
	if name, ok := own.Is(path); ok {
		return own.URI(name)
	}
	return p.workspace.URI(path)
}

// name is what to call one of Redline's own files in a message: its
// workspace path, or where it is on disk when that is elsewhere.
func (p pages) name(path string) string {
	uri := p.uri(path)
	if in, ok := p.workspace.PathOf(uri); ok {
		return in
	}
	if name, err := url.PathUnescape(strings.TrimPrefix(uri, "file://")); err == nil {
		return name
	}
	return uri
}

// chat is what to call the chat file in a message.
func (p pages) chat() string { return p.name(p.workspace.Own().Path(chatName)) }

// isChat reports whether a URI is that of the chat file.
func (p pages) isChat(uri string) bool {
	name, ok := p.workspace.Own().IsDocument(uri)
	return ok && name == chatName
}

// preview returns the open preview that a URI names, and its name among Redline's own
// files.
func (p pages) preview(uri string) (name string, b *workspace.Buffer, ok bool) {
	if name, ok = p.workspace.Own().IsDocument(uri); !ok {
		return "", nil, false
	}
	if _, _, ok = preview.PlanOf(name); !ok {
		return "", nil, false
	}
	b, ok = p.workspace.BufferURI(uri)
	return name, b, ok
}
