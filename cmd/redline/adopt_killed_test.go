//go:build linux && (amd64 || arm64)

package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// redline adopt, its helper or the command is killed at random moments. Nothing is left of the copy, and
// nothing of it is in the workspace.
func TestKilledAdoptionsLeaveNothing(t *testing.T) {
	wanted := *trialKills
	if testing.Short() {
		wanted = min(wanted, 4)
	}
	h := &killedHouse{
		trialHouse: newTrialHouse(t, time.Minute+time.Duration(wanted)*10*time.Second), rng: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 5)),
		kills: map[string]int{},
	}
	for _, name := range []string{"a.txt", "deep/b.txt"} {
		h.write(filepath.Join(h.dir, name), "host\n")
	}
	home, before, usual := h.trialHouse.files(h.home), h.trialHouse.files(h.dir), 300*time.Millisecond
	const line = "setsid sleep 9999 & (trap '' TERM; sleep 9999) & rm a.txt; echo x > left; echo y > ~/left; dd if=/dev/zero of=big bs=64k count=20 2>/dev/null; sleep 0.1; echo z >> deep/b.txt"
	for h.killed() < wanted {
		began := time.Now()
		h.server = &victim{cmd: exec.Command("redline", "adopt", "--plan-only", "--dir", h.dir, "--", line)}
		h.server.cmd.Env = append(h.server.cmd.Environ(), h.env...)
		h.server.cmd.Stdout, h.server.cmd.Stderr = &h.server.err, &h.server.err
		if err := h.server.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- h.server.cmd.Wait() }()
		who := h.kill(usual, ended)
		err := <-ended
		if state, ok := h.server.cmd.ProcessState.Sys().(syscall.WaitStatus); who == "" && (!ok || state.ExitStatus() != exitWaiting) {
			t.Fatalf("it was not killed: %v\n%s", err, h.server.err.String())
		}
		if who == "" {
			usual = (3*usual + time.Since(began)) / 4
		}
		h.until("processes to end", func() []string { return h.processes() })
		h.until("mounts to go", h.mounts)
		if changed := differences(before, h.trialHouse.files(h.dir)); len(changed) > 0 {
			t.Fatalf("killed the %s: the workspace has\n%s", who, strings.Join(changed, "\n"))
		}
	}
	if changed := differences(home, h.trialHouse.files(h.home)); len(changed) > 0 {
		t.Errorf("at home:\n%s", strings.Join(changed, "\n"))
	}
	t.Logf("%d kills: %v", h.killed(), h.kills)
}
