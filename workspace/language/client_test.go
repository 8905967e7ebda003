package language

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"redline/internal/wire"
	"redline/workspace/world"
)

// fake is a language server of a test.
type fake struct {
	*wire.Conn
	encoding string // what it answers to initialize, "" for nothing
	said     chan string
	checks   atomic.Int32
	answer   string            // to textDocument/rename
	commands map[string]string // the answers to workspace/executeCommand, by its first argument
}

// tell sends a notification, with params as JSON.
func (f *fake) tell(method, params string) {
	_ = f.Notify(context.Background(), method, json.RawMessage(params))
}

// publish reports problems of a file, and that the check has ended.
func (f *fake) publish(uri, diagnostics string) {
	f.tell("textDocument/publishDiagnostics", fmt.Sprintf(`{"uri":%q,"diagnostics":%s}`, uri, diagnostics))
}

// checked says that all is reported.
func (f *fake) checked() {
	token := f.checks.Add(1)
	f.tell("$/progress", fmt.Sprintf(`{"token":%d,"value":{"kind":"begin","title":"check"}}`, token))
	f.tell("$/progress", fmt.Sprintf(`{"token":%d,"value":{"kind":"end"}}`, token))
}

// memory is the disk of a test.
type memory map[string]Text

func (m memory) Change(_ context.Context, changes []world.Change) error {
	for _, c := range changes {
		m[c.Path] = Text{c.Gone, string(c.Text)}
	}
	return nil
}

