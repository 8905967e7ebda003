package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/lsp/lsptest"
)

// place is a workspace and a state directory that several processes share.
type place struct {
	t          *testing.T
	ctx        context.Context
	dir, state string
}

func newPlace(t *testing.T, files map[string]string) *place {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	p := &place{t: t, ctx: ctx, dir: t.TempDir(), state: t.TempDir()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.settings("")
	return p
}

// settings gives the processes of a place a settings file.
func (p *place) settings(text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.state, "config.toml"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.ctx, "redline", args...)
	cmd.Env = append(cmd.Environ(), "REDLINE_STATE_DIR="+p.state, "REDLINE_CONFIG="+filepath.Join(p.state, "config.toml"))
	return cmd
}

// redline runs the program and returns its exit status and its stderr.
func (p *place) redline(args ...string) (status int, said string) {
	p.t.Helper()
	cmd := p.command(append(args, "--dir", p.dir)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// until runs the program repeatedly until it ends with the exit status: another process may take a
// moment to report.
func (p *place) until(want int, args ...string) (said string) {
	p.t.Helper()
	for {
		status, said := p.redline(args...)
		if status == want {
			return said
		}
		if p.ctx.Err() != nil {
			p.t.Fatalf("redline %s: exit status %d, want %d: %s", strings.Join(args, " "), status, want, said)
		}
	}
}

func (p *place) wantText(name, want string) {
	p.t.Helper()
	if data, err := os.ReadFile(filepath.Join(p.dir, name)); err != nil || string(data) != want {
		p.t.Errorf("%s is %q, %v; want %q", name, data, err, want)
	}
}

// server starts a server as a separate process.
func (p *place) server(command string) (pipes, *exec.Cmd) {
	p.t.Helper()
	cmd := p.command(command)
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return pipes{out, in}, cmd
}

// editor starts a server as a separate process, and an editor connected to it.
func (p *place) editor() (*lsptest.Editor, *exec.Cmd) {
	p.t.Helper()
	stream, cmd := p.server("serve")
	e, err := lsptest.Start(p.ctx, stream, lsptest.HelixLike(), p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		e.Kill()
		_ = cmd.Wait() // the test does not check how it ends
	})
	return e, cmd
}

// killed kills a process and waits until it and its locks are gone.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = cmd.Process.Wait()
}

// pipes are the two ends of a process as one connection.
type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (c pipes) Write(b []byte) (int, error) { return c.in.Write(b) }

func (c pipes) Close() error { return errors.Join(c.in.Close(), c.ReadCloser.Close()) }

// While an editor has a file unsaved, the command line does not change it; it does once the file is
// saved, and immediately when the editor's server was killed.
func TestTheCommandLineKeepsOffAFileThatIsUnsavedInAnEditor(t *testing.T) {
	p := newPlace(t, map[string]string{"a.txt": "one\nmore\n"})
	if status, said := p.redline("run", `replace "one" with "two"`); status != exitWaiting {
		t.Fatalf("exit status %d: %s", status, said)
	}
	e, server := p.editor()
	typed := func(text string) {
		t.Helper()
		for _, err := range []error{e.Open("a.txt"), e.Insert("a.txt", 1, 0, text)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	busy := fmt.Sprintf("redline: a.txt has unsaved changes in another editor (helix, process %d): save it there, or decide there.\n", server.Process.Pid)

	typed("x")
	p.awaitUnsaved(1)
	if status, said := p.redline("plans", "approve", "1"); status != exitRefused || said != busy {
		t.Fatalf("exit status %d: %q, want 4: %q", status, said, busy)
	}
	if status, said := p.redline("run", "--approve", `replace "more" with "less"`); status != exitRefused || !strings.HasPrefix(said, "redline: a.txt has unsaved changes") {
		t.Errorf("exit status %d: %q", status, said)
	}
	p.wantText("a.txt", "one\nmore\n")
	if err := e.Save("a.txt"); err != nil {
		t.Fatal(err)
	}
	p.until(exitOK, "plans", "approve", "1")
	p.wantText("a.txt", "two\nxmore\n")

	if err := e.Close("a.txt"); err != nil { // the editor shows the file as it was
		t.Fatal(err)
	}
	typed("y")
	p.awaitUnsaved(1)
	if status, said := p.redline("plans", "undo", "1"); status != exitRefused || said != busy {
		t.Fatalf("exit status %d: %q, want 4: %q", status, said, busy)
	}
	killed(t, server)
	if status, said := p.redline("plans", "undo", "1"); status != exitOK {
		t.Errorf("exit status %d: %s", status, said)
	}
	p.wantText("a.txt", "one\nxmore\n")
}

// Hunks that an editor has applied but not saved are pending again for the command line
// after the editor's server was killed.
func TestWhatDiedUnsavedIsPendingOnTheCommandLine(t *testing.T) {
	p := newPlace(t, map[string]string{"a.txt": "one\n"})
	p.redline("run", `replace "one" with "two"`)
	e, server := p.editor()
	if err := e.Open("a.txt"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"redline.show", "redline.approve"} {
		if _, err := e.Execute(p.ctx, command, map[string]any{"plan": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if status, said := p.redline("plans", "undo", "1"); status != exitRefused || !strings.Contains(said, "unsaved changes in another editor") {
		t.Errorf("exit status %d: %s", status, said)
	}
	killed(t, server)
	p.wantText("a.txt", "one\n")
	if status, said := p.redline("plans", "approve", "1"); status != exitOK {
		t.Errorf("exit status %d: %s", status, said)
	}
	p.wantText("a.txt", "two\n")
}

// awaitUnsaved waits until a number of sessions report unsaved files.
func (p *place) awaitUnsaved(n int) {
	p.t.Helper()
	for p.ctx.Err() == nil {
		if told, _ := filepath.Glob(filepath.Join(p.state, "sessions", "*.json")); len(told) == n {
			return
		}
	}
	p.t.Fatal("nobody says that anything is unsaved")
}
