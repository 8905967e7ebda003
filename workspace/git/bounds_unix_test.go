//go:build unix

package git_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A file that never ends does not delay the reader longer than its timeout.
func TestTheReaderDoesNotWaitForAPipe(t *testing.T) {
	r := newRepository(t)
	r.write("a.txt", "changed\n")
	repo := r.at("")
	if _, err := repo.Status(t.Context()); err != nil { // which asks for the settings
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(r.dir, ".gitattributes"), 0o600); err != nil {
		t.Skipf("pipes cannot be made here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := repo.Blame(ctx, "a.txt", "changed\n", 1, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
