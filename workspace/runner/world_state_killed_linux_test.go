//go:build amd64 || arm64

package runner

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/leftover"
)

// Whenever Redline is killed, in the middle of writing back too, each file of the user is whole: as it was,
// or as it was to be.
func TestWorldStateIsWholeWhenKilled(t *testing.T) {
	h := newHouseOfAgent(t)
	ledger := t.TempDir()
	older, newer := `{"token":"`+strings.Repeat("o", 40_000)+`"}`, `{"token":"`+strings.Repeat("n", 60_000)+`"}`
	names := []string{"auth.json"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("sessions/%d.json", i))
	}
	h.write(t, "work space/newer", newer, 0o644)
	line := "for f in " + strings.Join(names, " ") + " sessions/new.json; do cp newer ~/.agent/$f; done"
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	mixed := 0
	for i := range *worldKills {
		for _, name := range names {
			h.write(t, "home/.agent/"+name, older, 0o600)
		}
		_ = os.Remove(h.in("home/.agent/sessions/new.json")) // it may not be there
		p := h.startRun(t, worldRun{line, h.workspace, h.world, ledger, true})
		ended := make(chan struct{})
		go func() { defer close(ended); _ = p.Wait() }() // it may be killed
		writes := func() bool {
			info, err := os.Stat(h.in("home/.agent/auth.json")) // the first
			select {
			case <-ended:
				return true
			default:
				return err != nil || info.Size() != int64(len(older))
			}
		}
		if i%4 > 0 {
			eventually(t, "it to write back", writes)
			if i%4 > 1 {
				time.Sleep(time.Duration(r.Int64N(int64(10 * time.Millisecond)))) // any moment from now on
			}
		} else {
			time.Sleep(time.Duration(r.Int64N(int64(100 * time.Millisecond))))
		}
		_ = p.Process.Kill() // it may have ended
		<-ended
		written := 0
		for _, name := range append(names, "sessions/new.json") {
			text, err := os.ReadFile(h.in("home/.agent/" + name))
			switch {
			case name == "sessions/new.json" && err != nil:
			case string(text) == newer:
				written++
			case string(text) != older:
				t.Fatalf("%s has %d bytes: %v", name, len(text), err)
			}
		}
		if written > 0 && written <= len(names) {
			mixed++
		}
	}
	if *worldKills > 20 && mixed == 0 {
		t.Error("it was never killed in the middle")
	}
	eventually(t, "what was being written to be removed", func() bool {
		leftover.Sweep(ledger)
		found, _ := filepath.Glob(h.in("home/.agent/*/" + leftover.File + "*"))
		more, _ := filepath.Glob(h.in("home/.agent/" + leftover.File + "*"))
		return len(found)+len(more) == 0
	})
}

// What is in the workspace is the workspace's, and a state may hold the workspace: neither writes back
// what belongs to a plan.
func TestWorldStateAndTheWorkspace(t *testing.T) {
	h := newHouseOfAgent(t)
	h.write(t, "home/.agent/sessions/desk/a.jsonl", "{}\n", 0o600)
	h.write(t, "home/.agent/sessions/desk/.other/auth.json", "{}\n", 0o600)
	h.workspace = h.in("home/.agent/sessions/desk")
	h.world.Folders, h.world.Hidden = []string{h.workspace}, nil
	h.world.State.Paths = append(h.world.State.Paths, h.in("home/.agent/sessions/desk/.other"))
	h.world.State.Keep = append(h.world.State.Keep, h.in("home/.agent/sessions/desk/.other/auth.json"))
	before := h.contents(t)
	lines, o := h.capture(t, `echo more >> a.jsonl; echo '{"t":2}' > .other/auth.json; echo '{"t":2}' > ~/.agent/auth.json; cat ~/.agent/config.toml`, 1<<20)
	if o.NotCaptured != nil || o.ExitCode != 0 || o.Stdout != "notify = []\n" {
		t.Fatalf("%v: %s", o.NotCaptured, o.Output)
	}
	if want := []string{`file 600 ".other/auth.json" 8 "{\"t\":2}\n"`, `file 600 "a.jsonl" 8 "{}\nmore\n"`}; !slices.Equal(lines, want) {
		t.Errorf("captured %q, want %q", lines, want)
	}
	if len(o.Kept) != 1 || filepath.Base(o.Kept[0]) != "auth.json" || len(o.NotKept) > 0 {
		t.Errorf("%q %q", o.Kept, o.NotKept)
	}
	want := []string{
		`"home/.agent/sessions": it is in the workspace or holds it, so it is not written back`,
		`"home/.agent/sessions/desk/.other": it is in the workspace, so the copy has what the workspace has, and nothing of it is written back`,
		`"home/.agent/sessions/desk/.other/auth.json": it is in the workspace or holds it, so it is not written back`,
	}
	if got := h.named(o.NotShown); !slices.Equal(got, want) {
		t.Errorf("not shown:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	h.write(t, "home/.agent/auth.json", `{"token":1}`, 0o600)
	if after := h.contents(t); after != before {
		t.Errorf("the host's files changed:\n%s\nbefore:\n%s", after, before)
	}
}
