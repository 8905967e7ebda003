//go:build amd64 || arm64

package runner

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"redline/workspace/world"
)

// ordinary is the user that runs tests as an ordinary one.
const ordinary = 34567

var worldAll = flag.Bool("world.all", false, "run the slow tests of worlds too as an ordinary user, by bwrap and on a disk")

// slowInWorlds are the tests that only -world.all runs again in another kind of world. They take
// longer than all the others together.
const slowInWorlds = "^Test(WorldLimits|WorldEndsWhatHoldsTooMuch|WorldLeavesNothing|WorldSharesNoLocks|WorldOfBwrapRunsGo|LimitedKeepsFilesAsTheyAre|WorldCapturesMany|WorldCapturesDeepFolders|WorldStateOfManyFiles|WorldStateOfDeepFolders|WorldStateIsWholeWhenKilled)$"

// again returns the arguments with which a test program runs the tests of a pattern once more.
func again(pattern string) []string {
	args := []string{"-test.run", pattern, "-test.v", "-test.timeout", "15m", "-world.kills", strconv.Itoa(*worldKills)}
	if *worldAll {
		return append(args, "-world.all")
	}
	return append(args, "-test.skip", slowInWorlds)
}

// skipShort skips tests that run others again, in another kind of world, in a short run. The order of events, which short
// runs are about, is the same there.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs all tests of worlds again: leave out -short")
	}
}

// All tests of worlds and of the limits pass for an ordinary user too.
func TestAsAnOrdinaryUser(t *testing.T) {
	asOrdinaryUser(t, "^Test(World|Limited|UppersBeside)", func(*exec.Cmd) {})
}

// Where a policy lets only bwrap build worlds, bwrap builds them: all tests of worlds pass in its
// worlds.
func TestByBwrap(t *testing.T) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("there is no bwrap here")
	}
	asOrdinaryUser(t, "^TestWorld", func(c *exec.Cmd) { c.Env = append(c.Env, "WORLD_TEST_KIND=bwrap") })
}

// Where users may not create namespaces, a bwrap that runs as root builds worlds, and Redline finds
// that out by itself: all tests of worlds pass.
func TestByBwrapAsRoot(t *testing.T) {
	installed, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("there is no bwrap here")
	}
	asOrdinaryUser(t, "^TestWorld", func(c *exec.Cmd) {
		data, err := os.ReadFile(installed)
		if err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(filepath.Dir(c.Path), "bwrap")
		if err := os.WriteFile(program, data, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(program, 0o755|os.ModeSetuid); err != nil {
			t.Fatal(err)
		}
		// The limit applies in a user namespace that has the users of this one: the limit of the
		// machine is unchanged.
		const refuse = `echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --reuid $USER_ID --regid $USER_ID --clear-groups "$0" "$@"`
		c.Env = append(c.Env, "WORLD_TEST_REFUSED=1", bwrapVariable+"="+program, fmt.Sprintf("USER_ID=%d", ordinary))
		c.Args = append([]string{"sh", "-c", refuse, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
		all := []syscall.SysProcIDMap{{Size: 65536}}
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: all, GidMappings: all, GidMappingsEnableSetgroups: true}
	})
}

// bwrapVariable names the bwrap that a process of these tests uses.
const bwrapVariable = "RUNNER_TEST_BWRAP"

// useBwrap does as [bwrapVariable] says.
func useBwrap() {
	if program := os.Getenv(bwrapVariable); program != "" {
		findBwrap = func() (string, error) { return program, nil }
	}
}

// asOrdinaryUser runs the tests of a pattern as another user, in a process that prepare changes.
func asOrdinaryUser(t *testing.T, pattern string, prepare func(c *exec.Cmd)) {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv("WORLD_TEST_USER") != "" {
		t.Skip("this is an ordinary user already")
	}
	skipShort(t)
	dir, err := os.MkdirTemp("/tmp", "redline-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "test"), program, 0o755), os.Chmod(filepath.Join(dir, "test"), 0o755),
		os.Mkdir(filepath.Join(dir, "tmp"), 0o700), os.Chown(filepath.Join(dir, "tmp"), ordinary, ordinary),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(filepath.Join(dir, "test"), again(pattern)...)
	c.Dir = filepath.Join(dir, "tmp")
	c.Env = []string{"HOME=" + c.Dir, "TMPDIR=" + c.Dir, "PATH=" + os.Getenv("PATH"), "WORLD_TEST_USER=1", onDiskVariable + "=" + os.Getenv(onDiskVariable), "GORACE=" + os.Getenv("GORACE")}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	prepare(c)
	out, err := c.CombinedOutput()
	passed, rest := results(string(out))
	for _, line := range passed {
		t.Log(line)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, rest)
	}
}

// results splits what a test program printed into a line for each test that passed or was skipped, and
// all that the others printed.
func results(out string) (passed []string, rest string) {
	var of strings.Builder // what the test that runs has printed
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "=== RUN "); ok && !strings.Contains(name, "/") {
			rest += of.String()
			of.Reset()
		}
		of.WriteString(line)
		if strings.HasPrefix(line, "--- PASS") || strings.HasPrefix(line, "--- SKIP") {
			passed = append(passed, strings.TrimSpace(line))
			of.Reset()
		}
	}
	return passed, rest + of.String()
}

// worldsOfTest is [Worlds] for the kind of world that is tested.
func worldsOfTest() error {
	if world.Kind(os.Getenv("WORLD_TEST_KIND")) != world.Bwrap {
		return Worlds()
	}
	_ = Worlds() // which sets found
	found.Store(&apart{kind: world.Bwrap})
	return worldsOfBwrap()
}

var worldsOfBwrap = sync.OnceValue(func() error { _, err := testWorld(nil, world.Bwrap, false); return err })

// Where users may not create namespaces and bwrap can, bwrap builds the worlds.
func TestWorldsFallBack(t *testing.T) {
	if os.Getenv("WORLD_TEST_REFUSED") == "" {
		t.Skip("namespaces are allowed here")
	}
	if err := Worlds(); err != nil {
		t.Fatal(err)
	}
	if kind, why := Apart(); kind != world.Bwrap || !strings.Contains(why, "user.max_user_namespaces = 0") {
		t.Errorf("it is %s, since %s", kind, why)
	}
}

// What passed takes a line each, so that what failed is seen in a long record.
func TestResults(t *testing.T) {
	passed, rest := results("=== RUN   TestA\n    said by A\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n=== RUN   TestB/part\n    said by B\n--- FAIL: TestB (0.01s)\n    --- FAIL: TestB/part (0.01s)\n=== RUN   TestC\n--- SKIP: TestC (0.00s)\nFAIL\n")
	if want := []string{"--- PASS: TestA (0.00s)", "--- SKIP: TestC (0.00s)"}; !slices.Equal(passed, want) {
		t.Errorf("passed: %q", passed)
	}
	if want := "=== RUN   TestB\n=== RUN   TestB/part\n    said by B\n--- FAIL: TestB (0.01s)\n    --- FAIL: TestB/part (0.01s)\nFAIL\n"; rest != want {
		t.Errorf("the rest: %q", rest)
	}
}
