package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// protocolClient is a client of the Agent Client Protocol that others wrote, with a small program
// of ours around it that does what the lines of its input ask. See testdata/clients.
type protocolClient struct {
	t      *testing.T
	dir    string // the workspace
	in     *json.Encoder
	out    *bufio.Scanner
	errors *bytes.Buffer
}

// promptSeen is what a client has seen of a prompt.
type promptSeen struct {
	Stop  string
	Asked []struct {
		Call struct {
			Title, Kind string
			Content     []struct {
				Path    string
				OldText *string
				NewText string
			}
			Locations []struct{ Path string }
		}
		Options []string
	}
	Written []string
	Text    string
}

// clientCommands are how the clients of .ci/install-clients are started, in their folder.
var clientCommands = map[string]func(dir string) []string{
	"typescript": func(dir string) []string { return []string{"node", "client.mjs", dir} },
	"python":     func(dir string) []string { return []string{filepath.Join(dir, "bin", "python"), "client.py"} },
}

// startClient starts a client of redline acp in a workspace with these files.
func startClient(t *testing.T, name string, files map[string]string) *protocolClient {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("set HOME or XDG_CACHE_HOME, where .ci/install-clients puts the clients: ", err)
	}
	folder := filepath.Join(cache, "redline-clients", name)
	if _, err := os.Stat(filepath.Join(folder, "version")); err != nil {
		t.Skipf("the client for %s is not installed: run .ci/install-clients", name)
	}
	redline, err := exec.LookPath("redline")
	if err != nil {
		t.Fatal(err)
	}
	home, c := t.TempDir(), &protocolClient{t: t, dir: t.TempDir(), errors: &bytes.Buffer{}}
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(c.dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	line := clientCommands[name](folder)
	program := filepath.Join("testdata", "clients", "client"+filepath.Ext(line[1]))
	args := append([]string{program}, append(line[2:], c.dir, redline, "acp")...)
	run := exec.Command(line[0], args...)
	run.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home,
		"REDLINE_CONFIG=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "REDLINE_MODEL=")
	run.Stderr = c.errors
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Skipf("%s does not start (%v): run .ci/install-clients again", line[0], err)
	}
	t.Cleanup(func() {
		in.Close() // it ends then, unless it waits for an answer
		if t.Failed() {
			_ = run.Process.Kill()
		}
		if err := run.Wait(); err != nil && !t.Failed() {
			t.Errorf("the client ended with %v\n%s", err, c.errors)
		}
	})
	c.in, c.out = json.NewEncoder(in), bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	var ready struct {
		Version int
		Session string
	}
	if c.read(&ready); ready.Version != 1 || ready.Session == "" {
		t.Fatalf("the session is %+v", ready)
	}
	return c
}

// read reads what the client says next.
func (c *protocolClient) read(value any) {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the client has ended: %v\n%s", c.out.Err(), c.errors)
	}
	if err := json.Unmarshal(c.out.Bytes(), value); err != nil {
		c.t.Fatalf("%v in %s", err, c.out.Bytes())
	}
}

// prompt sends a prompt and answers the requests for permission that follow, in order: with the id
// of an option, or cancel.
func (c *protocolClient) prompt(text string, answers ...string) promptSeen {
	c.t.Helper()
	if err := c.in.Encode(map[string]any{"prompt": text, "answers": answers}); err != nil {
		c.t.Fatal(err)
	}
	var seen promptSeen
	c.read(&seen)
	return seen
}

// is reports an error unless the files have these texts.
func (c *protocolClient) is(when string, files map[string]string) {
	c.t.Helper()
	for path, want := range files {
		if got, err := os.ReadFile(filepath.Join(c.dir, path)); err != nil || string(got) != want {
			c.t.Errorf("%s, %s is %q, %v; want %q", when, path, got, err, want)
		}
	}
}

// Clients that others wrote ask, see, approve a file, reject one, approve a plan, run a command,
// cancel and undo.
func TestProtocolClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts real clients: run it without -short")
	}
	for name := range clientCommands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := map[string]string{"a.go": "package a\n\nfunc Total() int { return 1 }\n", "b.go": "package a\n\nvar x = Total()\n"}
			c := startClient(t, name, before)

			seen := c.prompt("rename Total to Sum in *.go", "approve-file", "reject-file")
			if seen.Stop != "end_turn" || len(seen.Asked) != 2 {
				t.Fatalf("asked to rename, it saw %+v\n%s", seen, c.errors)
			}
			for i, path := range []string{"a.go", "b.go"} {
				call, abs := seen.Asked[i].Call, filepath.Join(c.dir, path)
				if call.Kind != "edit" || len(call.Content) != 1 || len(call.Locations) != 1 || call.Locations[0].Path != abs {
					t.Fatalf("the request for %s is %+v", path, call)
				}
				if d := call.Content[0]; d.Path != abs || d.OldText == nil || *d.OldText != before[path] || d.NewText != strings.Replace(before[path], "Total", "Sum", 1) {
					t.Errorf("the diff of %s is %+v", path, d)
				}
			}
			one := map[string]string{"a.go": strings.Replace(before["a.go"], "Total", "Sum", 1), "b.go": before["b.go"]}
			c.is("with one file approved", one)
			if want := []string{filepath.Join(c.dir, "a.go")}; !slices.Equal(seen.Written, want) {
				t.Errorf("the client wrote %v, want %v", seen.Written, want)
			}

			seen = c.prompt(`replace "package a" with "package b" in *.go`, "approve-rest")
			if len(seen.Asked) != 1 || len(seen.Written) != 2 {
				t.Errorf("with the plan approved at once, it saw %+v", seen)
			}
			all := map[string]string{}
			for path, text := range one {
				all[path] = strings.Replace(text, "package a", "package b", 1)
			}
			c.is("with the plan approved", all)

			seen = c.prompt("run `go mod init made`", "run-command")
			if len(seen.Asked) != 1 || seen.Asked[0].Call.Kind != "execute" {
				t.Errorf("asked to run, it saw %+v", seen)
			}
			if _, err := os.Stat(filepath.Join(c.dir, "go.mod")); err != nil {
				t.Errorf("the command has not run: %v; it saw %+v", err, seen)
			}

			seen = c.prompt(`replace "package b" with "package c" in *.go`, "cancel")
			if seen.Stop != "cancelled" || len(seen.Asked) != 1 {
				t.Errorf("cancelled, it saw %+v", seen)
			}
			c.is("after cancelling", all)

			seen = c.prompt("/undo 2")
			if seen.Stop != "end_turn" || len(seen.Written) != 2 {
				t.Errorf("asked to undo, it saw %+v", seen)
			}
			c.is("after the undo", one)
		})
	}
}
