//go:build amd64 || arm64

package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/world"
)

// A world shows a workspace wherever it is.
func TestWorldPlaces(t *testing.T) {
	for name, place := range map[string]func(t *testing.T, h *house) (dir string){
		"in the home folder": func(t *testing.T, h *house) string {
			h.world.Folders = []string{filepath.Join(h.home, "src", "p")}
			h.write(t, "home/src/p/a.txt", "host\n", 0o644)
			h.write(t, "home/src/other/a.txt", "other\n", 0o644)
			return h.world.Folders[0]
		},
		"the home folder": func(t *testing.T, h *house) string {
			h.world.Folders, h.world.Hidden = []string{h.home}, []string{filepath.Join(h.home, ".netrc")}
			h.write(t, "home/a.txt", "host\n", 0o644)
			return h.home
		},
		"odd names": func(t *testing.T, h *house) string {
			h.write(t, "a:b,c\\d\"e'f\ng é/a.txt", "host\n", 0o644)
			h.world.Folders = []string{filepath.Join(h.dir, "a:b,c\\d\"e'f\ng é")}
			return h.world.Folders[0]
		},
		"behind a link": func(t *testing.T, h *house) string {
			link := filepath.Join(h.dir, "by link")
			if err := os.Symlink("work space", link); err != nil {
				t.Fatal(err)
			}
			h.world.Folders = []string{link}
			return link
		},
		"within another": func(t *testing.T, h *house) string {
			h.write(t, "work space/in/a.txt", "host\n", 0o644)
			h.world.Folders = []string{filepath.Join(h.workspace, "in"), h.workspace}
			return filepath.Join(h.workspace, "in")
		},
		"with a tool in it": func(t *testing.T, h *house) string {
			h.write(t, "work space/node_modules/x/a.txt", "host\n", 0o644)
			h.world.Tools = append(h.world.Tools, filepath.Join(h.workspace, "node_modules", "x"))
			return filepath.Join(h.workspace, "node_modules", "x")
		},
		"read-only": func(t *testing.T, h *house) string {
			if os.Geteuid() == 0 {
				mount(t, "", h.workspace, "", unix.MS_BIND)
				if err := readOnlyMount(h.workspace); err != nil {
					t.Fatal(err)
				}
			} else if err := os.Chmod(h.workspace, 0o555); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(h.workspace, 0o755) }) // so that it can be removed
			return h.workspace
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			dir := place(t, h)
			changed := filepath.Join(dir, "b.txt")
			if name != "read-only" || os.Geteuid() == 0 {
				h.world.Changes = []world.Change{{Path: changed, Text: []byte("new\n")}}
			}
			before := h.files(t)
			o, err := Run(context.Background(), Command{Line: "pwd; cat a.txt; cat b.txt; ls ../other/a.txt; cat ~/.netrc; cat " + h.outside + "/file; echo x >> a.txt; cat a.txt", Dir: dir, World: &h.world, Limits: Limits{Time: time.Minute}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(o.Stdout, "host\n") || len(h.world.Changes) > 0 && !strings.Contains(o.Stdout, "new\nhost\nx\n") || strings.Contains(o.Output, "outside\n") || strings.Contains(o.Output, "secret") {
				t.Errorf("%+v", o)
			}
			if after := h.files(t); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		})
	}
}

// A mount inside a workspace is visible in the world, and copied too.
func TestWorldShowsMountsInTheWorkspace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	h := newHouse(t)
	h.write(t, "work space/deep/down/x", "", 0o644)
	h.write(t, "work space/deep/beside/y", "y\n", 0o644)
	at := filepath.Join(h.workspace, "deep/down")
	mount(t, "tmpfs", at, "tmpfs", 0)
	h.write(t, "work space/deep/down/mounted", "mounted\n", 0o644)
	h.world.Changes = []world.Change{{Path: filepath.Join(at, "b.txt"), Text: []byte("new\n")}, {Path: filepath.Join(h.workspace, "c.txt"), Text: []byte("c\n")}}
	before := h.files(t)
	o := h.run(t, "cat deep/down/mounted deep/down/b.txt deep/beside/y c.txt a.txt; ./run.sh; cat .env; echo x > deep/down/mounted; echo x > deep/beside/y; echo x > new; rm a.txt; ls -d deep/down/x", time.Minute)
	if o.Stdout != "mounted\nnew\ny\nc\nhost\nran\n" || strings.Contains(o.Output, "key") {
		t.Errorf("%+v", o)
	}
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// The home folder exists and is empty, wherever it is.
func TestWorldHasAHomeAnywhere(t *testing.T) {
	h := newHouse(t)
	h.world.Tools = nil
	for _, in := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		home, err := os.MkdirTemp(in, "redline-home-")
		if err != nil {
			t.Log(err)
			continue
		}
		t.Cleanup(func() { os.Remove(home) })
		t.Setenv("HOME", home)
		h.world.Home = home
		if o := h.run(t, "ls -A ~ && touch ~/made", time.Minute); o.Output != ".profile\n.zprofile\n" || o.ExitCode != 0 {
			t.Errorf("in %s: %+v", in, o)
		}
		if names, err := os.ReadDir(home); err != nil || len(names) != 0 {
			t.Errorf("in %s: it left %v, %v", in, names, err)
		}
	}
}

// A workspace that is the whole file system has no world, and neither has a missing one.
func TestWorldRefusesTheRoot(t *testing.T) {
	h := newHouse(t)
	h.world.Folders = []string{"/"}
	_, err := Run(context.Background(), Command{Line: "true", Dir: "/", World: &h.world}, nil)
	if err == nil || !strings.Contains(err.Error(), "open the folder of a project") {
		t.Error(err)
	}
	h.world.Folders = []string{filepath.Join(h.dir, "missing")}
	if o, err := Run(context.Background(), Command{Line: "true", Dir: h.world.Folders[0], World: &h.world}, nil); err == nil {
		t.Errorf("%+v", o)
	}
}

func mount(t *testing.T, from, at, kind string, flags uintptr) {
	t.Helper()
	if from == "" {
		from = at
	}
	if err := unix.Mount(from, at, kind, flags, ""); err != nil {
		t.Skipf("%s cannot be mounted here: %v", at, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func readOnlyMount(at string) error {
	return unix.MountSetattr(unix.AT_FDCWD, at, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}
