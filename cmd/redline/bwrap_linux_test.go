package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Where users may not create namespaces but bwrap runs as root, trials use bwrap: doctor says so
// and why, and results name it.
func TestTrialsByBwrap(t *testing.T) {
	const installed, user = "/usr/bin/bwrap", 34568
	if _, err := os.Stat(installed); err != nil || os.Geteuid() != 0 {
		t.Skip("this needs bwrap, and root to have one that runs as root")
	}
	dir, err := os.MkdirTemp("/tmp", "redline-bwrap-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	copied := func(from, to string, mode os.FileMode) error {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o755); err != nil {
			return err
		}
		return os.Chmod(to, mode)
	}
	for _, err := range []error{
		os.Chmod(dir, 0o755), copied(self, at("redline"), 0o755), copied(installed, at("bwrap"), 0o755|os.ModeSetuid),
		os.MkdirAll(at("home/shop/.redline"), 0o755), os.WriteFile(at("home/shop/a.txt"), []byte("one\n"), 0o644),
		filepath.WalkDir(at("home"), func(name string, _ os.DirEntry, err error) error { return os.Chown(name, user, user) }),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, line string) string {
		t.Helper()
		// Both settings apply only in this command's namespaces.
		c := exec.Command("sh", "-c", fmt.Sprintf(`mount --bind %s %s && echo 0 > /proc/sys/user/max_user_namespaces &&
			cd %s && exec setpriv --reuid %d --regid %d --clear-groups sh -c %q`, at("bwrap"), installed, at("home/shop"), user, user, line))
		c.Env = []string{"HOME=" + at("home"), "PATH=" + dir + ":" + os.Getenv("PATH"), "REDLINE_STATE_DIR=" + at("home/state"), "XDG_CONFIG_HOME=" + at("home/.config")}
		all := []syscall.SysProcIDMap{{Size: 65536}}
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: all, GidMappings: all, GidMappingsEnableSetgroups: true}
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Skip("namespaces are not to be had here: ", err)
		}
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit status %d, want %d\n%s", line, got, want, out)
		}
		return string(out)
	}
	said := run(0, "redline doctor")
	for _, want := range []string{"ok trials", "bwrap keeps it apart, with a copy of the workspace", "user.max_user_namespaces = 0"} {
		if !strings.Contains(said, want) {
			t.Errorf("doctor lacks %q:\n%s", want, said)
		}
	}
	run(3, "redline run 'replace \"one\" with \"1\" in a.txt'")
	run(0, "redline trials allow")
	said = run(0, "redline plans try 1 --json -- 'grep -q 1 a.txt && test ! -e /sys/kernel && echo x > a.txt'")
	if !strings.Contains(said, `"world":"bwrap"`) || !strings.Contains(said, `"verdict":"passed"`) {
		t.Errorf("it says\n%s", said)
	}
	if text, err := os.ReadFile(at("home/shop/a.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("a.txt has %q, %v", text, err)
	}
}
