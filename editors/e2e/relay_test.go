package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// relayDir is the environment variable with the folder of a relay's files.
const relayDir = "REDLINE_E2E_RELAY"

// late puts a relay into every test, which delays each message by up to this time and keeps their
// order: it finds what depends on their timing.
var late = flag.Duration("late", 0, "keep each message between an editor and the server back by up to this")

// What a relay does with the first workspace/applyEdit for a file.
const (
	hold = "hold" // delays it until release
	lie  = "lie"  // the editor never sees it, and applied is true
	half = "half" // the editor sees the first of its edits only
	deny = "deny" // the editor makes it, and applied is false
	kill = "kill" // kills the server; the editor never sees the edit
	lose = "lose" // the editor makes the edit; the server is killed before it gets the answer
)

// The number of messages shown when a test fails, and of bytes of each.
const (
	messagesShown = 40
	bytesShown    = 300
)

// relay stands between an editor and the server, in the server's place: it logs their messages, and
// can delay or falsify the editor's answers. Its files are log, rule ("hold b.go") and go.
type relay struct {
	dir  string
	late time.Duration

	editor sync.Mutex // held while a message is written to the editor
	server sync.Mutex // and to the server

	mu     sync.Mutex
	log    *os.File
	used   bool
	denied string // id of the request whose answer is inverted
	lost   string // id of the request at whose answer the server is killed

	process *os.Process // the server's
}

// relayed makes the editor of the world reach the server through a relay.
func (w *world) relayed() *relay {
	w.t.Helper()
	if w.relay != nil {
		return w.relay
	}
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	r := &relay{dir: filepath.Join(w.home, "relay")}
	w.write(filepath.Join(r.dir, "log"), "")
	script := filepath.Join(r.dir, "bin", "redline")
	w.write(script, fmt.Sprintf("#!/bin/sh\n[ \"$1\" = serve ] || exec '%[4]s' \"$@\"\n%[1]s='%[2]s' %[3]s='%[4]s' %[5]s=%[6]s exec '%[7]s' \"$@\"\n",
		relayDir, r.dir, relayServer, filepath.Join(bin, "redline"), relayLate, w.late, self))
	if err := os.Chmod(script, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.relay = r
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the last that was said:\n%s", r.lastSaid())
		}
	})
	w.env[0] = "PATH=" + filepath.Dir(script) + string(os.PathListSeparator) + strings.TrimPrefix(w.env[0], "PATH=")
	return r
}

// rule sets what the relay does with the next edit of a file.
func (r *relay) rule(t *testing.T, what, file string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "rule"), []byte(what+" "+file), 0o644); err != nil {
		t.Fatal(err)
	}
}

// release lets the delayed edit pass.
func (r *relay) release(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// kill ends the server at once (SIGKILL).
func (r *relay) kill(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// said returns the messages from byte n of the log on.
func (r *relay) said(n int) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	return string(text[min(n, len(text)):])
}

// lastSaid returns the last messages for a failure report, without the middle of long ones.
func (r *relay) lastSaid() string {
	lines := slices.Collect(strings.Lines(r.said(0)))
	var short strings.Builder
	for _, line := range lines[max(0, len(lines)-messagesShown):] {
		if len(line) > bytesShown {
			line = line[:bytesShown/2] + " … " + line[len(line)-bytesShown/2:]
		}
		short.WriteString(line)
	}
	return short.String()
}

// awaitSaid waits until a message from byte n of the log on meets the condition, and returns that
// message.
func (r *relay) awaitSaid(t *testing.T, what string, n int, condition func(message string) bool) string {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		said := r.said(n)
		for line := range strings.Lines(said) {
			if strings.HasSuffix(line, "\n") && condition(line) {
				return line
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// runRelay is the relay's process. It ends with the server or the editor.
func runRelay(dir string) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	late, err := time.ParseDuration(os.Getenv(relayLate))
	if err != nil {
		return err
	}
	r := &relay{dir: dir, log: log, late: late}
	server := exec.Command(os.Getenv(relayServer), os.Args[1:]...)
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	r.process = server.Process
	if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(server.Process.Pid)), 0o644); err != nil {
		return err
	}
	go func() {
		_ = r.pass(os.Stdin, &r.server, in, r.fromEditor) // the editor has gone: so will the server
		in.Close()
	}()
	if err := r.pass(out, &r.editor, os.Stdout, func(body []byte) []byte { return r.fromServer(body, in) }); err != nil && err != io.EOF {
		return err
	}
	return server.Wait()
}

// relayServer names, in the environment of a relay, the server's program.
const relayServer = "REDLINE_E2E_SERVER"

// relayLate is the environment variable with the largest delay of messages.
const relayLate = "REDLINE_E2E_LATE"

// pass forwards messages until there are no more. change returns what to send in place of a
// message, nil for nothing.
func (r *relay) pass(from io.Reader, mu *sync.Mutex, to io.Writer, change func([]byte) []byte) error {
	in := textproto.NewReader(bufio.NewReader(from))
	for {
		header, err := in.ReadMIMEHeader()
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return err
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in.R, body); err != nil {
			return err
		}
		r.dawdle()
		body = change(body)
		r.dawdle() // a message that is not in the log has not been sent yet
		if body != nil {
			if err := send(mu, to, body); err != nil {
				return err
			}
		}
	}
}

