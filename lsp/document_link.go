package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/view"
	"redline/edits"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/wire"
	"redline/workspace"
)

// maxLinks is the largest number of links of each sort in one document.
const maxLinks = 300

// documentLink returns links from the chat file and from previews to plans and files
// (LSP 3.18, "Document Link Request"). Other documents get none.
func (s *session) documentLink(_ context.Context, p *documentParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	if at.Buffer == nil {
		return nothing, nil
	}
	_, _, isPreview := preview.PlanOf(at.Own)
	switch {
	case isPreview:
		return func(context.Context) (any, error) {
			return wire.EncodeList(previewLinks(s.workspace, s.client.virtual, at))
		}, nil
	case at.Own == pages.ChatFile:
		return func(context.Context) (any, error) { return wire.EncodeList(chatLinks(s.workspace, at)) }, nil
	}
	return nothing, nil
}

func link(at position.Location, span edits.Span, target, tooltip string) protocol.DocumentLink {
	to := uri.URI(target)
	l := protocol.DocumentLink{Range: at.Range(at.Buffer.Lines, span), Target: &to}
	if tooltip != "" {
		l.Tooltip = &tooltip
	}
	return l
}

// previewLinks returns links from the files that a preview names to those files and, in a client
// that can show them, from their new names to the proposed texts.
func previewLinks(w *workspace.Workspace, takesVirtual bool, at position.Location) (links []protocol.DocumentLink) {
	shown, revision, ok := at.Preview()
	current := ok && revision == shown.Revision.Number
	for _, h := range preview.Headings(at.Buffer.Lines.Text()) {
		if len(links) >= maxLinks {
			break
		}
		path := h.Path
		var file *view.File
		if current {
			i := slices.IndexFunc(shown.Files, func(f *view.File) bool { return f.Change.Path == path })
			if i >= 0 {
				file = shown.Files[i]
				path = file.Path
			}
		}
		if there, folder, err := w.Stat(path); err == nil && there && !folder {
			links = append(links, link(at, h.Name, w.URI(path), ""))
		}
		if takesVirtual && file != nil && file.Change.Action != plan.Delete && h.New.Len() > 0 {
			name := pages.ProposedName(shown.Plan.Number, file.Change.Path)
			links = append(links, link(at, h.New, name.String(), "the text as it would be"))
		}
	}
	return links
}

// chatLinks returns links to the plans and files that the chat names.
func chatLinks(w *workspace.Workspace, at position.Location) (links []protocol.DocumentLink) {
	for _, l := range chat.Links(at.Buffer.Lines.Text(), maxLinks) {
		switch {
		case l.Page != "":
			if there, _, err := w.Stat(w.Own().Path(l.Page)); err == nil && there {
				links = append(links, link(at, l.Span, w.Own().URI(l.Page), ""))
			}
		case l.Plan > 0:
			if view := at.Snapshot.Plan(l.Plan); view != nil && view.Preview != "" {
				links = append(links, link(at, l.Span, pages.New(w).URI(view.Preview), ""))
			}
		default:
			if path, err := w.Clean(l.Path); err == nil {
				if there, folder, err := w.Stat(path); err == nil && there && !folder {
					links = append(links, link(at, l.Span, w.URI(path), ""))
				}
			}
		}
	}
	return links
}
