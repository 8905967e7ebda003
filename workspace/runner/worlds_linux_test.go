//go:build amd64 || arm64

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/leash"
)

// Where there are namespaces there are worlds, which keep commands from changing anything else.
func TestWorlds(t *testing.T) {
	switch err := Worlds(); {
	case err != nil && os.Getenv("REDLINE_TEST_WORLDS") != "":
		t.Error(err)
	case err != nil:
		t.Skip("there are no worlds here: " + err.Error())
	}
}

// A folder for temporary files with a long name does not prevent the test of worlds: the name of a
// socket in it would be too long.
func TestWorldsWithALongName(t *testing.T) {
	if err := Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	kind, _ := Apart()
	if _, err := testWorld(nil, kind, OnDisk()); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(long); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
}

// sayWorlds is the main function of a process that says whether there are worlds where it runs.
func sayWorlds() {
	err := Worlds()
	refused, ok := errors.AsType[*leash.Refusal](err)
	switch {
	case err == nil:
		fmt.Println("there are worlds")
	case !ok:
		fmt.Println("not refused:", err)
	default:
		fmt.Printf("%s\n%s\n", err, refused.Do)
	}
}

// If the system refuses something that a world needs, the reason names the setting, and what to do.
func TestWorldsThatAreRefused(t *testing.T) {
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip("there is no unshare here")
	}
	if err := Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	const ready = "ready"
	for name, c := range map[string]struct {
		flags, setting string
		why, do        string
	}{
		"no user namespaces": {
			"-Ur", "echo 0 > /proc/sys/user/max_user_namespaces",
			"namespaces are switched off here: user.max_user_namespaces = 0", "sysctl -w user.max_user_namespaces=",
		},
		"no mount namespaces": {
			"-Ur", "echo 0 > /proc/sys/user/max_mnt_namespaces",
			"namespaces are switched off here: user.max_mnt_namespaces = 0", "sysctl -w user.max_mnt_namespaces=",
		},
		"masked proc": {
			"-Urmpf", "mount -t proc proc /proc && mount -t tmpfs none /proc/bus",
			"/proc cannot be mounted for it: operation not permitted; parts of /proc are hidden here, as in most containers", "outside of the container",
		},
	} {
		t.Run(name, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(unshare, c.flags, "sh", "-c", c.setting+" && echo "+ready+` && exec "$0"`, self)
			cmd.Env = append(os.Environ(), "RUNNER_TEST_WORLDS=1")
			out, err := cmd.CombinedOutput()
			said, ok := strings.CutPrefix(string(out), ready+"\n")
			if !ok {
				t.Skipf("%s cannot be had here: %v %s", name, err, out)
			}
			why, do, _ := strings.Cut(said, "\n")
			if !strings.HasSuffix(why, c.why) || !strings.Contains(do, c.do) {
				t.Errorf("it says\n%s\nwant\n%s\n%s", said, c.why, c.do)
			}
		})
	}
}
