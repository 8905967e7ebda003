package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

// A cgroup for bounds is made in the nearest one that passes the controllers on, and that this user
// may change.
func TestNearest(t *testing.T) {
	for name, c := range map[string]struct {
		own     string
		groups  map[string]string // and what they pass on
		without string            // a cgroup that this user cannot move processes in
		want    string
	}{
		"a scope in a session": {
			own:    "user.slice/user@1000.service/app.slice/term.scope",
			groups: map[string]string{"": "cpu memory pids", "user.slice": "cpu memory pids", "user.slice/user@1000.service": "cpu memory pids", "user.slice/user@1000.service/app.slice": "memory pids", "user.slice/user@1000.service/app.slice/term.scope": ""},
			want:   "user.slice/user@1000.service/app.slice",
		},
		"higher up":      {own: "a/b/c", groups: map[string]string{"": "memory pids", "a": "pids memory", "a/b": "cpu", "a/b/c": ""}, want: "a"},
		"its own":        {own: "a", groups: map[string]string{"": "memory pids", "a": "memory pids"}, want: "a"},
		"the outermost":  {own: "", groups: map[string]string{"": "memory pids"}, want: "."},
		"no memory":      {own: "a", groups: map[string]string{"": "cpu pids", "a": ""}},
		"not its own":    {own: "a/b", groups: map[string]string{"": "", "a": "memory pids", "a/b": ""}, without: "a"},
		"no cgroup":      {own: "a/gone", groups: map[string]string{"": "cpu"}},
		"similar words":  {own: "a", groups: map[string]string{"": "memory_pressure pids", "a": ""}},
		"nothing at all": {own: ""},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			for group, passed := range c.groups {
				dir := filepath.Join(top, group)
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte(passed+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				if group == c.without && group != "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := ""
			if c.want != "" {
				want = filepath.Join(top, c.want)
			}
			if got := nearest(filepath.Join(top, c.own), top); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	if got := nearest("", ""); got != "" {
		t.Errorf("without cgroups: %q", got)
	}
	if got := nearest("/other/a", t.TempDir()); got != "" {
		t.Errorf("elsewhere: %q", got)
	}
}

// The bounds of a cgroup are what was asked for, and nothing is left of it.
func TestBounded(t *testing.T) {
	g := Bounded(Bounds{Memory: 64 << 20, Processes: 7})
	if g == nil {
		t.Skip("no cgroup with memory and pids is delegated to this user")
	}
	for file, want := range map[string]string{"memory.max": "67108864\n", "pids.max": "7\n", "memory.oom.group": "1\n"} {
		if got, err := os.ReadFile(filepath.Join(g.dir.Name(), file)); string(got) != want {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	if g.OutOfMemory() {
		t.Error("nothing has run in it")
	}
	g.Remove()
	if _, err := os.Stat(g.dir.Name()); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}
