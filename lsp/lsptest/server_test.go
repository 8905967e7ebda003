package lsptest

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/internal/wire"
)

// server is a small language server that keeps a mirror of the documents and answers as the test says.
type server struct {
	t    testing.TB
	conn *wire.Conn
	enc  edits.Encoding
	full bool

	mu     sync.Mutex
	mirror map[string]*edits.Lines // by path, of documents that are open
	trace  []string                // methods with the base names of their documents
}

// session starts a server and an editor on a folder with these files.
func session(t testing.TB, p Profile, enc edits.Encoding, files map[string]string, opts ...Option) (*Editor, *server) {
	t.Helper()
	s := &server{t: t, enc: enc, mirror: map[string]*edits.Lines{}}
	return s.start(t, p, files, opts...), s
}

func (s *server) start(t testing.TB, p Profile, files map[string]string, opts ...Option) *Editor {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		write(t, filepath.Join(dir, path), text)
	}
	e, err := Start(t.Context(), s.listen(), p, dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Kill()
		<-s.conn.Done()
	})
	return e
}

// listen starts the server; it returns the editor's end of the connection.
func (s *server) listen() io.ReadWriteCloser {
	near, far := Pipe()
	r := wire.NewRouter()
	wire.HandleRequest(r, "initialize", func(context.Context, *json.RawMessage) (wire.Run, error) {
		change := 2
		if s.full {
			change = 1
		}
		return answer(map[string]any{"capabilities": map[string]any{"positionEncoding": s.enc.String(), "textDocumentSync": map[string]any{"openClose": true, "change": change}}})
	})
	wire.HandleRequest(r, "shutdown", func(context.Context, *wire.NoParams) (wire.Run, error) { return nil, nil })
	wire.HandleNotification(r, "exit", func(context.Context, *wire.NoParams) error { s.conn.Close(); return nil })
	wire.HandleNotification(r, "textDocument/didOpen", s.didOpen)
	wire.HandleNotification(r, "textDocument/didChange", s.didChange)
	wire.HandleNotification(r, "textDocument/didSave", func(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
		s.note("save", string(p.TextDocument.URI))
		return nil
	})
	wire.HandleNotification(r, "textDocument/didClose", func(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
		s.note("close", string(p.TextDocument.URI))
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.mirror, pathOf(string(p.TextDocument.URI)))
		return nil
	})
	wire.HandleRequest(r, "textDocument/codeAction", func(_ context.Context, p *json.RawMessage) (wire.Run, error) {
		return answer([]any{
			map[string]any{"title": "Redline: approve", "kind": "quickfix", "isPreferred": true, "command": map[string]any{"title": "x", "command": "echo", "arguments": []any{map[string]any{"plan": 7}}}},
			map[string]any{"title": "Bare command", "command": "fail", "arguments": []any{}},
			map[string]any{"title": "Context", "kind": string(*p)},
		})
	})
	wire.HandleRequest(r, "textDocument/hover", func(context.Context, *protocol.HoverParams) (wire.Run, error) {
		return answer(map[string]any{"contents": map[string]any{"kind": "markdown", "value": "```diff\n-a\n+b\n```"}})
	})
	wire.HandleRequest(r, "workspace/executeCommand", func(_ context.Context, p *json.RawMessage) (wire.Run, error) {
		var params struct {
			Command   string
			Arguments json.RawMessage
		}
		if err := json.Unmarshal(*p, &params); err != nil {
			return nil, err
		}
		if params.Command == "fail" {
			return nil, wire.Error(wire.RequestFailed, "Plan 7 has changed.", map[string]string{"kind": "hash_mismatch"})
		}
		return answer(params.Arguments)
	})
	s.conn = wire.NewConn(context.Background(), near, r, wire.Options{})
	s.conn.Start()
	return far
}

func answer(result any) (wire.Run, error) {
	raw, err := json.Marshal(result)
	return func(context.Context) (any, error) { return json.RawMessage(raw), nil }, err
}

func (s *server) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	s.note("open", string(p.TextDocument.URI))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mirror[pathOf(string(p.TextDocument.URI))] = edits.NewLines(p.TextDocument.Text)
	return nil
}

func (s *server) didChange(_ context.Context, p *wire.DidChangeParams) error {
	s.note("change", p.TextDocument.URI)
	changes, err := wire.DecodeContentChanges(p.ContentChanges)
	if err != nil {
		s.t.Error(err)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path := pathOf(p.TextDocument.URI)
	for _, c := range changes {
		if !c.HasRange {
			s.mirror[path] = edits.NewLines(c.Text)
			continue
		}
		span, err := s.mirror[path].Span(edits.Range{
			Start: edits.Position{Line: int(c.Range.Start.Line), Character: int(c.Range.Start.Character)},
			End:   edits.Position{Line: int(c.Range.End.Line), Character: int(c.Range.End.Character)},
		}, s.enc)
		if err != nil {
			s.t.Error(err)
			return err
		}
		s.mirror[path] = s.mirror[path].Replace(edits.Edit{Span: span, New: c.Text})
	}
	return nil
}

func (s *server) note(what, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trace = append(s.trace, what+" "+filepath.Base(pathOf(uri)))
}

// sees returns the server's text of a document, once it has handled everything sent before.
func (s *server) sees(e *Editor, path string) (text string, open bool) {
	s.sync(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	lines, open := s.mirror[e.onDisk(path)]
	if !open {
		return "", false
	}
	return lines.Text(), true
}

// sync returns when the server has handled everything that the editor sent before.
func (s *server) sync(e *Editor) {
	s.t.Helper()
	if _, err := e.Call(s.t.Context(), "workspace/executeCommand", map[string]any{"command": "echo"}); err != nil {
		s.t.Fatal(err)
	}
}

// apply sends a WorkspaceEdit and returns the editor's answer, raw.
func (s *server) apply(ctx context.Context, edit any) (string, error) {
	var result json.RawMessage
	err := s.conn.Call(ctx, "workspace/applyEdit", map[string]any{"edit": edit}, &result)
	return string(result), err
}

// wants fails the test unless the editor gives this answer to the edit.
func (s *server) wants(edit any, answer string) {
	s.t.Helper()
	got, err := s.apply(s.t.Context(), edit)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != answer {
		s.t.Errorf("the editor answered %s, want %s", got, answer)
	}
}

func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	return u.Path
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// documentChanges makes a WorkspaceEdit of these entries.
func documentChanges(entries ...any) any { return map[string]any{"documentChanges": entries} }

// edit is a TextDocumentEdit; version is a number, nil for null, or "omitted".
func edit(e *Editor, path string, version any, es ...any) any {
	doc := map[string]any{"uri": e.URI(path), "version": version}
	if version == "omitted" {
		delete(doc, "version")
	}
	return map[string]any{"textDocument": doc, "edits": es}
}

// replace is a TextEdit within one line.
func replace(line, from, to int, text string) any {
	return map[string]any{"range": Range{Position{line, from}, Position{line, to}}, "newText": text}
}

func operation(kind string, members map[string]any) any {
	members["kind"] = kind
	return members
}

func event(kind string) map[string]any { return map[string]any{"kind": kind} }
