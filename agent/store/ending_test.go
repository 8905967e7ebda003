package store_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"redline/agent/store"
	"redline/internal/filelock"
)

// Files that a process published do not count once it was killed, even though a program that it was
// starting holds its lock for a moment. A lock that stays counts.
func TestLockOfAProcessThatEnds(t *testing.T) {
	for name, asked := range map[string]bool{"whose result was asked for": true, "whose result was not": false} {
		t.Run(name, func(t *testing.T) { lockOfAProcessThatEnds(t, asked) })
	}
}

func lockOfAProcessThatEnds(t *testing.T, asked bool) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^$")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil { // until it has ended
		t.Fatal(err)
	}
	if asked {
		_ = child.Wait() // it has ended
	} else if runtime.GOOS != "linux" {
		t.Skip("only Linux tells that it has ended")
	} else {
		defer func() { _ = child.Wait() }()
		for stat := ""; !strings.Contains(stat, ") Z "); {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			stat = string(text)
		}
	}
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	publish := func(id string) *os.File {
		t.Helper()
		text, err := json.Marshal(store.Unsaved{Process: child.Process.Pid, Files: []string{"/" + id}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sessions, id+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		lock, err := os.Create(filepath.Join(sessions, id+".lock"))
		if err != nil {
			t.Fatal(err)
		}
		if !filelock.Try(lock) {
			t.Skip("this system has no locks")
		}
		return lock
	}
	s := store.New(dir).NewSession()
	defer s.Close()

	leaving := publish("leaving")
	time.AfterFunc(30*time.Millisecond, func() { leaving.Close() })
	if others := s.Others(); len(others) > 0 {
		t.Errorf("it counts after it has ended: %+v", others)
	}
	staying := publish("staying")
	defer staying.Close()
	for range 2 { // the second look does not wait
		if others := s.Others(); len(others) != 1 {
			t.Errorf("a lock that is held does not count: %+v", others)
		}
	}
}
