package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/leash"
)

// A home is a workspace that contains the user's own settings and the state.
type home struct {
	t                    *testing.T
	dir, settings, state string // the folders
	c                    Command
}

func newHome(t *testing.T, way leash.Way) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, dir: dir, settings: filepath.Join(dir, ".config", "redline"), state: filepath.Join(dir, ".local", "state", "redline")}
	h.write(".config/redline/config.toml", "mine")
	h.write(".config/redline/agents/a.md", "mine")
	h.write(".config/other/f", "theirs")
	h.write(".local/state/redline/redline.db", "mine")
	h.write("project/a.go", "a")
	h.c = Command{
		Dir: dir, Write: []string{dir}, way: way,
		Own:        []string{h.settings + "/config.toml", h.settings + "/agents", h.settings + "/prompts", h.state},
		OwnFolders: []string{h.settings, h.state},
	}
	return h
}

func (h *home) write(name, text string) {
	h.t.Helper()
	name = filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// run runs a line, and returns its output.
func (h *home) run(line string) string {
	h.t.Helper()
	h.c.Line = line
	o, err := Run(h.t.Context(), h.c, nil)
	if err != nil {
		h.t.Fatalf("%s: %v", line, err)
	}
	return o.Output
}

// whole fails the test if one of the own files has changed.
func (h *home) whole(after string) {
	h.t.Helper()
	for _, name := range []string{h.settings + "/config.toml", h.settings + "/agents/a.md", h.state + "/redline.db"} {
		if text, err := os.ReadFile(name); string(text) != "mine" {
			h.t.Errorf("after %s: %s is %q, %v", after, name, text, err)
		}
	}
	for _, name := range []string{"prompts", "agents/evil.md", "templates"} {
		if _, err := os.Lstat(filepath.Join(h.settings, name)); err == nil {
			h.t.Errorf("after %s: there is %s", after, name)
		}
	}
}

// attacks are ways to change files that a command must not change.
var attacks = []string{
	`echo evil > .config/redline/config.toml`,
	`echo evil > .config/redline/agents/evil.md`,
	`mkdir .config/redline/prompts`,
	`rm -rf .config/redline; mkdir -p .config/redline; echo evil > .config/redline/config.toml`,
	`mv .config/redline .config/old; mkdir .config/redline; echo evil > .config/redline/config.toml`,
	`mv .config .config2; mkdir -p .config/redline; echo evil > .config/redline/config.toml`,
	`mv .local .local2; mkdir -p .local/state/redline; echo evil > .local/state/redline/redline.db`,
	`echo evil > new; mv -f new .config/redline/config.toml`,
	`ln -f .config/redline/config.toml hard && echo evil > hard`,
	`ln -s .config/redline soft; echo evil > soft/config.toml`,
	`sed -i s/mine/evil/ .local/state/redline/redline.db`,
	`truncate -s 0 .local/state/redline/redline.db`,
	`umount .config/redline; umount -l .config; mount -o remount,rw .config/redline; mount -o remount,bind,rw .config/redline; echo evil > .config/redline/config.toml`,
	`unshare -Urm sh -c 'umount -l .config/redline; umount -l .config; mount -o remount,bind,rw .config/redline; mkdir x; mount --bind . x && echo evil > x/.config/redline/config.toml; echo evil > .config/redline/config.toml'`,
	`nsenter -t 1 -m sh -c 'umount .config/redline; echo evil > "$PWD/.config/redline/config.toml"'`,
	`echo evil > /proc/1/root"$PWD"/.config/redline/config.toml`,
	`python3 -c "
import ctypes, os, struct
for name in '.config/redline', '.config', '.':
    ctypes.CDLL(None).syscall(442, -100, os.path.abspath(name).encode(), 0x8000, struct.pack('QQQQ', 0, 1, 0, 0), 32) # mount_setattr
"; echo evil > .config/redline/config.toml`,
	`python3 -c "import os; os.rename('.config', '.config2')"; mkdir -p .config/redline; echo evil > .config/redline/config.toml`,
}

// No command writes Redline's own files, even if they are in the workspace.
func TestOwnFilesAreReadOnly(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		for _, confine := range []string{ConfineAuto, ConfineOff} {
			if confine == ConfineOff && way != leash.Namespace {
				continue // nothing limits it
			}
			var all strings.Builder
			for _, line := range attacks {
				if confine == ConfineOff && os.Getuid() == 0 && strings.Contains(line, "mount") {
					continue // root may change mounts
				}
				all.WriteString("(" + line + ")\n")
			}
			h := newHome(t, way)
			h.c.Confine = confine
			h.run(all.String())
			h.whole(all.String())
		}
	})
}

