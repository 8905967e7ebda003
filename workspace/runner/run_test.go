//go:build unix

package runner

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/internal/leash"
	"redline/internal/leash/leashtest"
	"redline/workspace/network"
	"redline/workspace/world"
)

// runs runs a line in a folder of its own.
func runs(t *testing.T, c Command) Outcome {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
		c.Write = append(c.Write, c.Dir)
	}
	o, err := Run(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRun(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("MINE", "given")
	t.Setenv("OTHER", "not given")
	dir := t.TempDir()
	o := runs(t, Command{
		Line: `echo out; echo err >&2; pwd; echo "key=$OPENAI_API_KEY mine=$MINE other=$OTHER term=$TERM"; cat; echo > "$TMPDIR/x" && echo "$TMPDIR"; exit 3`,
		Dir:  dir, Write: []string{dir}, Env: []string{"MINE"},
	})
	lines := strings.Split(o.Stdout, "\n")
	if o.End != Exited || o.ExitCode != 3 || o.Stderr != "err\n" || lines[0] != "out" || lines[2] != "key= mine=given other= term=dumb" {
		t.Errorf("%+v", o)
	}
	if real, _ := filepath.EvalSymlinks(dir); lines[1] != real && lines[1] != dir {
		t.Errorf("it ran in %s", lines[1])
	}
	if temp := lines[3]; !filepath.IsAbs(temp) {
		t.Errorf("the folder for temporary files is %q", temp)
	} else if _, err := os.Stat(temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", temp, err)
	}
	if !strings.Contains(o.Output, "out\n") || !strings.Contains(o.Output, "err\n") {
		t.Errorf("both: %q", o.Output)
	}
}

// A command does not inherit the open files of this process, whoever started it: write
// limits do not cover them.
func TestNoOpenFiles(t *testing.T) {
	if !linux {
		t.Skip("this system has no /proc to look in")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	left, err := syscall.Dup(int(f.Fd())) // without close-on-exec, as an editor leaves it
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(left)
	if o := runs(t, Command{Line: "ls /proc/$$/fd"}); o.Stdout != "0\n1\n2\n" {
		t.Errorf("it has open: %q", o.Stdout)
	}
}

func TestHowItEnds(t *testing.T) {
	if o := runs(t, Command{Line: "kill -9 $$"}); o.End != Signalled || o.Signal != "killed" || o.ExitCode != -1 {
		t.Errorf("signalled: %+v", o)
	}
	if o := runs(t, Command{Line: "if then"}); o.End != Exited || o.ExitCode == 0 || o.Stderr == "" {
		t.Errorf("no shell: %+v", o)
	}
	if o := runs(t, Command{Line: "no-such-program-here"}); o.End != Exited || o.ExitCode != 127 {
		t.Errorf("no program: %+v", o)
	}
	if _, err := Run(t.Context(), Command{Line: "true", Dir: filepath.Join(t.TempDir(), "gone")}, nil); err == nil {
		t.Error("it ran in a folder that is not there")
	}
}

// everyWay runs a test with each way to end a command's processes that works here.
func everyWay(t *testing.T, test func(t *testing.T, way leash.Way)) {
	can := leash.Supports()
	ways := []leash.Way{can.Way, can.Else}
	if linux {
		ways = append(ways, leash.Swept)
	}
	slices.Sort(ways)
	for _, way := range slices.Compact(ways) {
		t.Run(string(way), func(t *testing.T) { test(t, way) })
	}
	if can.Reason != "" {
		t.Log("not tested: " + can.Reason)
	}
}

// All that a command has started has ended when the command has ended, not some time later.
func TestWhatItLeavesInTheBackgroundIsEnded(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		nap := leashtest.NewNap()
		line := `sleep ` + string(nap) + ` & echo a`
		if _, err := exec.LookPath("setsid"); err == nil && linux { // out of its group, and orphaned
			line += `; mkfifo up; setsid sh -c 'sleep ` + string(nap) + ` & echo > up; wait' & cat up`
		}
		o := runs(t, Command{Line: line, way: way})
		if o.End != Exited || o.Stdout == "" {
			t.Fatalf("%+v", o)
		}
		if linux {
			nap.Gone(t)
		}
		nap.AwaitGone(t)
	})
}

func TestTheTimeLimit(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		nap := leashtest.NewNap()
		o := runs(t, Command{
			Line:   `trap '' TERM; sleep ` + string(nap) + ` & while :; do sleep ` + string(nap) + `; done`,
			Limits: Limits{Time: 300 * time.Millisecond}, way: way,
		})
		if o.End != TimedOut || o.ExitCode != -1 {
			t.Errorf("%+v", o)
		}
		nap.AwaitGone(t)
	})
}

func TestCancelling(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		nap := leashtest.NewNap()
		ctx, cancel := context.WithCancel(t.Context())
		o, err := Run(ctx, Command{Line: `sleep ` + string(nap) + ` & echo up; sleep ` + string(nap), Dir: t.TempDir(), way: way}, func(Stream, string) { cancel() })
		if err != nil || o.End != Cancelled {
			t.Errorf("%v %+v", err, o)
		}
		nap.AwaitGone(t)
		if _, err := Run(ctx, Command{Line: "true", Dir: "/"}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("after that: %v", err)
		}
	})
}

