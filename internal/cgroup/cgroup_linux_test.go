package cgroup

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"redline/internal/leash/leashtest"
)

// The next cgroup ends and removes what is left of one whose process was killed.
func TestStaleCgroups(t *testing.T) {
	const prefix = "redline-test-"
	stale, live := Make(Own(), prefix), Make(Own(), prefix)
	if stale == nil || live == nil {
		t.Skip("no cgroup is delegated to this user: run as root, or in a systemd user session")
	}
	defer live.Remove()
	nap := leashtest.NewNap()
	cmd := exec.Command("sleep", string(nap))
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: stale.FD()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stale.dir.Close() // as when its process is killed
	RemoveStale(Own(), prefix)
	_ = cmd.Wait()
	if _, err := os.Stat(stale.dir.Name()); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := os.Stat(live.dir.Name()); err != nil {
		t.Errorf("another's: %v", err)
	}
}