// A command can do everything else as before: in namespaces everything but renaming across
// the folders above the protected files; elsewhere it cannot create anything directly in
// those folders.
func TestWhatIsBesideOwnFilesCanBeWritten(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		h := newHome(t, way)
		if got := h.run(`echo b > project/b.go && mv project/b.go project/c.go && echo x > .config/other/g && echo y > .config/other/f && cat project/c.go .config/other/f .config/redline/config.toml`); got != "b\ny\nmine" {
			t.Errorf("%q", got)
		}
		got := h.run(`{ echo top > top && mkdir sub && mv top sub/top && mkdir .config/new && echo n > .config/new/n; mv .config/new/n sub/n && cat sub/top sub/n; } 2>/dev/null`)
		if want := "top\nn\n"; way == leash.Namespace && got != want {
			t.Errorf("%q", got)
		} else if way != leash.Namespace && got != "" {
			t.Errorf("in a folder on the way something was made: %q", got)
		}
		h.whole("that")
	})
}

// Links on the way cannot be replaced, and their targets are protected too.
func TestOwnFilesBehindLinks(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		for _, line := range []string{ // one by one: some would only get in the way of others
			`echo evil > dot/redline/config.toml; echo evil > dot/a.md; rm dot/a.md; echo evil > dot/a.md`,
			`rm -f .config/redline; mkdir .config/redline; echo evil > .config/redline/config.toml`,
			`mv dot dot2; mkdir -p dot/redline; echo evil > dot/redline/config.toml`,
			`ln -sfn ../project .config/redline; echo evil > project/config.toml`,
		} {
			h := newHome(t, way)
			if err := os.Rename(h.settings, filepath.Join(h.dir, "redline")); err != nil {
				t.Fatal(err)
			}
			h.write("dot/a.md", "mine")
			for from, to := range map[string]string{
				filepath.Join(h.dir, "dot", "redline"): filepath.Join("..", "redline"),
				h.settings:                             filepath.Join("..", "dot", "redline"),
				filepath.Join(h.dir, "redline", "agents", "b.md"): filepath.Join("..", "..", "dot", "a.md"),
			} {
				if err := os.Symlink(to, from); err != nil {
					t.Fatal(err)
				}
			}
			h.run(line)
			h.whole(line)
			if text, err := os.ReadFile(filepath.Join(h.settings, "agents", "b.md")); string(text) != "mine" {
				t.Errorf("after %s: %q, %v", line, text, err)
			}
		}
	})
}

// Another name of the same file does not reach it.
func TestOwnFilesWithHardLinks(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		h := newHome(t, way)
		for from, to := range map[string]string{h.settings + "/config.toml": "project/config", h.settings + "/agents/a.md": "project/agent"} {
			if err := os.Link(from, filepath.Join(h.dir, to)); err != nil {
				t.Fatal(err)
			}
		}
		h.run(`echo evil > project/config; echo evil > project/agent`)
		h.whole("that")
	})
}

// A missing own file cannot be created either.
func TestOwnFilesThatAreMissing(t *testing.T) {
	everyWay(t, func(t *testing.T, way leash.Way) {
		h := newHome(t, way)
		if err := os.RemoveAll(filepath.Join(h.dir, ".config")); err != nil {
			t.Fatal(err)
		}
		h.run(`mkdir -p .config/redline; echo evil > .config/redline/config.toml; mv .config x; mkdir -p .config/redline; echo evil > .config/redline/config.toml`)
		if _, err := os.Stat(h.settings + "/config.toml"); !os.IsNotExist(err) {
			t.Errorf("there are settings now: %v", err)
		}
		h = newHome(t, way) // a settings file beside that of the project
		own := filepath.Join(h.dir, "project", "mine.toml")
		h.c.Own, h.c.OwnFolders = append(h.c.Own, own), append(h.c.OwnFolders, filepath.Join(h.dir, "project", "agents"))
		h.run(`echo evil > project/mine.toml; mkdir project/agents; echo evil > project/agents/evil.md`)
		for _, name := range []string{own, filepath.Join(h.dir, "project", "agents", "evil.md")} {
			if _, err := os.Stat(name); !os.IsNotExist(err) {
				t.Errorf("there is %s: %v", name, err)
			}
		}
	})
}

// A command does not run if nothing can protect the files from it.
func TestOwnFilesThatNothingKeeps(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	o := order{Way: leash.Swept, Own: []string{own}, Confine: ConfineAuto}
	if _, err := keepOwn(o, []string{dir}, limits{}); err == nil || !strings.Contains(err.Error(), own) {
		t.Errorf("%v", err)
	}
	if _, err := keepOwn(o, []string{t.TempDir()}, limits{}); err != nil {
		t.Errorf("elsewhere: %v", err)
	}
	o.Confine = ConfineOff
	if _, err := keepOwn(o, []string{dir}, limits{}); err != nil {
		t.Errorf("switched off: %v", err)
	}
}
