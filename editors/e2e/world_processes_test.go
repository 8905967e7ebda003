package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// endsProcesses has the test end whatever was started in the world and still runs, also
// when it fails: editors leave servers of their own behind.
func (w *world) endsProcesses() {
	w.t.Cleanup(func() {
		signalled := map[int]bool{}
		for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			left := processesIn(w.t, w.home)
			if len(left) == 0 {
				return
			}
			if time.Since(begun) > patience {
				w.t.Errorf("processes %v do not end", left)
				return
			}
			for _, pid := range left {
				p, err := os.FindProcess(pid)
				if err != nil {
					continue
				}
				if time.Since(begun) > patience/9 {
					_ = p.Kill() // it may have ended by now
				} else if !signalled[pid] {
					_ = p.Signal(syscall.SIGTERM)
					signalled[pid] = true
				}
			}
		}
	})
}

// processesIn finds the processes that have the folder as their home. Only Linux shows
// that; elsewhere there seem to be none.
func processesIn(t *testing.T, home string) (pids []int) {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environments {
		environment, _ := os.ReadFile(path) // of another user, or ended
		if !bytes.Contains(append([]byte{0}, environment...), []byte("\x00HOME="+home+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