func (r *relay) dawdle() {
	if r.late > 0 {
		time.Sleep(rand.N(r.late) / 2)
	}
}

func send(mu *sync.Mutex, to io.Writer, body []byte) error {
	mu.Lock()
	defer mu.Unlock()
	_, err := fmt.Fprintf(to, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (r *relay) note(direction string, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.log, "%s %s\n", direction, strings.NewReplacer("\n", " ", `\/`, "/").Replace(string(body)))
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func (r *relay) fromEditor(body []byte) []byte {
	var m message
	_ = json.Unmarshal(body, &m) // any other message is forwarded unchanged
	r.note("editor:", body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Method == "" && r.denied != "" && string(m.ID) == r.denied {
		r.denied = ""
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"applied":false,"failureReason":"no"}}`, m.ID)
	}
	if m.Method == "" && r.lost != "" && string(m.ID) == r.lost {
		_ = r.process.Kill() // it runs: it has just asked
		return nil
	}
	return body
}

// fromServer also applies the rule.
func (r *relay) fromServer(body []byte, server io.Writer) []byte {
	var m message
	_ = json.Unmarshal(body, &m)
	defer r.note("server:", body)
	rule, _ := os.ReadFile(filepath.Join(r.dir, "rule"))
	what, file, ok := strings.Cut(string(rule), " ")
	if m.Method != "workspace/applyEdit" || !ok || r.used || !bytes.Contains(body, []byte("/"+file+`"`)) {
		return body
	}
	r.used = true
	switch what {
	case kill, lose: // the rule does not apply to the next server
		_ = os.Remove(filepath.Join(r.dir, "rule"))
	}
	switch what {
	case hold:
		go func() {
			for {
				if _, err := os.Stat(filepath.Join(r.dir, "go")); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			_ = send(&r.editor, os.Stdout, body) // an editor that has ended needs no answer
		}()
		return nil
	case lie:
		_ = send(&r.server, server, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID))
		return nil
	case deny:
		r.mu.Lock()
		r.denied = string(m.ID)
		r.mu.Unlock()
	case half:
		return firstEditOnly(body)
	case kill:
		_ = r.process.Kill() // it runs: it has just asked
		return nil
	case lose:
		r.mu.Lock()
		r.lost = string(m.ID)
		r.mu.Unlock()
	}
	return body
}

// firstEditOnly returns the request with only the first of its text edits.
func firstEditOnly(body []byte) []byte {
	var m map[string]any
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	for _, change := range at(m, "params", "edit", "documentChanges").([]any) {
		if c, ok := change.(map[string]any); ok && c["edits"] != nil {
			c["edits"] = c["edits"].([]any)[:1]
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return out
}

// at returns the value at the end of a path of members.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		return []any{}
	}
	return v
}
