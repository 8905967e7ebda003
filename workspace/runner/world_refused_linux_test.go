//go:build amd64 || arm64

package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a world shows read-only although the user can write it is named where a command in it fails for
// that reason, and not once the world has a copy of it.
func TestWorldRefused(t *testing.T) {
	h := newHouse(t)
	dir, err := os.MkdirTemp("/opt", "redline-test-")
	if err != nil {
		t.Skipf("nothing of the system can be written here: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(dir, "made")
	if o := h.run(t, "touch "+made, time.Minute); o.ExitCode == 0 || !slices.Equal(o.Refused, []string{made}) {
		t.Errorf("%+v", o)
	}
	if o := h.run(t, "touch ~/made /tmp/made a.txt && touch /nowhere/made", time.Minute); o.ExitCode == 0 || o.Refused != nil || o.RefusedUnnamed {
		t.Errorf("%+v", o)
	}
	h.world.Tools = append(h.world.Tools, dir)
	if o := h.run(t, "touch "+made, time.Minute); o.ExitCode != 0 || o.Refused != nil {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the world has written it")
	}
}
