//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe in place of a file is refused: nobody may ever write into it.
func TestAPipeInPlaceOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"a plan":                    func() error { _, err := readPlanFile(path, strings.NewReader("")); return err },
		"input":                     func() error { _, err := inputFrom(path, strings.NewReader("")); return err },
		"an editor's configuration": func() error { _, err := readSmall(path); return err },
	} {
		failed := make(chan error, 1)
		go func() { failed <- read() }()
		select {
		case err := <-failed:
			if err == nil || !strings.Contains(err.Error(), "it is no file") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(3 * time.Minute):
			t.Fatalf("%s: it hangs", name)
		}
	}
}
