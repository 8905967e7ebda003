//go:build unix

package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func ownedByTester(t *testing.T) {
	was := administrators
	administrators = append(slices.Clone(was), uint32(os.Geteuid()))
	t.Cleanup(func() { administrators = was })
}

// anothers makes a user who is not an administrator the owner of a file.
func anothers(path string) error {
	if os.Geteuid() == 0 {
		return os.Lchown(path, 12345, -1)
	}
	administrators = []uint32{0}
	return nil
}

// Only root sets a policy: a file that others could have written, or can replace or remove, is not
// a policy, and stops the program.
func TestWhoseAPolicyIs(t *testing.T) {
	moved := func(p string, do func(to string) error) error { // the policy is a link to a file elsewhere
		to := filepath.Join(filepath.Dir(p), "elsewhere", "policy.toml")
		if err := os.Mkdir(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(p, to); err != nil {
			return err
		}
		if err := os.Symlink("elsewhere/policy.toml", p); err != nil {
			return err
		}
		return do(to)
	}
	replaced := func(p string, by func() error) error {
		if err := os.Remove(p); err != nil {
			return err
		}
		return by()
	}
	for what, c := range map[string]struct {
		spoil func(path string) error
		want  string
	}{
		"all may write it":               {func(p string) error { return os.Chmod(p, 0o666) }, "others than root can write it"},
		"its group may write it":         {func(p string) error { return os.Chmod(p, 0o664) }, "others than root can write it"},
		"all may write its folder":       {func(p string) error { return os.Chmod(filepath.Dir(p), 0o777) }, "others than root can write to its folder"},
		"all may write the folder above": {func(p string) error { return os.Chmod(filepath.Dir(filepath.Dir(p)), 0o777) }, "others than root can write to the folder "},
		"it is another user's":           {anothers, "it does not belong to root"},
		"its folder is another user's":   {func(p string) error { return anothers(filepath.Dir(p)) }, "does not belong to root"},
		"it was removed from a folder that all may write": {func(p string) error {
			return replaced(p, func() error { return os.Chmod(filepath.Dir(p), 0o777) })
		}, "others than root can write to its folder"},
		"it is a folder":    {func(p string) error { return replaced(p, func() error { return os.Mkdir(p, 0o755) }) }, "it is not a file"},
		"it is a pipe":      {func(p string) error { return replaced(p, func() error { return syscall.Mkfifo(p, 0o644) }) }, "it is not a file"},
		"it is a device":    {func(p string) error { return replaced(p, func() error { return os.Symlink("/dev/null", p) }) }, "can write it"},
		"it is too large":   {func(p string) error { return os.Truncate(p, maxFileSize+1) }, "it is not a file"},
		"a link to nothing": {func(p string) error { return replaced(p, func() error { return os.Symlink("nothing", p) }) }, "it is a link, and "},
		"a link to itself":  {func(p string) error { return replaced(p, func() error { return os.Symlink("policy.toml", p) }) }, "in a circle"},
		"a link to what all may write": {func(p string) error {
			return moved(p, func(to string) error { return os.Chmod(to, 0o666) })
		}, "others than root can write it"},
		"a link into a folder that all may write": {func(p string) error {
			return moved(p, func(to string) error { return os.Chmod(filepath.Dir(to), 0o777) })
		}, "others than root can write to its folder"},
		"a link to another user's file": {func(p string) error { return moved(p, anothers) }, "it does not belong to root"},
	} {
		t.Run(what, func(t *testing.T) {
			src := sources(t, "", nil, nil)
			src.Policy = policyIn(t, "[trials]\nmode = \"off\"\n")
			if err := c.spoil(src.Policy); err != nil {
				t.Fatal(err)
			}
			_, _, err := Load(src)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "Ask who administers this machine to fix it") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A policy may be a link, as on systems where all of /etc is one, and be below a folder like /tmp,
// where nobody can replace another user's files.
func TestWherePoliciesMayBe(t *testing.T) {
	for what, arrange := range map[string]func(path string) error{
		"a link": func(p string) error {
			if err := os.Rename(p, p+".real"); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(p)+".real", p)
		},
		"a folder that is a link": func(p string) error {
			dir := filepath.Dir(p)
			if err := os.Rename(dir, dir+"-real"); err != nil {
				return err
			}
			return os.Symlink("../"+filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir)+"-real", dir)
		},
		"a folder with the sticky bit": func(p string) error {
			return os.Chmod(filepath.Dir(p), 0o777|os.ModeSticky)
		},
	} {
		t.Run(what, func(t *testing.T) {
			src := sources(t, "[trials]\nmode = \"on\"\n", nil, nil)
			src.Policy = policyIn(t, "[trials]\nmode = \"off\"\n")
			if err := arrange(src.Policy); err != nil {
				t.Fatal(err)
			}
			if s, _, err := Load(src); err != nil || s.Trials.Mode != "off" {
				t.Errorf("trials are %q, %v", s.Trials.Mode, err)
			}
		})
	}
}

func TestAPolicyThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read every file: run the tests as another user")
	}
	for what, mode := range map[string]os.FileMode{"policy.toml": 0, ".": 0o600} {
		src := sources(t, "", nil, nil)
		src.Policy = policyIn(t, "")
		at := filepath.Join(filepath.Dir(src.Policy), what)
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(src); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", what, err)
		}
		if err := os.Chmod(at, 0o700); err != nil { // so that it can be removed
			t.Fatal(err)
		}
	}
}
