//go:build unix

package packaging

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// server is a running language server that has answered its first request.
type server struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startServer(t *testing.T, program string) server {
	t.Helper()
	s := server{Cmd: isolated(t, program, "serve")}
	var err error
	if s.in, err = s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.in.Close() })
	message := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(message), message)
	if line, err := s.out.ReadString('\n'); err != nil {
		t.Fatalf("the server answered %q: %v", line, err)
	}
	return s
}

// ended waits until no process has the server's output, so the server has ended as well as
// its launcher. It returns how the process that was started ended.
func (s server) ended(t *testing.T) string {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() {
		t.Error("the server is left behind")
		_ = s.in.Close() // ends it
	})
	defer late.Stop()
	if _, err := io.Copy(io.Discard, s.out); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait() // its error is the state
	return s.ProcessState.String()
}

// skipIgnored skips a test of a signal that this process, and so what it starts, ignores.
func skipIgnored(t *testing.T, s os.Signal) {
	t.Helper()
	if signal.Ignored(s) {
		t.Skipf("%s is ignored here: run the tests without nohup", s)
	}
}

// sameEnd compares how a server ends by a signal, started as the program and by a launcher.
// Nothing is left of either.
func sameEnd(t *testing.T, program, launcher string, sent syscall.Signal) {
	t.Helper()
	var states []string
	for _, path := range []string{program, launcher} {
		s := startServer(t, path)
		if err := s.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		states = append(states, s.ended(t))
	}
	if states[0] != states[1] {
		t.Errorf("the program: %s; the launcher: %s", states[0], states[1])
	}
}