// A swarm that restarts itself, each process in a session of its own, is ended completely. The
// swarm is limited, so that a failing test does no harm.
func TestAForkBomb(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil || !linux {
		t.Skip("setsid is not here (install util-linux), or this system cannot find what has left its group")
	}
	everyWay(t, func(t *testing.T, way leash.Way) {
		nap := leashtest.NewNap()
		ctx, cancel := context.WithCancel(t.Context())
		up := 0
		o, err := Run(ctx, Command{
			Line: `s='n=$1; if [ $n -gt 0 ]; then setsid sh -c "$2" sh $((n - 1)) "$2" & setsid sh -c "$2" sh $((n - 1)) "$2" & wait; else echo up; sleep ` + string(nap) + `; fi'
				sh -c "$s" sh 6 "$s"`,
			Dir: t.TempDir(), way: way,
		}, func(_ Stream, text string) {
			if up += strings.Count(text, "up"); up == 64 {
				cancel()
			}
		})
		if err != nil || o.End != Cancelled {
			t.Errorf("%v %s, %d processes, %s", err, o.End, up, o.Stderr)
		}
		nap.AwaitGone(t)
	})
}

func TestHugeOutput(t *testing.T) {
	told := 0
	o, err := Run(t.Context(), Command{
		Line: `echo first; yes 0123456789 | head -c 30000000; echo last`, Dir: "/", Limits: Limits{Output: 1000, Stream: 5000},
	}, func(_ Stream, text string) { told += len(text) })
	if err != nil || o.End != Exited || o.ExitCode != 0 {
		t.Fatalf("%v %+v", err, o)
	}
	if len(o.Output) > 1100 || !strings.HasPrefix(o.Output, "first\n") || !strings.HasSuffix(o.Output, "last\n") {
		t.Errorf("%d bytes: %q", len(o.Output), o.Output)
	}
	if told < 5000 || told > 5100 {
		t.Errorf("told %d bytes", told)
	}
}

func TestConfinement(t *testing.T) {
	elsewhere, dir, cache := t.TempDir(), t.TempDir(), t.TempDir()
	line := `mkdir -p a b && echo x > a/f && mv a/f b/f && cat b/f && echo null > /dev/null && echo t > "$TMPDIR/t" && echo c > "` + cache + `/c" || exit 1
		echo no > "` + elsewhere + `/new" ; echo no > "` + elsewhere + `/old"; rm "` + elsewhere + `/old"; mv b/f "` + elsewhere + `/f"; ln -s / root; echo no > root/` + filepath.Join(elsewhere, "link")[1:]
	old := filepath.Join(elsewhere, "old")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !Supports().Supported {
		if _, err := Run(t.Context(), Command{Line: "true", Dir: dir, Confine: ConfineRequire}, nil); err == nil || !strings.Contains(err.Error(), "requires") {
			t.Errorf("required: %v", err)
		}
		t.Skip(Supports().What)
	}
	o := runs(t, Command{Line: line, Dir: dir, Write: []string{dir, cache, filepath.Join(dir, "not there"), old}})
	if !o.Confined || !strings.HasPrefix(o.Stdout, "x\n") {
		t.Errorf("inside: %+v", o)
	}
	entries, err := os.ReadDir(elsewhere)
	if text, readErr := os.ReadFile(old); err != nil || readErr != nil || len(entries) != 1 || string(text) != "old" {
		t.Errorf("elsewhere: %v, %v %v, %q", entries, err, readErr, text)
	}
	// The parent process is unchanged.
	if err := os.WriteFile(old, []byte("mine"), 0o600); err != nil {
		t.Errorf("this process is limited too: %v", err)
	}
	// Other processes are out of reach: their signals, and their environment.
	me := strconv.Itoa(os.Getpid())
	if strings.Contains(Supports().What, "still") {
		t.Log(Supports().What)
	} else if o := runs(t, Command{Line: "kill -0 " + me}); o.ExitCode == 0 {
		t.Error("it can send this process a signal")
	}
	for _, way := range []leash.Way{leash.Supports().Way, leash.Supports().Else} {
		if o := runs(t, Command{Line: "cat /proc/" + me + "/environ", way: way}); o.ExitCode == 0 {
			t.Errorf("%s: it can read the environment of this process", way)
		}
	}
	if o := runs(t, Command{Line: "echo yes > " + old, Dir: dir, Confine: ConfineOff}); o.Confined || o.ExitCode != 0 {
		t.Errorf("off: %+v", o)
	}
}

func BenchmarkRunTrue(b *testing.B) {
	ways := []leash.Way{leash.Supports().Way, leash.Supports().Else}
	if linux {
		ways = append(ways, leash.Swept)
	}
	for _, way := range ways {
		b.Run(string(way), func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(b.Context(), Command{Line: "true", Dir: "/", way: way}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// In a world, an address loses its user and stays, and a token goes as a whole.
func TestEnvironOfAWorld(t *testing.T) {
	t.Setenv("GOPROXY", "https://me:aB3yLlU9QHmQ"+"aWWKmQe7@proxy.corp/go,direct")
	t.Setenv("TOKEN_OF_MINE", "gh"+"p_aB3yLlU9QHmQaWWKmQe7sEYWxQE5sBXx1ySU")
	env := environOf(Command{World: &world.World{}, Env: []string{"TOKEN_OF_MINE"}}, usualTemp)
	if !slices.Contains(env, "GOPROXY=https://proxy.corp/go,direct") || strings.Contains(strings.Join(env, " "), "TOKEN_OF_MINE") {
		t.Errorf("%q", env)
	}
}

// With the network of the host a command gets the user's proxies, in no form with a password.
func TestEnvironOfAWorldHasNoPasswordOfAProxy(t *testing.T) {
	for _, value := range []string{"http://me:secret@proxy.corp:3128", "me:secret@proxy.corp:3128", "http://me:se/secret@proxy.corp:3128"} {
		t.Setenv("HTTPS_PROXY", value)
		env := strings.Join(environOf(Command{World: &world.World{}, Network: network.Access{Host: true}}, usualTemp), "\n")
		if !strings.Contains(env, "proxy.corp:3128") || strings.Contains(env, "secret") {
			t.Errorf("%s:\n%s", value, env)
		}
	}
}
