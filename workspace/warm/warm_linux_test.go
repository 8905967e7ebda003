package warm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// crate is a workspace with a crate, and a keeper with a clock of its own.
type crate struct {
	t      *testing.T
	dir    string
	keeper *Keeper
	now    time.Time
	build  Build
}

func newCrate(t *testing.T) *crate {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &crate{t: t, dir: dir, keeper: In(t.TempDir()), now: time.Now()}
	c.keeper.now = func() time.Time { return c.now }
	c.write("src/lib.rs", "lib")
	c.write("src/other.rs", "other")
	c.write("data.txt", "data")
	c.old("src/lib.rs", "src/other.rs", "data.txt")
	c.build = Build{Target: c.path("target"), Folders: []string{dir}, Most: 1 << 20}
	c.later()
	return c
}

func (c *crate) path(name string) string { return filepath.Join(c.dir, name) }

func (c *crate) write(name, text string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// link makes a link, in place of what is there.
func (c *crate) link(name, to string) {
	c.t.Helper()
	_ = os.Remove(c.path(name))
	if err := os.Symlink(to, c.path(name)); err != nil {
		c.t.Fatal(err)
	}
}

// old gives files a time long ago, as of a file that was moved here.
func (c *crate) old(names ...string) {
	c.t.Helper()
	at := time.Now().Add(-time.Hour)
	for _, name := range names {
		if err := os.Chtimes(c.path(name), at, at); err != nil {
			c.t.Fatal(err)
		}
	}
}

// later lets the clock go on, beyond what has happened to files so far.
func (c *crate) later() { c.now = c.now.Add(time.Minute) }

// changes are the texts of a plan: a name, then its text, "" for a file that is gone.
func (c *crate) changes(pairs ...string) {
	c.build.Changes = nil
	for i := 0; i < len(pairs); i += 2 {
		c.build.Changes = append(c.build.Changes, world.Change{Path: c.path(pairs[i]), Text: []byte(pairs[i+1]), Gone: pairs[i+1] == ""})
	}
}

// take takes the folder. It returns whether it has what the last run left, and the names of the files
// that count as new since then.
func (c *crate) take() (taken *Taken, warm bool, touched string) {
	c.t.Helper()
	c.later()
	if taken = c.keeper.Take(context.Background(), c.build); taken == nil {
		c.t.Fatal("there is no folder")
	}
	_, err := os.Lstat(filepath.Join(taken.Kept().From, "debug", ".fingerprint"))
	var names []string
	for _, change := range taken.Changes() {
		if change.Time.Equal(c.now) {
			name, _ := filepath.Rel(c.dir, change.Path)
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return taken, err == nil, strings.Join(names, " ")
}

// run is a run that builds, and its end.
func (c *crate) run(e End) (warm bool, touched string) {
	c.t.Helper()
	taken, warm, touched := c.take()
	for _, name := range []string{"debug/.fingerprint/lib", "debug/deps/lib-0123456789abcdef", "tmp/left", ".rustc_info.json"} {
		name = filepath.Join(taken.Kept().From, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			c.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("built"), 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
	c.later()
	taken.Return(e)
	return warm, touched
}

func (c *crate) want(warm bool, touched string, e End) {
	c.t.Helper()
	if gotWarm, got := c.run(e); gotWarm != warm || got != touched {
		c.t.Errorf("warm: %v, with new times for %q; want %v, %q", gotWarm, got, warm, touched)
	}
}

var ended = End{Known: true}

// A text that the last run did not see gets a new time, and keeps it while it stays.
func TestTimes(t *testing.T) {
	for name, steps := range map[string]func(c *crate){
		"nothing changes": func(c *crate) {
			c.want(false, "", ended)
			c.want(true, "", ended)
		},
		"an edit, kept, changed, rejected": func(c *crate) {
			c.changes("src/lib.rs", "edited")
			c.want(false, "src/lib.rs", ended)
			c.want(true, "", ended)
			c.changes("src/lib.rs", "again")
			c.want(true, "src/lib.rs", ended)
			c.changes()
			c.want(true, "src/lib.rs", ended)
			c.want(true, "", ended)
			c.changes("src/lib.rs", "again") // what was built from it was built before
			c.want(true, "src/lib.rs", ended)
		},
		"an edit that is approved and saved": func(c *crate) {
			c.changes("src/lib.rs", "edited")
			c.want(false, "src/lib.rs", ended)
			c.changes()
			c.write("src/lib.rs", "edited")
			c.want(true, "", ended)
		},
		"a new file": func(c *crate) {
			c.want(false, "", ended)
			c.changes("src/new.rs", "new")
			c.want(true, "src/lib.rs src/new.rs src/other.rs", ended)
			c.want(true, "", ended)
		},
		"a file that is gone": func(c *crate) {
			c.want(false, "", ended)
			c.changes("src/other.rs", "")
			c.want(false, "", ended)
			c.changes()
			c.want(true, "src/lib.rs src/other.rs", ended)
		},
		"a new file that is rejected": func(c *crate) {
			c.changes("src/new.rs", "new")
			c.want(false, "src/new.rs", ended)
			c.changes()
			c.want(false, "", ended)
		},
		"files of editors": func(c *crate) {
			c.write("src/.lib.rs.swp", "swap")
			c.want(false, "", ended)
			c.link("src/.#lib.rs", "me@host.1")
			c.want(true, "", ended)
			_ = os.Remove(c.path("src/.#lib.rs"))
			_ = os.Remove(c.path("src/.lib.rs.swp"))
			c.want(true, "", ended)
		},
		"a source that the command writes": func(c *crate) {
			c.want(false, "", End{Known: true, Written: []string{c.path("src/lib.rs")}})
			c.want(false, "", ended)
		},
		"a source that the command makes": func(c *crate) {
			c.want(false, "", End{Known: true, Written: []string{c.path("src/gen.rs")}})
			c.want(false, "", ended)
		},
		"an edit that the command writes over": func(c *crate) {
			c.changes("src/lib.rs", "edited")
			c.want(false, "src/lib.rs", End{Known: true, Written: []string{c.path("src/lib.rs")}})
			c.want(false, "src/lib.rs", ended)
		},
		"a link that the command makes": func(c *crate) {
			c.link("src/.cur.rs", "lib.rs")
			c.want(false, "", End{Known: true, Written: []string{c.path("src/.cur.rs")}})
			c.want(false, "", ended)
		},
		"a lock file that cargo makes or changes": func(c *crate) {
			c.want(false, "", End{Known: true, Written: []string{c.path("Cargo.lock")}})
			c.want(true, "", ended)
			c.write("Cargo.lock", "lock")
			c.old("Cargo.lock")
			c.run(ended)
			c.want(true, "", End{Known: true, Written: []string{c.path("Cargo.lock")}})
			c.want(true, "Cargo.lock", ended)
		},
		"a note of a test": func(c *crate) {
			c.want(false, "", End{Known: true, Written: []string{c.path("src/.lib.rs.pending-snap")}})
			c.want(true, "", ended)
		},
		"a link that leads elsewhere": func(c *crate) {
			c.link("src/cur.rs", "lib.rs")
			c.want(false, "", ended)
			c.want(true, "", ended)
			c.link("src/cur.rs", "other.rs")
			c.want(false, "", ended)
			c.want(true, "", ended)
			_ = os.Remove(c.path("src/cur.rs"))
			c.want(false, "", ended)
			c.link("src/cur.rs", "other.rs")
			c.want(false, "", ended)
		},
		"too many files are written": func(c *crate) {
			c.want(false, "", End{Known: true, Written: make([]string, maxTouched)})
			c.want(false, "", ended)
		},
		"the end is not known": func(c *crate) {
			c.want(false, "", End{})
			c.want(false, "", ended)
		},
		"it is full": func(c *crate) {
			c.want(false, "", End{Known: true, Full: true})
			c.want(false, "", ended)
		},
		"it runs out of time, and the user builds outside": func(c *crate) {
			c.want(false, "", End{Known: true, Cut: true})
			c.want(true, "", End{Known: true, Cut: true})
			c.now = time.Now()
			c.later()
			c.write("target/debug/deps/lib", "outside")
			at := c.now.Add(time.Hour)
			if err := os.Chtimes(c.path("target/debug/deps"), at, at); err != nil {
				c.t.Fatal(err)
			}
			if taken := c.keeper.Take(context.Background(), c.build); taken != nil {
				c.t.Error("the workspace's own is new and does not serve")
			}
		},
		"nobody uses it for a week": func(c *crate) {
			c.want(false, "", ended)
			c.now = c.now.Add(Idle)
			c.want(false, "", ended)
		},
		"the clock goes back": func(c *crate) {
			c.want(false, "", ended)
			c.now = c.now.Add(-time.Hour)
			c.want(false, "", ended)
		},
		"it is too large": func(c *crate) {
			c.want(false, "", ended)
			c.build.Most = 4 << 10
			c.want(false, "", ended)
		},
	} {
		t.Run(name, func(t *testing.T) { steps(newCrate(t)) })
	}
}

// A file that has changed on the host since the last run began has a new time by itself, or gets one
// if its own is old: it was moved there, or saved while that run built.
func TestTimesOfTheHost(t *testing.T) {
	begun := time.Now()
	ended, now := begun.Add(time.Minute), begun.Add(time.Hour)
	for name, c := range map[string]struct {
		changed, modified time.Time
		touched           bool
	}{
		"long ago":                         {begun.Add(-time.Hour), begun.Add(-time.Hour), false},
		"saved after the run":              {ended.Add(time.Minute), ended.Add(time.Minute), false},
		"moved there, with an old time":    {ended.Add(time.Minute), begun.Add(-time.Hour), true},
		"saved while it ran":               {begun.Add(time.Second), begun.Add(time.Second), true},
		"saved just before its end":        {ended, ended, true},
		"saved just when it was listed":    {begun.Add(-time.Millisecond), begun.Add(-time.Millisecond), true},
		"moved there, with a time to come": {ended.Add(time.Minute), now.Add(time.Hour), false},
	} {
		s := state{Begun: begun, Ended: ended, Files: map[string]record{}}
		r, touched := s.hosts(filepath.Join(t.TempDir(), "a.rs"), file{modified: c.modified, changed: c.changed, mine: true}, false, now)
		if touched != c.touched || touched && !r.Time.Equal(now) {
			t.Errorf("%s: %v, %v", name, touched, r.Time)
		}
	}
}

// A folder belongs to one trial at a time. That of a killed one is not used again, and is removed by
// the next start, as is one that nobody has used for a week.
func TestOneAtATime(t *testing.T) {
	c := newCrate(t)
	c.run(ended)
	taken, _, _ := c.take()
	if second := c.keeper.Take(t.Context(), c.build); second != nil {
		t.Error("a second trial has it too")
	}
	state := filepath.Dir(c.keeper.dir)
	Sweep(state)
	if _, err := os.Lstat(taken.Kept().From); err != nil {
		t.Error("a sweep removes what a trial has")
	}
	taken.lock.Close() // as when its process is killed
	if next, warm, _ := c.take(); warm || next.Kept().From == taken.Kept().From {
		t.Error("what a killed trial has built is used")
	} else {
		next.lock.Close()
	}
	Sweep(state)
	c.wantKept(0)
	c.run(ended)
	Sweep(state)
	c.wantKept(2)
	old := time.Now().Add(-Idle - time.Minute)
	for _, dir := range c.keeper.all() {
		if err := os.Chtimes(filepath.Join(dir, stateName), old, old); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(state)
	c.wantKept(0)
}

func (c *crate) wantKept(n int) {
	c.t.Helper()
	if entries, _ := os.ReadDir(c.keeper.dir); len(entries) != n {
		c.t.Errorf("kept: %v, want %d", entries, n)
	}
}

// Forgetting a workspace removes what was built in it, and nothing else.
func TestForget(t *testing.T) {
	c := newCrate(t)
	c.run(ended)
	c.keeper.Forget(c.dir + "x")
	c.wantKept(2)
	c.keeper.Forget(c.dir)
	c.wantKept(0)
}

// All folders together have a limit: the one used longest ago goes first.
func TestAllTogether(t *testing.T) {
	c := newCrate(t)
	for i := range 6 {
		c.build.Target = c.path(fmt.Sprint("target", i))
		taken, _, _ := c.take()
		file := filepath.Join(taken.Kept().From, "debug", ".fingerprint", "f")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, 900<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		taken.Return(ended)
	}
	c.wantKept(8)
	c.build.Target, c.build.Most = c.path("target0"), 8<<20
	if _, warm, _ := c.take(); warm {
		t.Error("the oldest is still there")
	}
}

// What a slow workspace has built is where a folder begins, without hidden files; times and second
// names stay. A fast one's own serves.
func TestSeed(t *testing.T) {
	c := newCrate(t)
	c.write("target/debug/.fingerprint/lib", "built")
	c.write("target/debug/deps/app", "app")
	c.write("target/debug/.env", "secret")
	if err := os.Link(c.path("target/debug/deps/app"), c.path("target/debug/app")); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"target", "target/debug", "target/debug/deps", "target/debug/.fingerprint", "target/debug/deps/app"} {
		if err := os.Chtimes(c.path(name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	c.build.Hidden = []string{c.path("target/debug/.env")}
	if c.keeper.Take(t.Context(), c.build) != nil {
		t.Error("the workspace's own does not serve")
	}
	c.wantKept(0)
	c.build.Slow = true
	taken, warm, _ := c.take()
	from := taken.Kept().From
	one, err := os.Stat(filepath.Join(from, "debug", "app"))
	two, err2 := os.Stat(filepath.Join(from, "debug", "deps", "app"))
	if !warm || err != nil || err2 != nil || !os.SameFile(one, two) || !one.ModTime().Equal(past) {
		t.Errorf("%v, %v, %v, %v", warm, err, err2, one)
	}
	if _, err := os.Lstat(filepath.Join(from, "debug", ".env")); err == nil {
		t.Error("a hidden file is copied")
	}
	taken.Return(End{})
	c.build.Most = 8
	if c.keeper.Take(t.Context(), c.build) != nil {
		t.Error("it is copied although it is too large")
	}
	c.wantKept(0)
}

// Some workspaces get no folder.
func TestNotKept(t *testing.T) {
	for name, change := range map[string]func(c *crate){
		"target is a link":           func(c *crate) { _ = os.Symlink("/tmp", c.path("target")) },
		"target is a file":           func(c *crate) { c.write("target", "") },
		"the plan writes in it":      func(c *crate) { c.changes("target/gen.rs", "x") },
		"the state is in its reach":  func(c *crate) { c.build.Folders = []string{filepath.Dir(filepath.Dir(c.keeper.dir))} },
		"there is nowhere to put it": func(c *crate) { c.keeper = nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrate(t)
			if change(c); c.keeper.Take(t.Context(), c.build) != nil {
				t.Error("it has a folder")
			}
		})
	}
}
