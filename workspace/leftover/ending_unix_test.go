//go:build unix

package leftover

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/internal/filelock"
)

// A process that was killed while it started a program shares the lock of its list with the new
// process for a moment. What it left is removed nevertheless.
func TestALockMayOutliveItsProcess(t *testing.T) {
	state, dir := killed(t, nil)
	lists := filepath.Join(state, listFolder)
	shared, err := os.Open(filepath.Join(lists, names(t, lists)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if !filelock.Try(shared) {
		t.Fatal("the list is still locked")
	}
	time.AfterFunc(50*time.Millisecond, func() { shared.Close() }) // the new process has become its program
	Sweep(state)
	if left := append(names(t, dir), names(t, lists)...); len(left) > 0 {
		t.Errorf("a killed process has left %q", left)
	}
}
