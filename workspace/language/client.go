package language

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"redline/edits"
	"redline/internal/wire"
	"redline/workspace/world"
)

// maxOpen is how many documents are open in a server at a time, besides those that differ from the disk.
const maxOpen = 100

// Options are what a [Client] is connected with.
type Options struct {
	Adapter *Adapter
	Folder  string // absolute, without links: the root of what the server works on
	Disk    Disk   // the files that the server sees

	// Read returns the text of a file that no [Client.Show] has named, as the server's disk has it.
	Read func(path string) (Text, error)

	Log *zap.Logger // methods, sizes and reasons, never contents; nil logs nothing
}

// Client is a connection to a language server that has been initialized. One caller at a time may
// call its methods.
type Client struct {
	Options
	conn     *wire.Conn
	encoding edits.Encoding
	is       protocol.ServerCapabilities

	shown   map[string]Text      // what differs from the disk, by path
	open    map[string]*document // by path
	version int32                // the last one of a document
	time    int                  // counts what was shown, for the documents
	told    told                 // what was sent so far
	mark    mark                 // of an adapter that has one
	asked   string               // the file that a question is about, while it is asked
	rust    rustClient
	clang   clangClient

	projects projects // of TypeScript's

	heard heard // what the server has reported
}

// mark is a document of ours that no file is: what the server reports about its version tells how far it is.
type mark struct {
	version int32
	told    told // what was sent before it
}

// told counts the notifications that a server was sent about texts.
type told struct{ opened, changed, closed, files int }

// document is a document that is open in the server.
type document struct {
	version int32 // no two texts of documents have the same
	text    string
	first   string // with which it was opened
	used    int    // when it was shown last
	kept    bool   // it stays open
}

// Connect initializes a server that talks over a stream (LSP 3.18, "initialize"). The caller must
// close the client, which closes the stream. The error is a part of a sentence.
func Connect(ctx context.Context, stream io.ReadWriteCloser, o Options) (*Client, error) {
	c := &Client{Options: o, shown: map[string]Text{}, open: map[string]*document{}}
	c.heard.init(o.Folder)
	c.conn = wire.NewConn(context.WithoutCancel(ctx), stream, c.routes(), wire.Options{Log: o.Log, Client: true, MaxFrame: 32 << 20, MaxBacklog: 64 << 20})
	c.conn.Start()
	context.AfterFunc(c.conn.Context(), func() { c.heard.end() })
	var result protocol.InitializeResult
	if err := c.conn.Call(ctx, protocol.MethodInitialize, c.initialize(), &result); err != nil {
		c.Close()
		return nil, c.reason("it did not start", err)
	}
	c.is = result.Capabilities
	c.encoding, _ = edits.ParseEncoding(string(cmp.Or(c.is.PositionEncoding, protocol.PositionEncodingKindUTF16)))
	if err := c.conn.Notify(ctx, protocol.MethodInitialized, &protocol.InitializedParams{}); err != nil {
		c.Close()
		return nil, c.reason("it did not start", err)
	}
	return c, nil
}

// initialize returns the parameters of initialize: what this client can do.
func (c *Client) initialize() *protocol.InitializeParams {
	yes := true
	p := &protocol.InitializeParams{
		ClientInfo: protocol.ClientInfo{Name: "redline"},
		WorkspaceFoldersInitializeParams: protocol.WorkspaceFoldersInitializeParams{
			WorkspaceFolders: protocol.NewNullable(c.folders()),
		},
		InitializationOptions: protocol.LSPAny(c.Adapter.Initialization),
		Capabilities: protocol.ClientCapabilities{
			General: &protocol.GeneralClientCapabilities{PositionEncodings: []protocol.PositionEncodingKind{
				protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32,
			}},
			Workspace: &protocol.WorkspaceClientCapabilities{
				Configuration: &yes, WorkspaceFolders: &yes,
				DidChangeWatchedFiles: &protocol.DidChangeWatchedFilesClientCapabilities{DynamicRegistration: &yes},
				WorkspaceEdit:         &protocol.WorkspaceEditClientCapabilities{DocumentChanges: &yes},
			},
			TextDocument: &protocol.TextDocumentClientCapabilities{
				DocumentSymbol:     &protocol.DocumentSymbolClientCapabilities{HierarchicalDocumentSymbolSupport: &yes},
				PublishDiagnostics: &protocol.PublishDiagnosticsClientCapabilities{VersionSupport: &yes},
			},
			Window: &protocol.WindowClientCapabilities{WorkDoneProgress: &yes},
		},
	}
	if c.Adapter.announce != nil {
		c.Adapter.announce(&p.Capabilities)
	}
	return p
}

