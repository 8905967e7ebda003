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

// endsProcesses makes the test end every process that was started in the world and still runs, also
// when the test fails: editors leave servers of their own behind.
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
					_ = p.Kill() // the process may have ended meanwhile
				} else if !signalled[pid] {
					_ = p.Signal(syscall.SIGTERM)
					signalled[pid] = true
				}
			}
		}
	})
}

// processesIn finds the processes whose home is the folder. It works on Linux only; elsewhere it
// finds none.
func processesIn(t *testing.T, home string) (pids []int) {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environments {
		environment, _ := os.ReadFile(path) // owned by another user, or ended
		if !bytes.Contains(append([]byte{0}, environment...), []byte("\x00HOME="+home+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
