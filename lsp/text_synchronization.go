package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/preview"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/summary"
	"redline/lsp/textsync"
	"redline/workspace"
)

// didChange applies an edit to a buffer (LSP 3.18, "DidChangeTextDocument Notification"). If the
// edit cannot be understood it warns the user that Redline no longer follows the document.
func (s *session) didChange(_ context.Context, p *wire.DidChangeParams) error {
	uri := p.TextDocument.URI
	if path, _ := s.workspace.PathOf(uri); path == "" || !s.editor.Changes(path) {
		s.window.Typed()
	}
	whole, err := s.documents.Change(p)
	if lost, ok := errors.AsType[*textsync.LostError](err); ok {
		if lost.Again {
			return nil
		}
		s.diagnostics.Unnote(uri)
		s.window.Warn("an edit of " + textsync.ShortName(uri) + " could not be read, so Redline cannot follow this file: close it and open it again.")
		return err
	}
	if whole {
		s.diagnostics.Resend(uri)
	}
	s.changed()
	return err
}

// didOpenParams are DidOpenTextDocumentParams with the URI as the client
// spells it.
type didOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

// didOpen opens a buffer with a document's text (LSP 3.18, "DidOpenTextDocument Notification").
// If the document is already open, as with some clients, it replaces the text.
func (s *session) didOpen(_ context.Context, p *didOpenParams) error {
	d := p.TextDocument
	if len(s.workspace.Folders()) == 0 && strings.HasPrefix(d.URI, "file:") {
		s.adoptFolderOf(d.URI)
	}
	s.documents.Open(d.URI, d.LanguageID, d.Version, d.Text)
	if b, ok := s.workspace.BufferURI(d.URI); ok {
		s.editor.Opened(b)
	}
	s.diagnostics.Resend(d.URI) // some clients drop those of a document that they close
	s.changed()
	if name, b, ok := s.pages.Preview(d.URI); ok {
		s.checkPreview(name, b)
	}
	return nil
}

// adoptFolderOf makes the folder of a file the workspace, for a client that opened no folder.
func (s *session) adoptFolderOf(uri string) {
	if slash := strings.LastIndexByte(uri, '/'); slash > len("file://") {
		s.workspace.AddFolder(workspace.Folder{URI: uri[:slash]})
		s.recoverSoon()
	}
}

// didClose closes a buffer: from now on the document's text is that of the file on disk (LSP
// 3.18, "DidCloseTextDocument Notification"). A preview that is a draft becomes a revision: the user
// has finished with it.
func (s *session) didClose(_ context.Context, p *documentParams) error {
	if name, b, ok := s.pages.Preview(p.TextDocument.URI); s.saves.closed(p.TextDocument.URI) && ok {
		s.readPreview(name, b)
	}
	s.documents.Close(p.TextDocument.URI)
	s.diagnostics.Unnote(p.TextDocument.URI)
	s.changed()
	return nil
}

type didSaveParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Text         *string               `json:"text"`
}

// didSave records that the disk has the document's text (LSP 3.18, "DidSaveTextDocument
// Notification"). If the chat file ends with the line /send, didSave sends its last request, for
// editors where a code action is hard to reach; otherwise it appends missing answers. A preview
// that the user has edited becomes a revision, or a draft of one: see [drafts].
func (s *session) didSave(_ context.Context, p *didSaveParams) error {
	uri := p.TextDocument.URI
	s.workspace.Saved(uri, p.Text)
	cause := s.saves.did(uri)
	if name, b, ok := s.pages.Preview(uri); ok {
		if cause != byUser {
			s.leavePreview(name, b, cause)
		} else {
			s.readPreview(name, b)
		}
		return nil
	}
	if !s.pages.IsChat(uri) {
		return nil
	}
	buffer, ok := s.workspace.BufferURI(uri)
	if !ok || !chat.Sent(buffer.Lines.Text()) {
		s.conn.Go("chat", func(ctx context.Context) {
			if a, err := s.backend.Ready(ctx); err == nil {
				_ = a.Chat.Saved() // the next save tries again
			}
		})
		return nil
	}
	s.window.Acted()
	message := conversation.Message{Text: "/send", Path: s.workspace.Own().Path(pages.ChatFile), Shown: s.shown.Now()}
	send := s.afterDrafts(0, func() (wire.Run, error) { return s.commands.Send(message), nil })
	s.conn.Go("send", func(ctx context.Context) {
		if _, err := send(ctx); err != nil {
			s.window.Error(phrase.OneSentence(err.Error()))
		}
	})
	return nil
}

// codePreview is the code of diagnostics on lines of a preview that cannot be read.
const codePreview = "preview"

// readPreview makes a revision from a preview that the user has edited and saved. The read loop
// calls it; the work runs off the loop, in order with the messages to the agent.
func (s *session) readPreview(name string, b *workspace.Buffer) {
	read := s.reading(name, b)
	s.conn.Go("preview", func(ctx context.Context) { s.finish(ctx, read) })
}