func (c *Client) folders() []protocol.WorkspaceFolder {
	return []protocol.WorkspaceFolder{{URI: uri.File(c.Folder), Name: filepath.Base(c.Folder)}}
}

// reason returns an error that says why something was not possible: what the server said last, if it
// has ended.
func (c *Client) reason(what string, err error) error {
	if said := c.heard.last(); errors.Is(err, wire.ErrClosed) && said != "" {
		return fmt.Errorf("%s: %s", what, said)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// closing is how long a server may take to answer shutdown.
const closing = 2 * time.Second

// Close ends the server: it asks for that first.
func (c *Client) Close() {
	ctx, cancel := context.WithTimeout(c.conn.Context(), closing)
	defer cancel()
	if c.conn.Call(ctx, protocol.MethodShutdown, nil, nil) == nil {
		_ = c.conn.Notify(ctx, protocol.MethodExit, nil) // it may have gone
	}
	c.conn.Close()
	<-c.conn.Done()
}

// Done returns a channel that is closed when the server can be asked nothing any more.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Show makes the server see these texts, by absolute names, and everything else as the disk has it: also files
// that an earlier Show has named and this one does not. changed are other files that have
// changed on the disk since. The error is a part of a sentence; then nobody knows what the server
// sees, and it must be closed.
func (c *Client) Show(ctx context.Context, texts map[string]Text, changed []string) error {
	want := map[string]Text{}
	for _, path := range slices.Concat(changed, slices.Collect(maps.Keys(c.shown))) {
		if _, ok := texts[path]; ok {
			continue
		}
		original, err := c.Read(path)
		if err != nil {
			return err
		}
		want[path] = original
	}
	for path, text := range texts {
		shown, ok := c.shown[path]
		if !ok && text.Gone {
			if original, err := c.Read(path); err == nil && original.Gone {
				continue // it is gone already
			}
		}
		if !ok || shown != text {
			want[path] = text
		}
	}
	err := c.show(ctx, want)
	c.shown = maps.Clone(texts)
	return err
}

// Opens returns which documents are open once [Client.Show] has shown texts, sorted, as far as that is known before.
func (c *Client) Opens(texts map[string]Text) []string {
	open := map[string]bool{}
	for path := range c.open {
		open[path] = true
	}
	for path := range c.shown {
		if _, has := texts[path]; !has && open[path] {
			original, err := c.Read(path)
			open[path] = err == nil && !original.Gone
		}
	}
	for path, text := range texts {
		open[path] = !text.Gone && c.Adapter.language(path) != "" && inFolder(path, c.Folder)
	}
	maps.DeleteFunc(open, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(open))
}

// show makes files what they are to be, and tells the server.
func (c *Client) show(ctx context.Context, want map[string]Text) error {
	if len(want) == 0 {
		return nil
	}
	if c.Adapter.ready != nil && c.time == 0 {
		if err := c.Adapter.ready(ctx, c); err != nil {
			return err
		}
	}
	c.time++
	var changes []world.Change
	var events []protocol.FileEvent
	for _, path := range slices.Sorted(maps.Keys(want)) {
		text := want[path]
		changes = append(changes, world.Change{Path: path, Gone: text.Gone, Text: []byte(text.Text)})
		events = append(events, protocol.FileEvent{URI: uri.File(path), Type: c.event(path, text)})
	}
	// Files that go come first: a folder may take the place of one.
	slices.SortStableFunc(changes, func(a, b world.Change) int {
		return cmp.Compare(order(a), order(b))
	})
	if err := c.Disk.Change(ctx, changes); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if err := c.send(ctx, path, want[path]); err != nil {
			return c.reason("it takes no texts", err)
		}
	}
	if c.Adapter.texts != nil {
		if err := c.Adapter.texts(ctx, c); err != nil {
			return err
		}
	}
	c.told.files++
	if err := c.conn.Notify(ctx, protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesParams{Changes: events}); err != nil {
		return c.reason("it takes no texts", err)
	}
	if c.Adapter.files != nil {
		if err := c.Adapter.files(ctx, c, slices.Sorted(maps.Keys(want))); err != nil {
			return err
		}
	}
	return c.tidy(ctx)
}

// event returns what happens to a file that is to have a text.
func (c *Client) event(path string, text Text) protocol.FileChangeType {
	before, shown := c.shown[path]
	if !shown {
		before, _ = c.Read(path) // it is read again where that matters
	}
	switch {
	case text.Gone:
		return protocol.FileChangeTypeDeleted
	case before.Gone:
		return protocol.FileChangeTypeCreated
	default:
		return protocol.FileChangeTypeChanged
	}
}

func order(c world.Change) int {
	if c.Gone {
		return 0
	}
	return 1
}

// send tells the server of one text, as a document; not of one in another folder, which it reads as a file if it needs
// it. A file that it may have read is opened as it was,
// and then changed, as an editor does: pyright takes the text that a document is opened with for
// the one it has read, and checks nobody who imports it (seen in 1.1.414).
func (c *Client) send(ctx context.Context, path string, text Text) error {
	language := c.Adapter.language(path)
	doc := c.open[path]
	id := protocol.TextDocumentIdentifier{URI: uri.File(path)}
	switch {
	case language == "" || !inFolder(path, c.Folder):
		return nil
	case text.Gone && doc == nil:
		return nil
	case text.Gone:
		delete(c.open, path)
		c.told.closed++
		return c.conn.Notify(ctx, protocol.MethodTextDocumentDidClose, &protocol.DidCloseTextDocumentParams{TextDocument: id})
	case doc == nil:
		before, shown := c.shown[path]
		if !shown {
			before, _ = c.Read(path) // it is read again where that matters
		}
		if before.Gone {
			before = text
		}
		if err := c.openAs(ctx, path, before); err != nil || before == text {
			return err
		}
		doc = c.open[path]
	}
	doc.used = c.time
	if doc.text == text.Text {
		return nil
	}
	c.version++
	doc.version = c.version
	c.told.changed++
	doc.text = text.Text
	return c.conn.Notify(ctx, protocol.MethodTextDocumentDidChange, &protocol.DidChangeTextDocumentParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: id, Version: doc.version},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: text.Text}},
	})
}

