package gitremote_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"redline/workspace/gitremote"
	"redline/workspace/leftover"
)

var kills = flag.Int("kills", 6, "how many pushes and pulls TestKilled kills")

// childDir is the variable that makes the test binary push or pull in this clone.
const (
	childDir  = "GITREMOTE_CHILD"
	childText = "GITREMOTE_TEXT" // what it pushes; nothing: it pulls
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir, os.Getenv(childText)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child pushes a text, or pulls.
func child(dir, text string) error {
	ctx := context.Background()
	r, err := gitremote.Open(ctx, dir, "", gitremote.Options{Left: leftover.New(filepath.Join(dir, "..", "state"))})
	if err != nil {
		return err
	}
	defer r.Close()
	if text == "" {
		_, err = r.Pull(ctx, planID)
	} else {
		_, err = r.Push(ctx, planID, lines(text))
	}
	return err
}

// A push that is killed at any moment has happened or not. The remote is whole, the clone is as it
// was, and the next one that starts removes what was left.
func TestKilled(t *testing.T) {
	tm := newTeam(t, "")
	dir := tm.clone("ada", tm.remote)
	tm.push(tm.open(dir), "first\n")
	before := tm.snapshot(dir)
	start := time.Now()
	if err := tm.child(dir, "measured\n", 0); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	all := []string{"first\n", "measured\n"} // what the remote must have
	for i := range *kills {
		text := ""
		if i%3 != 2 {
			text = fmt.Sprintf("push %d\n", i)
		}
		if err := tm.child(dir, text, time.Duration(rand.Int64N(int64(whole)))+time.Millisecond); err == nil && text != "" {
			all = append(all, text)
		}
		d := tm.pull(tm.open(dir))
		for _, line := range all {
			if !strings.Contains(string(d.Text), line) {
				t.Fatalf("after kill %d the remote lacks %q: %q", i, line, d.Text)
			}
		}
		if tm.snapshot(dir) != before {
			t.Fatalf("kill %d changed the clone", i)
		}
	}
	if out, err := tm.try(tm.remote, "fsck", "--strict", "--connectivity-only"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	leftover.Sweep(filepath.Join(tm.dir, "state"))
	if err := tm.child(dir, "last\n", 0); err != nil {
		t.Error(err)
	}
	for _, r := range tm.opened {
		r.Close()
	}
	if left, _ := filepath.Glob(filepath.Join(tm.dir, "tmp", "redline-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// child runs the test binary as a process that is killed after a while, 0 for never.
func (tm *team) child(dir, text string, after time.Duration) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childText+"="+text)
	cmd.Stderr = testLog{tm}
	if err := cmd.Start(); err != nil {
		tm.t.Fatal(err)
	}
	if after > 0 {
		defer time.AfterFunc(after, func() { _ = cmd.Process.Kill() }).Stop()
	}
	return cmd.Wait()
}
