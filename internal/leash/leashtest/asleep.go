// Package leashtest finds the processes of a test from outside, whatever their namespace
// and parent: each test's processes sleep for a time of their own.
package leashtest

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Nap is the number of seconds for which the processes of one test sleep: long, and unique.
type Nap string

// NewNap returns a time to sleep for.
func NewNap() Nap { return Nap(strconv.Itoa(1_000_000_000 + rand.IntN(1_000_000_000))) }

// Asleep returns the processes that sleep for this time. It skips the test if they cannot
// be listed.
func (n Nap) Asleep(t testing.TB) (pids []int) {
	t.Helper()
	list, err := exec.Command("ps", "-A", "-o", "pid=,stat=,args=").Output()
	if err != nil {
		t.Skip("there is no ps: ", err)
	}
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line)
		if len(f) < 4 || strings.HasPrefix(f[1], "Z") || !slices.Contains(f[3:], string(n)) || filepath.Base(f[2]) != "sleep" {
			continue
		}
		if pid, err := strconv.Atoi(f[0]); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Await waits until a number of processes sleep.
func (n Nap) Await(t testing.TB, processes int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); len(n.Asleep(t)) < processes; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of %d processes run", len(n.Asleep(t)), processes)
		}
	}
}

// Gone fails the test if a process sleeps, and kills it.
func (n Nap) Gone(t testing.TB) {
	t.Helper()
	for _, pid := range n.Asleep(t) {
		t.Errorf("process %d still runs", pid)
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// AwaitGone waits until no process sleeps, and fails the test if that takes too long.
func (n Nap) AwaitGone(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); len(n.Asleep(t)) > 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	n.Gone(t)
}
