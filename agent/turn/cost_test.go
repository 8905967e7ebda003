//go:build unix

package turn_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/store/storetest"
	"redline/agent/view"
)

// A turn with one edit waits for the disk of the database when its plan is stored and when its
// answer is; its approval waits for the intent and for the outcome. What else is recorded goes
// along.
func TestHowOftenATurnWaitsForTheDisk(t *testing.T) {
	s, disk := agenttest.OnDisk(t, agenttest.Numbers)
	count := storetest.Fault{Ops: []storetest.Op{storetest.Sync}, At: math.MaxInt}
	turn, approval := math.MaxInt, math.MaxInt
	for n := 1; n <= 6; n++ { // on a busy machine, what goes along may have to be stored alone
		s.Model.Stages(agenttest.Edit("a.txt", strings.Repeat("one", n), strings.Repeat("one", n+1)))
		disk.Fail(count)
		s.Plan("change it")
		turn = min(turn, disk.Repair())
		disk.Fail(count)
		if _, err := s.Agent.Approve(s.Context(), view.Request{Plan: n, Client: "test"}); err != nil {
			t.Fatal(err)
		}
		approval = min(approval, disk.Repair())
	}
	if turn != 2 || approval != 2 {
		t.Errorf("a turn waits %d times for the disk, and its approval %d times: want 2 and 2", turn, approval)
	}
}

// The facts of an ordinary repository take no process.
func TestATurnRunsNoGit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reads a repository without Git: run this test there")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	bin, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\necho \"$@\" >>'" + ran + "'\nexec '" + git + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s := agenttest.New(t, agenttest.Numbers)
	for _, args := range [][]string{{"init", "-q", "-b", "topic"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"}} {
		c := exec.Command(git, args...)
		c.Dir = s.Dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	s.Write("new.txt", "new\n")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	s.With(func(o *agent.Options) { o.Facts.Within = time.Minute })
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("change it")
	first := s.Model.Asked()[0].Messages
	if got := first[len(first)-1].Content; !strings.Contains(got, "branch: topic\n  changed since HEAD: new.txt (untracked)") {
		t.Errorf("the first request has %q", got)
	}
	if lines, err := os.ReadFile(ran); err == nil {
		t.Errorf("git was run:\n%s", lines)
	}
}
