package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/agent/model/modeltest"
)

// child is the program, started as a separate process.
type child struct {
	*exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	err     bytes.Buffer
	started time.Time
}

// begin starts program, away from the user's settings and plans. Its input
// stays open; it is killed if it does not end in time.
func begin(tb testing.TB, program string, args ...string) *child {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	tb.Cleanup(cancel)
	c := &child{Cmd: exec.CommandContext(ctx, program, args...)}
	c.Env = append(c.Environ(), "REDLINE_STATE_DIR="+tb.TempDir(), "REDLINE_CONFIG=", "XDG_CONFIG_HOME="+tb.TempDir(), "REDLINE_LOG=")
	in, err := c.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	c.in, c.out, c.Stderr = in, bufio.NewReader(out), &c.err
	c.started = time.Now()
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	return c
}

// send writes one LSP message.
func (c *child) send(tb testing.TB, body string) {
	tb.Helper()
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		tb.Fatal(err)
	}
}

// receive reads one LSP message.
func (c *child) receive(tb testing.TB) string {
	tb.Helper()
	header, err := textproto.NewReader(c.out).ReadMIMEHeader()
	if err != nil {
		tb.Fatalf("no message: %v\n%s", err, &c.err)
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		tb.Fatal(err)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.out, body); err != nil {
		tb.Fatal(err)
	}
	return string(body)
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`
	shutdown   = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
	exit       = `{"jsonrpc":"2.0","method":"exit"}`
)

// initialized waits until a server has answered initialize.
func (c *child) initialized(tb testing.TB) {
	tb.Helper()
	c.send(tb, initialize)
	if answer := c.receive(tb); !strings.Contains(answer, `"capabilities"`) {
		tb.Fatalf("initialize was answered with %s", answer)
	}
}

// wantExit waits until the process ends while its input is still open.
func (c *child) wantExit(t *testing.T, want int) {
	t.Helper()
	_, _ = io.Copy(io.Discard, c.out) // Wait must not be called before the end of the output
	err := c.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != want {
		t.Errorf("exit status %d, want %d (%s)\n%s", got, want, c.ProcessState, &c.err)
	}
}

func TestServeEndsThoughItsInputStaysOpen(t *testing.T) {
	t.Run("shutdown and exit", func(t *testing.T) {
		c := begin(t, "redline", "serve", "--stdio")
		c.initialized(t)
		c.send(t, shutdown)
		c.receive(t)
		c.send(t, exit)
		c.wantExit(t, exitOK)
	})
	t.Run("exit alone", func(t *testing.T) {
		c := begin(t, "redline", "serve")
		c.initialized(t)
		c.send(t, exit)
		c.wantExit(t, exitInternal)
		if !strings.Contains(c.err.String(), "without shutting the server down") {
			t.Errorf("stderr: %s", &c.err)
		}
	})
	t.Run("signal", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("there are no signals to send on Windows")
		}
		c := begin(t, "redline", "serve")
		c.initialized(t)
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		c.wantExit(t, exitStopped)
	})
}

func TestServeEndsWithItsInput(t *testing.T) {
	c := begin(t, "redline", "serve")
	c.initialized(t)
	c.in.Close()
	c.wantExit(t, exitInternal)
}

// Writing to an editor that has ended must not kill the server by a signal: the store is closed
// properly.
func TestServeOutlivesItsReader(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE on Windows")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c := &child{Cmd: exec.CommandContext(ctx, "redline", "serve")}
	c.Env = append(c.Environ(), "REDLINE_STATE_DIR="+t.TempDir())
	c.Stdout, c.Stderr = w, &c.err
	if c.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	c.out = bufio.NewReader(r)
	c.initialized(t)
	r.Close()
	c.out = bufio.NewReader(strings.NewReader(""))
	c.send(t, shutdown) // its answer cannot be written
	c.wantExit(t, exitOK)
}

func TestInterruptStopsATurn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send on Windows")
	}
	server := modeltest.New(modeltest.Stream(
		modeltest.Call("write_file", `{"path":"new.txt","content":"new\n"}`), modeltest.Wait("for ever")))
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	t.Setenv("OPENAI_BASE_URL", base)
	t.Setenv("OPENAI_API_KEY", scriptKey)
	dir := t.TempDir()
	for i, args := range [][]string{{"--approve"}, {"--approve", "--json"}} {
		c := begin(t, "redline", append([]string{"run", "--dir", dir, "create new.txt"}, args...)...)
		if err := server.Await(t.Context(), i+1); err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		c.wantExit(t, exitStopped)
		if got, want := c.err.String(), "redline: interrupted, and nothing was changed\n"; got != want {
			t.Errorf("stderr %q, want %q", got, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "new.txt")); err == nil {
			t.Error("a file was made")
		}
		server.Add(modeltest.Stream(modeltest.Wait("for ever")))
	}
}