// connect connects a client to a fake server, which calls checks for each open, changed or closed document
// with its URI and text ("" for closed).
func connect(t *testing.T, f *fake, checks func(uri, text string)) (*Client, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	r := wire.NewRouter()
	wire.HandleRequest(r, "initialize", func(context.Context, *json.RawMessage) (wire.Run, error) {
		return func(context.Context) (any, error) {
			return json.RawMessage(`{"capabilities":{` + f.encoding + `}}`), nil
		}, nil
	})
	wire.HandleRequest(r, "shutdown", func(context.Context, *json.RawMessage) (wire.Run, error) { return nil, nil })
	wire.HandleRequest(r, "workspace/executeCommand", func(_ context.Context, p *struct {
		Arguments []any `json:"arguments"`
	}) (wire.Run, error) {
		command, _ := p.Arguments[0].(string)
		return func(context.Context) (any, error) { return json.RawMessage(f.commands[command]), nil }, nil
	})
	wire.HandleRequest(r, "textDocument/rename", func(context.Context, *json.RawMessage) (wire.Run, error) {
		return func(context.Context) (any, error) { return json.RawMessage(f.answer), nil }, nil
	})
	type document struct {
		TextDocument struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	}
	f.said = make(chan string, 1000)
	for _, method := range []string{"didOpen", "didChange", "didClose"} {
		wire.HandleNotification(r, "textDocument/"+method, func(_ context.Context, d *document) error {
			text := d.TextDocument.Text
			for _, c := range d.ContentChanges {
				text = c.Text
			}
			f.said <- method + " " + strings.TrimPrefix(d.TextDocument.URI, "file:///w/") + " " + text
			f.Go("check", func(context.Context) { checks(d.TextDocument.URI, text) })
			return nil
		})
	}
	wire.HandleNotification(r, "workspace/didChangeWatchedFiles", func(_ context.Context, p *struct {
		Changes []struct {
			URI  string `json:"uri"`
			Type int    `json:"type"`
		} `json:"changes"`
	}) error {
		for _, c := range p.Changes {
			f.said <- []string{"", "created", "changed", "deleted"}[c.Type] + " " + strings.TrimPrefix(c.URI, "file:///w/")
		}
		return nil
	})
	f.Conn = wire.NewConn(t.Context(), theirs, r, wire.Options{})
	f.Start()
	t.Cleanup(func() { f.Close(); <-f.Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	disk := memory{}
	c, err := Connect(ctx, ours, Options{
		Adapter: &Adapter{Name: "fake", Languages: map[string]string{".x": "x"}, settle: func(ctx context.Context, c *Client) error {
			return c.heard.until(ctx, func() bool { return c.heard.done["check"] >= c.told.opened+c.told.changed+c.told.closed })
		}},
		Folder: "/w", Disk: disk, Read: func(path string) (Text, error) {
			if strings.HasPrefix(path, "/w/old") {
				return Text{Text: "old"}, nil
			}
			return Text{Gone: true}, nil
		},
	})
	if c != nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

// whole lets a client show one text, and returns its problems within a time.
func whole(t *testing.T, c *Client, text string, within time.Duration) ([]Problem, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	if err := c.Show(ctx, map[string]Text{"/w/a.x": {Text: text}}, nil); err != nil {
		return nil, err
	}
	return c.Problems(ctx)
}

// What a server does wrong is an error, or is left out; never a list that looks complete, and never
// more than a bounded list.
func TestServersThatLie(t *testing.T) {
	problem := func(line, character int) string {
		at := fmt.Sprintf(`{"line":%d,"character":%d}`, line, character)
		return `{"range":{"start":` + at + `,"end":` + at + `},"severity":1,"message":"bad"}`
	}
	for _, s := range []struct {
		name   string
		checks func(f *fake, uri string)
		want   string // problems as lines and columns, or the error
	}{
		{"that are right", func(f *fake, uri string) { f.publish(uri, "["+problem(1, 2)+"]"); f.checked() }, "/w/a.x 1:2"},
		{"with places outside", func(f *fake, uri string) {
			f.publish(uri, "["+problem(0, 4000)+","+problem(4_000_000, 1)+"]")
			f.checked()
		}, "/w/a.x 0:3, /w/a.x 1:5"},
		{"with other files", func(f *fake, uri string) {
			for _, u := range []string{"file:///etc/passwd", "file:///w/../etc/passwd", "file:///ww/a.x", "untitled:a", "", "file://host/w/a.x", "%"} {
				f.publish(u, "["+problem(0, 0)+"]")
			}
			f.checked()
		}, ""},
		{"that flood", func(f *fake, uri string) {
			f.publish(uri, "["+strings.Repeat(problem(0, 0)+",", maxReports)+problem(0, 0)+"]")
			f.checked()
		}, "it reports more than 20000 problems"},
		{"with problems that cannot be read", func(f *fake, uri string) {
			f.publish(uri, `[{"range":{"start":{"line":-1,"character":0}},"message":7}]`)
			f.checked()
		}, "it reports problems in a form that cannot be read"},
		{"that end", func(f *fake, _ string) { f.Close() }, errEnded.Error()},
		{"that hang", func(*fake, string) {}, context.DeadlineExceeded.Error()},
		{"that say things before they end", func(f *fake, uri string) {
			f.tell("window/showMessage", `{"type":1,"message":"the cache\nis broken"}`)
			f.Close()
		}, errEnded.Error()},
	} {
		t.Run(s.name, func(t *testing.T) {
			f := &fake{}
			c, err := connect(t, f, func(uri, _ string) { s.checks(f, uri) })
			if err != nil {
				t.Fatal(err)
			}
			within := 10 * time.Second
			if s.want == context.DeadlineExceeded.Error() {
				within = 10 * time.Millisecond
			}
			found, err := whole(t, c, "one\nthe 2", within)
			var got []string
			for _, p := range found {
				got = append(got, fmt.Sprintf("%s %d:%d", p.Path, p.Start.Line, p.Start.Column))
			}
			if text := strings.Join(got, ", "); err == nil && text != s.want || err != nil && err.Error() != s.want {
				t.Errorf("%s, %v; want %s", text, err, s.want)
			}
		})
	}
}

// What is kept of a server's reports is bounded in bytes, also of short lists and of long texts.
func TestServersThatReportMuch(t *testing.T) {
	var h heard
	h.init("/w")
	for i := range 1000 {
		h.publish(fmt.Appendf(nil, `{"uri":"file:///w/%d.x","diagnostics":[]}`, i))
	}
	if len(h.problems) != 0 {
		t.Errorf("%d files without problems are kept", len(h.problems))
	}
	long := strings.Repeat("x", 1<<20)
	for i := range 70 {
		h.publish(fmt.Appendf(nil, `{"uri":"file:///w/%d.x","diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"message":%q}]}`, i, long))
	}
	if _, err := h.reports(); err == nil || err.Error() != "it reports more than 64 MiB of problems" || len(h.problems) != 0 {
		t.Errorf("%v, and %d files are kept", err, len(h.problems))
	}
}

// What a server asks for is answered, so that it can continue, and not done.
func TestServersThatAsk(t *testing.T) {
	f := &fake{}
	c, err := connect(t, f, func(string, string) { f.checked() })
	if err != nil {
		t.Fatal(err)
	}
	c.Adapter.Settings = map[string]json.RawMessage{"fake": json.RawMessage(`{"on":true}`)}
	for _, q := range []struct{ method, params, want string }{
		{"workspace/applyEdit", `{"edit":{"changes":{"file:///w/a.x":[]}}}`, `{"applied":false,"failureReason":"Redline makes its own edits only"}`},
		{"window/showMessageRequest", `{"type":1,"message":"Delete all?","actions":[{"title":"Yes"}]}`, "null"},
		{"window/showDocument", `{"uri":"https://example.com","external":true}`, `{"success":false}`},
		{"client/registerCapability", `{"registrations":[]}`, "null"},
		{"window/workDoneProgress/create", `{"token":"a"}`, "null"},
		{"workspace/configuration", `{"items":[{"section":"fake"},{"section":"other"},{}]}`, `[{"on":true},null,null]`},
		{"workspace/configuration", `{"items":[` + strings.Repeat(`{"section":"fake"},`, maxSettings) + `{}]}`, "error"},
		{"workspace/workspaceFolders", `null`, `[{"uri":"file:///w","name":"w"}]`},
		{"fake/unknown", `{}`, "error"},
	} {
		var got json.RawMessage
		if err := f.Call(t.Context(), q.method, json.RawMessage(q.params), &got); err != nil {
			got = json.RawMessage("error")
		}
		if string(got) != q.want {
			t.Errorf("%s: %s, want %s", q.method, got, q.want)
		}
	}
	if _, err := whole(t, c, "text", 10*time.Second); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A server that ends before it has started is an error, with what it said last.
func TestServersThatDoNotStart(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() {
		buffer := make([]byte, 64<<10)
		_, _ = theirs.Read(buffer)
		body := `{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":1,"message":"no go.mod"}}`
		fmt.Fprintf(theirs, "Content-Length: %d\r\n\r\n%s", len(body), body)
		theirs.Close()
	}()
	_, err := Connect(t.Context(), ours, Options{Adapter: Gopls(), Folder: "/w"})
	if err == nil || err.Error() != "it did not start: no go.mod" {
		t.Errorf("the error is %v", err)
	}
}

// Columns are counted as the server does.
func TestEncodings(t *testing.T) {
	for encoding, character := range map[string]int{"": 4, `"positionEncoding":"utf-8"`: 7, `"positionEncoding":"utf-16"`: 4, `"positionEncoding":"utf-32"`: 3, `"positionEncoding":"runes"`: 4} {
		f := &fake{encoding: encoding}
		c, err := connect(t, f, func(uri, _ string) {
			at := fmt.Sprintf(`{"line":0,"character":%d}`, character)
			f.publish(uri, `[{"range":{"start":`+at+`,"end":`+at+`},"message":"here","source":"s","code":12}]`)
			f.checked()
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := whole(t, c, "« 🛒x\n", 10*time.Second)
		want := []Problem{{Path: "/w/a.x", Start: Place{0, 7}, End: Place{0, 7}, Severity: Error, Message: "here", Source: "s", Code: "12"}}
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("%s: %v, %v; want %v", encoding, found, err, want)
		}
	}
}

// A server sees each text as a document and as a file; what the next Show does not name is as the
// disk has it.
func TestShow(t *testing.T) {
	f := &fake{}
	c, err := connect(t, f, func(string, string) { f.checked() })
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name    string
		texts   map[string]Text
		changed []string
		said    []string
	}{
		{"a new file and an old one", map[string]Text{"/w/new.x": {Text: "n"}, "/w/old.x": {Text: "o"}, "/w/notes.txt": {Text: "t"}}, nil,
			[]string{"didOpen new.x n", "didOpen old.x old", "didChange old.x o", "created notes.txt", "created new.x", "changed old.x"}},
		{"the same", map[string]Text{"/w/new.x": {Text: "n"}, "/w/old.x": {Text: "o"}, "/w/notes.txt": {Text: "t"}}, nil, nil},
		{"one changes, one goes", map[string]Text{"/w/new.x": {Text: "n2"}, "/w/old.x": {Gone: true}}, nil,
			[]string{"didChange new.x n2", "didClose old.x ", "changed new.x", "deleted notes.txt", "deleted old.x"}},
		{"nothing, and the host has changed a file", nil, []string{"/w/old2.x"},
			[]string{"didClose new.x ", "didOpen old.x old", "didOpen old2.x old", "deleted new.x", "created old.x", "changed old2.x"}},
	} {
		if err := c.Show(t.Context(), step.texts, step.changed); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Problems(t.Context()); err != nil {
			t.Fatal(err)
		}
		var said []string
		for range step.said {
			said = append(said, <-f.said)
		}
		slices.Sort(said)
		if want := slices.Sorted(slices.Values(step.said)); !slices.Equal(said, want) || len(f.said) > 0 {
			t.Errorf("%s: it was sent %q and %d more, want %q", step.name, said, len(f.said), want)
		}
	}
	want := memory{"/w/new.x": {Gone: true}, "/w/notes.txt": {Gone: true}, "/w/old.x": {Text: "old"}, "/w/old2.x": {Text: "old"}}
	if disk := c.Disk.(memory); !maps.Equal(disk, want) {
		t.Errorf("the disk has %v, want %v", disk, want)
	}
}

// Many plans, one after the other, leave no more open than a bound.
func TestShowsLeaveLittleOpen(t *testing.T) {
	f := &fake{}
	c, err := connect(t, f, func(string, string) { f.checked() })
	if err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for range f.said {
		}
	})
	for i := range 2 * maxOpen {
		if err := c.Show(t.Context(), map[string]Text{fmt.Sprintf("/w/old%d.x", i): {Text: "o"}}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Problems(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.open) > maxOpen+2 {
		t.Errorf("%d documents are open", len(c.open))
	}
	f.Close()
	<-f.Done()
	close(f.said)
	reading.Wait()
	if err := c.Show(t.Context(), map[string]Text{"/w/a.x": {Text: "a"}}, nil); err == nil {
		if _, err = c.Problems(t.Context()); !errors.Is(err, errEnded) {
			t.Errorf("after its end: %v", err)
		}
	}
}

// Problems are compared by what they say, wherever their lines have moved.
func TestCompare(t *testing.T) {
	at := func(path string, line int, message string) Problem {
		return Problem{Path: path, Start: Place{Line: line}, End: Place{Line: line}, Severity: Error, Message: message}
	}
	for _, c := range []struct {
		name          string
		before, after []Problem
		added         []Problem
		fixed         int
	}{
		{"none", nil, nil, nil, 0},
		{"one added", nil, []Problem{at("a", 1, "m")}, []Problem{at("a", 1, "m")}, 0},
		{"one fixed", []Problem{at("a", 1, "m")}, nil, nil, 1},
		{"one moved", []Problem{at("a", 1, "m")}, []Problem{at("a", 5, "m")}, nil, 0},
		{"another file", []Problem{at("a", 1, "m")}, []Problem{at("b", 1, "m")}, []Problem{at("b", 1, "m")}, 1},
		{"one more of the same, above", []Problem{at("a", 5, "m")}, []Problem{at("a", 1, "m"), at("a", 5, "m")}, []Problem{at("a", 1, "m")}, 0},
		{"one of two fixed", []Problem{at("a", 1, "m"), at("a", 5, "m")}, []Problem{at("a", 4, "m")}, nil, 1},
		{"a warning becomes an error", []Problem{{Path: "a", Message: "m", Severity: Warning}}, []Problem{{Path: "a", Message: "m", Severity: Error}}, []Problem{{Path: "a", Message: "m", Severity: Error}}, 1},
	} {
		added, fixed := Compare(c.before, c.after)
		if !slices.Equal(added, c.added) || fixed != c.fixed {
			t.Errorf("%s: %v and %d fixed, want %v and %d", c.name, added, fixed, c.added, c.fixed)
		}
	}
}

// A server's rename is taken only as a whole, for files of the workspace, with edits that fit the text.
func TestRenamesOfServersThatLie(t *testing.T) {
	edit := func(line, from, to int, text string) string {
		return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"newText":%q}`, line, from, line, to, text)
	}
	for _, c := range []struct{ answer, want string }{
		{`{"changes":{"file:///w/old.x":[` + edit(0, 0, 3, "new") + `]}}`, "map[/w/old.x:new]"},
		{`{"documentChanges":[{"textDocument":{"uri":"file:///w/old.x","version":null},"edits":[` + edit(0, 2, 3, "D") + `,` + edit(0, 0, 1, "O") + `]}]}`, "map[/w/old.x:OlD]"},
		{`null`, "there is no symbol that it can rename"},
		{`{}`, "map[]"},
		{`{"changes":{"file:///etc/passwd":[` + edit(0, 0, 3, "new") + `]}}`, "it would edit file:///etc/passwd, which is not in the workspace"},
		{`{"changes":{"file:///w/old.x":[` + edit(7, 0, 3, "new") + `]}}`, "it would edit places that /w/old.x does not have"},
		{`{"changes":{"file:///w/old.x":[` + edit(0, 0, 2, "a") + `,` + edit(0, 1, 3, "b") + `]}}`, "its edits of /w/old.x do not fit together"},
		{`{"documentChanges":[{"kind":"delete","uri":"file:///w/old.x"}]}`, "it would create, move or delete files too"},
	} {
		f := &fake{answer: c.answer}
		client, err := connect(t, f, func(string, string) { f.checked() })
		if err != nil {
			t.Fatal(err)
		}
		texts, err := client.Rename(t.Context(), "/w/old.x", Place{0, 1}, "new")
		got := map[string]string{}
		for path, text := range texts {
			got[path] = text.Text
		}
		if said := fmt.Sprint(got); err == nil && said != c.want || err != nil && err.Error() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.answer, said, err, c.want)
		}
	}
}