// openAs opens a document with a text.
func (c *Client) openAs(ctx context.Context, path string, text Text) error {
	c.version++
	c.open[path] = &document{version: c.version, text: text.Text, first: text.Text, used: c.time}
	c.told.opened++
	return c.conn.Notify(ctx, protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: uri.File(path), LanguageID: protocol.LanguageKind(c.Adapter.language(path)), Version: c.version, Text: text.Text,
	}})
}

// tidy closes the documents that were shown longest ago, but none that was shown just now.
func (c *Client) tidy(ctx context.Context) error {
	paths := slices.SortedFunc(maps.Keys(c.open), func(a, b string) int { return cmp.Compare(c.open[a].used, c.open[b].used) })
	for _, path := range paths[:max(0, len(paths)-maxOpen)] {
		if _, differs := c.shown[path]; differs || c.open[path].kept || c.open[path].used == c.time {
			continue
		}
		if err := c.send(ctx, path, Text{Gone: true}); err != nil {
			return c.reason("it takes no texts", err)
		}
	}
	return nil
}

// Problems waits until the server has reported everything about what it was shown, and returns
// that, sorted. Problems outside of the folder are left out. The error says why it is not known, as
// a part of a sentence: the server is still starting, has ended, or reports what cannot be read.
func (c *Client) Problems(ctx context.Context) ([]Problem, error) {
	if err := c.Adapter.problemsKnown(); err != nil {
		return nil, err
	}
	reports, err := c.reports(ctx)
	if err != nil {
		return nil, err
	}
	if c.Adapter.problems != nil {
		all, err := c.Adapter.problems(ctx, c)
		slices.SortFunc(all, Problem.compare)
		return all, err
	}
	var all []Problem
	for path, of := range reports {
		if len(of) == 0 || c.Adapter.openOnly && !slices.Contains(c.clang.need, path) {
			continue
		}
		lines, err := c.lines(path)
		if err != nil {
			return nil, err
		}
		for _, d := range of {
			if p := c.problem(path, lines, d); c.Adapter.problem == nil || c.Adapter.problem(&p) {
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, Problem.compare)
	return all, nil
}

// maxAgain is how often a server is waited for again that has begun to load the workspace meanwhile.
const maxAgain = 5

// reports waits for the problems of each file, and returns them.
func (c *Client) reports(ctx context.Context) (map[string][]protocol.Diagnostic, error) {
	a := c.Adapter
	for range maxAgain {
		if err := a.settle(ctx, c); err != nil {
			return nil, err
		}
		if a.check != nil {
			if err := a.check(ctx, c); err != nil {
				return nil, err
			}
		}
		reports, err := c.heard.reports()
		if err != nil || a.current == nil || a.current(c) {
			return reports, err
		}
	}
	return nil, errors.New("it loads the workspace again and again")
}

// lines returns the text that the server sees in a file.
func (c *Client) lines(path string) (*edits.Lines, error) {
	if doc := c.open[path]; doc != nil {
		return edits.NewLines(doc.text), nil
	}
	text, err := c.text(path)
	return edits.NewLines(text.Text), err
}