// reading returns the work of [session.readPreview], which must be run. What is not saved is not read.
func (s *session) reading(name string, b *workspace.Buffer) wire.Run {
	return s.backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		text := b.Lines.Text()
		if b.Dirty {
			saved, err := s.workspace.Own().Read(name)
			if err != nil {
				return nil, err
			}
			text = string(saved)
		}
		read, err := a.EditPreview(ctx, name, text)
		if err != nil {
			return nil, err
		}
		s.drafts.remove(b.URI)
		s.markProblems(b, read.Problems, func(*workspace.Buffer) bool { return true })
		if view := s.backend.Plan(read.Plan); read.Revision != 0 && view != nil {
			s.showRevision(view)
		}
		return nil, nil
	})
}

// finish runs the work of reading a preview, and shows its error.
func (s *session) finish(ctx context.Context, read wire.Run) {
	if _, err := read(ctx); err != nil {
		s.window.Error(phrase.OneSentence("The preview could not be read: " + err.Error()))
	}
}

// showRevision shows a revision that was made from a preview.
func (s *session) showRevision(p *view.Plan) {
	s.shown.NoteView(p)
	s.window.Info(summary.PlanReady(s.workspace, p, s.pages, false))
	uri := s.pages.URI(p.Preview)
	s.conn.Go("preview", func(ctx context.Context) { s.window.ShowDocument(ctx, uri, nil, false) })
}

// checkPreview marks the lines of an opened preview that cannot be read.
func (s *session) checkPreview(name string, b *workspace.Buffer) {
	s.conn.Go("preview", func(ctx context.Context) {
		a, err := s.backend.Ready(ctx)
		if err != nil {
			return
		}
		if problems, _, err := a.CheckPreview(ctx, name, b.Lines.Text()); err == nil {
			s.markProblems(b, problems, func(now *workspace.Buffer) bool { return now.Version == b.Version })
		}
	})
}

// markProblems replaces the diagnostics on the lines of a preview. It does nothing if the
// preview was closed meanwhile, or if counts returns false for its current text.
func (s *session) markProblems(b *workspace.Buffer, problems []preview.Problem, counts func(now *workspace.Buffer) bool) {
	var list []protocol.Diagnostic
	for _, p := range problems {
		var at edits.Span
		if p.Line < b.Lines.Count() {
			at = b.Lines.Content(p.Line)
		}
		severity := protocol.DiagnosticSeverityError
		if p.Note {
			severity = protocol.DiagnosticSeverityInformation
		}
		list = append(list, protocol.Diagnostic{
			Range:    s.Mapper.Range(b.Lines, at),
			Severity: severity,
			Code:     protocol.String(codePreview),
			Source:   protocol.NewOptional(diagnostics.Source),
			Message:  protocol.String(edits.ExpandTabs(edits.Visible(p.Reason), 0)),
		})
	}
	s.diagnostics.Note(b.URI, list, func() bool {
		now, open := s.workspace.BufferURI(b.URI)
		return open && counts(now)
	})
}

// didChangeConfiguration takes settings from the editor (LSP 3.18, "DidChangeConfiguration
// Notification"). Only a few of them count, since they may come from the repository; those take
// effect at once. If the notification has none, it asks the client for them.
func (s *session) didChangeConfiguration(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	switch mine, ok := section(p.Settings); {
	case ok:
		s.settings.take(mine)
	case s.client.configuration && (len(p.Settings) == 0 || string(p.Settings) == "null"):
		s.conn.Go("configuration", s.settings.request)
	}
	return nil
}

// didChangeWatchedFiles lets the agent read the changed files now (LSP 3.18,
// "DidChangeWatchedFiles Notification"). The server registers no watchers and polls; several
// clients send these notifications anyway.
func (s *session) didChangeWatchedFiles(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Changes []position.TextDocument `json:"changes"`
	}
	if s.backend.Agent() == nil || json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	var paths []string
	for _, c := range p.Changes {
		if path, ok := s.workspace.PathOf(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.backend.Agent().OnDisk(paths)
	return nil
}

type didChangeWorkspaceFoldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

// didChangeWorkspaceFolders adds and removes folders of the workspace (LSP 3.18,
// "DidChangeWorkspaceFolders Notification").
func (s *session) didChangeWorkspaceFolders(_ context.Context, p *didChangeWorkspaceFoldersParams) error {
	s.workspace.ChangeFolders(foldersIn(p.Event.Added), foldersIn(p.Event.Removed))
	if len(s.workspace.Folders()) == workspace.MaxFolders {
		s.window.Warn(fmt.Sprintf("only the first %d of your workspace folders count: close some that you do not need.", workspace.MaxFolders))
	}
	s.recoverSoon()
	s.changed()
	return nil
}

func foldersIn(list []workspaceFolder) []workspace.Folder {
	var folders []workspace.Folder
	for _, f := range list {
		folders = append(folders, f.folder())
	}
	return folders
}
