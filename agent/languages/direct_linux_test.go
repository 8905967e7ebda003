package languages_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"redline/workspace/language"
)

// direct is a language server that a benchmark asks without Redline: no isolated environment, no rule for
// when it is complete. It knows what the server will report, and waits for that.
type direct struct {
	b    *testing.B
	dir  string
	cmd  *exec.Cmd
	in   io.WriteCloser
	news chan struct{} // holds a value when something was received

	settings map[string]json.RawMessage

	mu       sync.Mutex
	version  int
	asked    int
	answered map[int]bool
	reports  map[string]string // the last one of each file, by its base name
	quiet    bool              // rust-analyzer has loaded the workspace
}

// startDirect starts a server on a folder, and initializes it. Its settings are the adapter's, changed by change.
func startDirect(b *testing.B, a *language.Adapter, dir string, change ...string) *direct {
	b.Helper()
	program, err := find(a.Command[0])
	if err != nil {
		b.Fatal(err)
	}
	d := &direct{b: b, dir: dir, settings: a.Settings, news: make(chan struct{}, 1), answered: map[int]bool{}, reports: map[string]string{}}
	d.cmd = exec.Command(program, a.Command[1:]...)
	d.cmd.Dir, d.cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: true} // as in a world: the system shares a busy processor among sessions
	d.in, err = d.cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	go d.receive(bufio.NewReader(out))
	initialization := "null"
	if a.Initialization != nil {
		initialization = strings.NewReplacer(change...).Replace(string(a.Initialization))
	}
	d.call("initialize", `{"processId": null, "rootUri": %q, "workspaceFolders": [{"uri": %q, "name": "ws"}], "initializationOptions": %s, "capabilities": {
		"workspace": {"configuration": true, "workspaceFolders": true, "didChangeWatchedFiles": {"dynamicRegistration": true}},
		"textDocument": {"publishDiagnostics": {"versionSupport": true}, "synchronization": {"didSave": true}}, "experimental": {"serverStatusNotification": true}}}`,
		"file://"+dir, "file://"+dir, initialization)
	d.send(`"method": "initialized", "params": {}`)
	return d
}

// send sends a message.
func (d *direct) send(format string, args ...any) {
	text := `{"jsonrpc": "2.0", ` + fmt.Sprintf(format, args...) + `}`
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.in, "Content-Length: %d\r\n\r\n%s", len(text), text) // a server that has ended is seen by who waits
}

// call sends a request and waits for its answer.
func (d *direct) call(method, params string, args ...any) {
	d.b.Helper()
	d.asked++
	id := d.asked
	d.send(`"id": %d, "method": %q, "params": `+params, append([]any{id, method}, args...)...)
	d.until(func() bool { return d.answered[id] })
}

// open opens a document.
func (d *direct) open(name, id, text string) {
	d.version++
	quoted, _ := json.Marshal(text) // a string
	d.send(`"method": "textDocument/didOpen", "params": {"textDocument": {"uri": %q, "languageId": %q, "version": %d, "text": %s}}`, d.uri(name), id, d.version, quoted)
}

// change gives a document another text.
func (d *direct) change(name, text string) {
	d.version++
	quoted, _ := json.Marshal(text) // a string
	d.send(`"method": "textDocument/didChange", "params": {"textDocument": {"uri": %q, "version": %d}, "contentChanges": [{"text": %s}]}`, d.uri(name), d.version, quoted)
}

// build makes clangd check a document again.
func (d *direct) build(name, text string) {
	d.version++
	quoted, _ := json.Marshal(text) // a string
	d.send(`"method": "textDocument/didChange", "params": {"textDocument": {"uri": %q, "version": %d}, "contentChanges": [{"text": %s}], "forceRebuild": true}`, d.uri(name), d.version, quoted)
}

// save writes a text to the disk, and says so.
func (d *direct) save(name, text string) {
	d.b.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
		d.b.Fatal(err)
	}
	d.send(`"method": "textDocument/didSave", "params": {"textDocument": {"uri": %q}}`, d.uri(name))
}

func (d *direct) uri(name string) string { return "file://" + path.Join(d.dir, name) }

// until waits until something is true. It is called with the lock held.
func (d *direct) until(is func() bool) {
	d.b.Helper()
	timeout := time.After(5 * time.Minute)
	for {
		d.mu.Lock()
		yes := is()
		d.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-d.news:
		case <-timeout:
			d.b.Fatalf("%s has reported %q", d.cmd.Path, d.reports)
		}
	}
}

// receive reads what the server sends, until it ends.
func (d *direct) receive(r *bufio.Reader) {
	for {
		headers, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(headers.Get("Content-Length"))
		if err != nil {
			return
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				URI         string
				Diagnostics []struct{ Message string }
				Items       []struct{ Section string }
				Quiescent   bool
			}
		}
		_ = json.Unmarshal(text, &m) // params of others have other types
		switch {
		case m.Method == "workspace/configuration":
			values := make([]json.RawMessage, len(m.Params.Items))
			for i, item := range m.Params.Items {
				if values[i] = d.settings[item.Section]; values[i] == nil {
					values[i] = json.RawMessage("null")
				}
			}
			all, _ := json.Marshal(values) // texts
			d.send(`"id": %s, "result": %s`, m.ID, all)
			continue
		case m.Method != "" && m.ID != nil:
			d.send(`"id": %s, "result": null`, m.ID)
			continue
		}
		d.mu.Lock()
		switch m.Method {
		case "":
			id, _ := strconv.Atoi(string(m.ID)) // ours
			d.answered[id] = true
		case "textDocument/publishDiagnostics":
			said := ""
			for _, one := range m.Params.Diagnostics {
				said += one.Message + "\n"
			}
			d.reports[path.Base(m.Params.URI)] = said
		case "experimental/serverStatus":
			d.quiet = m.Params.Quiescent
		}
		d.mu.Unlock()
		select {
		case d.news <- struct{}{}:
		default:
		}
	}
}

// close ends the server.
func (d *direct) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = d.cmd.Process.Kill() }) // it has ended, or is ended
	d.call("shutdown", "null")
	d.send(`"method": "exit"`)
	d.in.Close()
	_ = d.cmd.Wait()
}
