//go:build unix

package mcp

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/agent/mcp/mcptest"
)

// A server ends with the session, and so does what it has started.
func TestServersEndWithTheSession(t *testing.T) {
	s := start(t, func(s *Server) {
		s.Args = []string{"-c", `sleep 1000 & echo $! > "$0.child"; exec "$1" serve-tools`, s.Env[mcptest.RecordVariable], s.Command}
		s.Command = "sh"
	})
	s.tools()
	data, err := os.ReadFile(s.record + ".child")
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Sscan(string(data), &child); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child)); err == nil && strings.Contains(string(stat), ") Z ") {
			break // ended, and nobody has asked for it yet
		}
		if errors.Is(syscall.Kill(child, 0), syscall.ESRCH) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("what the server has started is still there")
		}
	}
	if _, err := s.look("look", `{}`); err == nil {
		t.Error("a call after the end is answered")
	}
}
