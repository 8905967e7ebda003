package packaging

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// initializes starts a language server by its command line, as an editor does, and checks that
// Redline answers initialize, and ends when it is asked to.
func initializes(t *testing.T, commandLine ...string) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(commandLine[0], commandLine[1:]...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "REDLINE_STATE_DIR="+home)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%q does not start: %v", commandLine, err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	r := bufio.NewReader(out)
	send(t, in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	answer := receive(t, r)
	if answer.ID != 1 || answer.Result.ServerInfo.Name != "redline" || len(answer.Result.Capabilities) == 0 {
		t.Errorf("%q answered initialize with %+v", commandLine, answer)
	}
	send(t, in, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	for answer.ID != 2 { // requests of the server may come first
		answer = receive(t, r)
	}
	send(t, in, `{"jsonrpc":"2.0","method":"exit"}`)
	_, _ = io.Copy(io.Discard, r)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%q ended with %v", commandLine, err)
	}
}

// answered has what matters of a message of a language server.
type answered struct {
	ID     any
	Result struct {
		Capabilities map[string]any
		ServerInfo   struct{ Name string }
	}
}

func send(t *testing.T, w io.Writer, message string) {
	t.Helper()
	if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(message), message); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, r *bufio.Reader) answered {
	t.Helper()
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		t.Fatal(err)
	}
	var a answered
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if n, ok := a.ID.(float64); ok {
		a.ID = int(n)
	}
	return a
}
