package runner

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/leash"
	"redline/internal/leash/leashtest"
)

// leaver is a line that leaves an orphan in a session of its own, and continues once that
// runs. The process would write a file after its sleep.
func leaver(nap leashtest.Nap) string {
	return `mkfifo up; (setsid sh -c '(echo > up; sleep ` + string(nap) + `; echo > late) >/dev/null 2>&1 &' &); cat up; `
}

// A command that kills its helper leaves nothing running, not even processes that have left
// its session and lost their parents.
func TestKillingTheHelperFromInside(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		nap := leashtest.NewNap()
		line := leaver(nap) + `kill -9 $PPID; echo on`
		if way == leash.Namespace { // nor can it be stopped
			line += `; kill -STOP $PPID; kill -TERM $PPID; kill -HUP $PPID; kill -9 -1; echo on`
		}
		o := runs(t, Command{Line: line, way: way, Confine: ConfineOff}) // Landlock may refuse the signals
		nap.Gone(t)
		// The first process of a namespace cannot be killed from inside.
		if want := "on\non\n"; way == leash.Namespace && !strings.HasSuffix(o.Stdout, want) {
			t.Errorf("%+v", o)
		}
		if way != leash.Namespace && o.End != Lost {
			t.Errorf("%+v", o)
		}
	})
}

// A chain of processes, each of which starts the next one and exits, is caught.
func TestAProcessThatRunsAway(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		for _, end := range []string{"", "kill -9 $PPID"} {
			dir := t.TempDir()
			script := filepath.Join(dir, "away")
			if err := os.WriteFile(script, []byte("echo x >> \"$1\"\nsetsid sh \"$0\" \"$1\" &\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			trace := filepath.Join(dir, "trace")
			o := runs(t, Command{
				Line: "sh " + script + " " + trace + " >/dev/null 2>&1 & while [ ! -s " + trace + " ]; do :; done; " + end, Dir: dir, way: way, Confine: ConfineOff,
			})
			list, err := exec.Command("pgrep", "-f", script).Output()
			if len(list) > 0 {
				t.Errorf("after %+v there are %s (%v)", o, list, err)
			}
		}
	})
}

// A command does not outlive the process that started it, however that ends, even if the
// command has stopped its helper or left it.
func TestKillingTheServer(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		for _, before := range []string{"", "kill -STOP $PPID; "} {
			nap := leashtest.NewNap()
			dir := t.TempDir()
			server := exec.Command(os.Args[0])
			server.Dir = dir
			server.Env = append(os.Environ(), "RUNNER_TEST_WAY="+string(way), "RUNNER_TEST_SERVER="+leaver(nap)+before+"echo up; sleep "+string(nap))
			out, err := server.StdoutPipe()
			if err == nil {
				err = server.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "up"; {
			}
			nap.Await(t, 2)
			_ = server.Process.Kill()
			_ = server.Wait()
			nap.AwaitGone(t)
		}
	})
}

// A sweep ends only what commands have left behind: it leaves children that others wait
// for, and other running commands.
func TestASweepLeavesOthersAlone(t *testing.T) {
	dir, nap, other := t.TempDir(), leashtest.NewNap(), leashtest.NewNap()
	mine, brief := exec.Command("sleep", string(nap)), exec.Command("sh", "-c", "exit 7")
	for _, cmd := range []*exec.Cmd{mine, brief} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	outcome := make(chan Outcome, 1)
	go func() {
		o, err := Run(t.Context(), Command{
			Line: `(setsid sleep ` + string(other) + ` >/dev/null 2>&1 &); while [ ! -e go ]; do sleep 0.01; done; echo well`,
			Dir:  dir, Write: []string{dir}, way: leash.Swept,
		}, nil)
		if err != nil {
			t.Error(err)
		}
		outcome <- o
	}()
	other.Await(t, 1)
	for range 5 {
		left := leashtest.NewNap()
		runs(t, Command{Line: leaver(left) + `kill -9 $PPID`, way: leash.Swept, Confine: ConfineOff})
		left.Gone(t)
	}
	if len(nap.Asleep(t)) != 1 || len(other.Asleep(t)) != 1 {
		t.Error("a process of somebody else was ended")
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := <-outcome; o.End != Exited || o.Stdout != "well\n" {
		t.Errorf("%+v", o)
	}
	if _ = brief.Wait(); brief.ProcessState.ExitCode() != 7 {
		t.Errorf("another's child: %v", brief.ProcessState)
	}
	_ = mine.Process.Kill()
	_ = mine.Wait()
	other.AwaitGone(t)
}
