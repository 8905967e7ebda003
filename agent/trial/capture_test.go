package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/board"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/view"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// capturing is a session whose commands leave what a test says.
type capturing struct {
	*sessiontest.Fixture
	trials *Trials
	root   string // without links
	left   []world.Entry
	during func() // what happens on the host while the command runs
	read   []string
}

func newCapturing(t *testing.T, files map[string]string) *capturing {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("copies need Linux or macOS: run it there")
	}
	f := &capturing{Fixture: sessiontest.New(t, "")}
	var err error
	if f.root, err = filepath.EvalSymlinks(f.Dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		f.Write(name, text)
	}
	b := board.New(f.Session, board.NewPresence(f.Session), board.NewBacklog(f.Session), board.Hooks{Running: func() ([]state.Turn, int) { return nil, 0 }})
	f.trials = New(f.Session, b, nil, nil, Options{Mode: On, Worlds: func() error { return nil }, Run: func(_ context.Context, c runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		if f.during != nil {
			f.during()
		}
		left := slices.Clone(f.left)
		wanted := c.Capture(left)
		for i := range left {
			if !slices.Contains(wanted, i) {
				left[i].Text = nil
			} else {
				f.read = append(f.read, strings.TrimPrefix(string(left[i].Path), f.root+"/"))
			}
		}
		return runner.Outcome{End: runner.Exited, Left: left}, nil
	}})
	return f
}

// leaves adds an entry.
func (f *capturing) leaves(kind world.EntryKind, name, text string, mode uint32) {
	f.left = append(f.left, world.Entry{Path: []byte(f.root + "/" + name), Kind: kind, Mode: mode, Size: int64(len(text)), Text: []byte(text)})
}

// move moves a file or folder on the host.
func (f *capturing) move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(f.root, from), filepath.Join(f.root, to)); err != nil {
		t.Fatal(err)
	}
}

// capture returns what is captured, a line for each file, and for each change that is not carried.
func (f *capturing) capture(t *testing.T, texts view.TriedTexts, include ...string) (lines []string) {
	t.Helper()
	found, err := f.trials.Capture(sessiontest.Timeout(t), Copy{Command: Command{Line: "make"}, Texts: texts, Include: include}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Files {
		line := fmt.Sprintf("%s: %q → %q", c.Path, c.Base.Text, c.Text)
		if !c.Base.Exists {
			line = fmt.Sprintf("%s: new %q", c.Path, c.Text)
		}
		if c.Gone {
			line = fmt.Sprintf("%s: gone", c.Path)
		}
		if c.Mode != 0 {
			line += fmt.Sprintf(" %o", c.Mode)
		}
		if c.BOM {
			line += " with a mark"
		}
		lines = append(lines, line)
	}
	for _, r := range found.NotCarried {
		lines = append(lines, fmt.Sprintf("not %s: %s", r.Path, r.Reason))
	}
	for _, folder := range slices.Sorted(maps.Keys(found.LeftOut)) {
		lines = append(lines, fmt.Sprintf("left out %d in %s", found.LeftOut[folder], folder))
	}
	return lines
}

func (f *capturing) wants(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("captured\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What differs from what the command found is captured, exactly as it is; what only looks written is not.
func TestCapture(t *testing.T) {
	f := newCapturing(t, map[string]string{
		"a.txt": "a\r\nb", "same.txt": "same\n", "bom.txt": "\ufeffx\n", "gone.txt": "g\n", "dir/x.txt": "x\n", "dir/deep/y.txt": "y\n",
		"anew/old.txt": "o\n", "anew/kept.txt": "k\n", "file": "f\n", "folder/in": "in\n",
	})
	f.leaves(world.FileEntry, "a.txt", "a\nb\r\n... existing code ...", 0o600)
	f.leaves(world.FileEntry, "same.txt", "same\n", 0o644)
	f.leaves(world.FileEntry, "bom.txt", "\ufeffy\n", 0o644)
	f.leaves(world.GoneEntry, "gone.txt", "", 0)
	f.leaves(world.GoneEntry, "never.txt", "", 0)
	f.leaves(world.GoneEntry, "dir", "", 0)
	f.leaves(world.FreshEntry, "anew", "", 0o755)
	f.leaves(world.FileEntry, "anew/kept.txt", "k\n", 0o644)
	f.leaves(world.FileEntry, "anew/new.sh", "\ufeff#!", 0o700)
	f.leaves(world.FreshEntry, "file", "", 0o755)
	f.leaves(world.FileEntry, "file/in", "i\n", 0o644)
	f.leaves(world.FileEntry, "folder", "f\n", 0o644)
	f.wants(t, f.capture(t, nil),
		`a.txt: "a\r\nb" → "a\nb\r\n... existing code ..."`, `anew/new.sh: new "#!" 755 with a mark`, `anew/old.txt: gone`,
		`bom.txt: "x\n" → "y\n" with a mark`, `dir/deep/y.txt: gone`, `dir/x.txt: gone`, `file: gone`, `folder/in: gone`, `gone.txt: gone`,
		`not file/in: its folder takes the place of a file`, `not folder: it takes the place of a folder`)
}

// The base of a file is what the command found: unsaved text, or the file if it has not changed since.
func TestCaptureBase(t *testing.T) {
	f := newCapturing(t, map[string]string{"unsaved.txt": "disk\n", "open.txt": "disk\n", "saved.txt": "s\n", "removed.txt": "r\n", "kept.txt": "k\n"})
	f.Workspace.Open(f.Workspace.URI("open.txt"), "", 1, "disk\n")
	for _, name := range []string{"unsaved.txt", "open.txt", "saved.txt", "new.txt", "kept.txt"} {
		f.leaves(world.FileEntry, name, "theirs\n", 0o644)
	}
	f.leaves(world.GoneEntry, "removed.txt", "", 0)
	f.during = func() {
		f.Write("saved.txt", "mine\n")
		f.Write("removed.txt", "mine\n")
		f.Write("new.txt", "mine\n")
		f.Workspace.Open(f.Workspace.URI("open.txt"), "", 2, "typed\n")
	}
	const why = "it was changed outside of the copy while the command ran"
	f.wants(t, f.capture(t, view.TriedTexts{"unsaved.txt": {Text: "unsaved\n"}}),
		`kept.txt: "k\n" → "theirs\n"`, `open.txt: "disk\n" → "theirs\n"`, `unsaved.txt: "unsaved\n" → "theirs\n"`,
		"not new.txt: "+why, "not removed.txt: "+why, "not saved.txt: "+why)
}

// The right to run a file is compared with the host's, also where Redline has written an unsaved text.
func TestCaptureOfTheRightToRunUnsavedFiles(t *testing.T) {
	f := newCapturing(t, map[string]string{"run.sh": "disk\n", "stays.sh": "disk\n", "data.txt": "disk\n"})
	if err := os.Chmod(filepath.Join(f.root, "stays.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.leaves(world.FileEntry, "run.sh", "unsaved\n", 0o755)
	f.leaves(world.FileEntry, "stays.sh", "theirs\n", 0o755)
	f.leaves(world.FileEntry, "data.txt", "theirs\n", 0o644)
	f.leaves(world.FileEntry, "new.sh", "new\n", 0o755)
	texts := view.TriedTexts{}
	for _, name := range []string{"run.sh", "stays.sh", "data.txt", "new.sh"} {
		texts[name] = view.TriedText{Text: "unsaved\n"}
	}
	f.wants(t, f.capture(t, texts), `data.txt: "unsaved\n" → "theirs\n"`, `new.sh: "unsaved\n" → "new\n" 755`, `stays.sh: "unsaved\n" → "theirs\n" 755`,
		"not new.sh: its permissions were changed to 0755", "not run.sh: its permissions were changed to 0755")
}

// What the host moves meanwhile keeps its times: a folder that comes into a removed one is not removed, one
// that takes the place of another is no base, and a file that went does not come back.
func TestCaptureBesideMoves(t *testing.T) {
	f := newCapturing(t, map[string]string{
		"d/x.txt": "1\n2\n3\n", "keepme/precious.txt": "p\n", "e/x.txt": "1\n2\n3\n", "alt/x.txt": "other\n", "f.txt": "f\n",
	})
	f.leaves(world.GoneEntry, "d", "", 0)
	f.leaves(world.FileEntry, "e/x.txt", "1\n2\nthree\n", 0o644)
	f.leaves(world.FileEntry, "f.txt", "f\nsix\n", 0o644)
	f.during = func() {
		f.move(t, "keepme", "d/keepme")
		f.move(t, "e", "e.old")
		f.move(t, "alt", "e")
		f.move(t, "f.txt", "g.txt")
	}
	const why = ": it was changed outside of the copy while the command ran"
	f.wants(t, f.capture(t, nil), "not d/keepme/precious.txt"+why, "not d/x.txt"+why, "not e/x.txt"+why, "not f.txt"+why)
}

// What is gone outside when the command has removed or replaced it may be elsewhere: it is named.
func TestCaptureOfWhatIsGoneOutside(t *testing.T) {
	f := newCapturing(t, map[string]string{
		"f.txt": "f\n", "d/x.txt": "x\n", "d/y.txt": "y\n", "e/z.txt": "z\n", "dir.txt": "d\n", ".gitignore": "gen/\n", "gen/g.txt": "g\n", ".git/HEAD": "ref: refs/heads/main\n",
	})
	f.leaves(world.GoneEntry, "f.txt", "", 0)
	f.leaves(world.FileEntry, "h.txt", "f\n", 0o644)
	f.leaves(world.GoneEntry, "d", "", 0)
	f.leaves(world.FreshEntry, "e", "", 0o755)
	f.leaves(world.FileEntry, "e/new.txt", "n\n", 0o644)
	f.leaves(world.GoneEntry, "gen", "", 0)
	f.leaves(world.GoneEntry, "never", "", 0)
	f.during = func() {
		f.move(t, "f.txt", "g.txt")
		f.move(t, "d/x.txt", "x.txt")
		f.move(t, "e", "e.old")
		f.move(t, "gen", "gen.old")
	}
	const why, changed = ": it is no longer there outside of the copy", ": it was changed outside of the copy while the command ran"
	f.wants(t, f.capture(t, nil), `h.txt: new "f\n"`, "not d/x.txt"+why, "not d/y.txt"+changed, "not e/new.txt"+changed, "not e/z.txt"+why, "not f.txt"+why)
}

// A folder that was away for a while keeps its inode and the times of what is in it: what the command
// found there may have been in another one. Saving files does not do that.
func TestCaptureOfFoldersThatWereAway(t *testing.T) {
	f := newCapturing(t, map[string]string{
		"away/x.txt": "old\n", "away/deep/y.txt": "y\n", "alt/x.txt": "other\n", "saved/x.txt": "x\n", "saved/in/x.txt": "x\n", "saved/in/mine.txt": "m\n",
		"locked/x.txt": "x\n", "hidden/x.txt": "x\n", "hidden/in/x.txt": "x\n",
	})
	for _, name := range []string{"away/x.txt", "away/new.txt", "away/deep/y.txt", "saved/in/x.txt", "saved/in/new.txt", "saved/new/x.txt", "locked/x.txt", "hidden/in/x.txt", "root.txt"} {
		f.leaves(world.FileEntry, name, "theirs\n", 0o644)
	}
	f.leaves(world.GoneEntry, "saved/x.txt", "", 0)
	f.during = func() {
		f.move(t, "away", "away.old")
		f.move(t, "alt", "away")
		f.move(t, "away", "alt")
		f.move(t, "away.old", "away")
		f.Write("saved/in/mine.txt", "saved\n")
		f.Write("saved/in/.tmp", "saved again\n")
		f.move(t, "saved/in/.tmp", "saved/in/mine.txt")
		if err := errors.Join(os.Chmod(f.root+"/locked", 0), os.Chmod(f.root+"/locked", 0o755)); err != nil {
			t.Fatal(err)
		}
		f.move(t, "hidden/in", "hidden/was")
		f.move(t, "hidden/was", "hidden/in")
		f.Write("hidden/in/other.txt", "which makes the times equal again\n")
	}
	const why = ": it was changed outside of the copy while the command ran"
	f.wants(t, f.capture(t, view.TriedTexts{}), `root.txt: new "theirs\n"`, `saved/in/new.txt: new "theirs\n"`, `saved/in/x.txt: "x\n" → "theirs\n"`,
		`saved/new/x.txt: new "theirs\n"`, "saved/x.txt: gone",
		"not away/deep/y.txt"+why, "not away/new.txt"+why, "not away/x.txt"+why, "not hidden/in/x.txt"+why, "not locked/x.txt"+why)
}

// The workspace's own folder may have been away too.
func TestCaptureOfAWorkspaceThatWasAway(t *testing.T) {
	f := newCapturing(t, map[string]string{"x.txt": "x\n", "in/y.txt": "y\n"})
	f.leaves(world.FileEntry, "x.txt", "theirs\n", 0o644)
	f.leaves(world.FileEntry, "in/y.txt", "theirs\n", 0o644)
	f.leaves(world.FileEntry, "open.txt", "theirs\n", 0o644)
	f.during = func() {
		if err := errors.Join(os.Rename(f.root, f.root+".old"), os.Rename(f.root+".old", f.root)); err != nil {
			t.Fatal(err)
		}
	}
	const why = ": it was changed outside of the copy while the command ran"
	f.wants(t, f.capture(t, view.TriedTexts{"open.txt": {Text: "pinned\n"}}), `open.txt: "pinned\n" → "theirs\n"`, "not in/y.txt"+why, "not x.txt"+why)
}

// Who runs a command in a copy can change how, up to the last moment.
func TestCaptureWith(t *testing.T) {
	f := newCapturing(t, nil)
	run, seen := f.trials.options.Run, time.Duration(0)
	f.trials.options.Run = func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
		seen = c.Limits.Time
		return run(ctx, c, tell)
	}
	for _, c := range []struct {
		of   Copy
		want time.Duration
	}{
		{Copy{}, time.Hour}, {Copy{Command: Command{Timeout: time.Minute}}, time.Minute},
		{Copy{With: func(c *runner.Command) error { c.Limits.Time = time.Second; return nil }}, time.Second},
	} {
		c.of.Line = "make"
		if _, err := f.trials.Capture(t.Context(), c.of, nil); err != nil || seen != c.want {
			t.Errorf("%v, %s, want %s", err, seen, c.want)
		}
	}
	seen = 0
	_, err := f.trials.Capture(t.Context(), Copy{Command: Command{Line: "make"}, Program: "codex", With: func(*runner.Command) error { return errors.New("no") }}, nil)
	if err == nil || err.Error() != "codex was not run: no" || seen != 0 {
		t.Error(err, seen)
	}
}

// Where very many files were written, none is read.
func TestCaptureOfVeryMany(t *testing.T) {
	f := newCapturing(t, nil)
	for i := range maxWanted + 1 {
		f.leaves(world.FileEntry, fmt.Sprint(i), "x", 0o644)
	}
	_, err := f.trials.Capture(t.Context(), Copy{Command: Command{Line: "make"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "more than 20000 files") || len(f.read) > 0 {
		t.Errorf("%v, %d files were read", err, len(f.read))
	}
}

// A workspace in which the user has forbidden trials runs no command.
func TestCaptureForbidden(t *testing.T) {
	f := newCapturing(t, nil)
	f.trials.options.Mode = Ask
	if err := f.trials.Forbid(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.trials.Capture(t.Context(), Copy{Command: Command{Line: "make"}}, nil); err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Error(err)
	}
}

// What no plan can have is named, and is not read where its name is enough.
func TestCaptureNotCarried(t *testing.T) {
	f := newCapturing(t, map[string]string{
		"run.sh": "#!\n", "bom.txt": "x\n", "bin": "text\n", "lfs.bin": "version https://git-lfs.github.com/spec/v1\noid\n", "sub/.git": "gitdir: ../x\n", "sub/s.txt": "s\n",
		"real/r.txt": "r\n", ".env": "KEY=1\n", "conf/.env": "KEY=1\n", "conf/c.txt": "c\n",
	})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "o.txt"), []byte("outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": outside, "way": "real", "to.txt": "real/r.txt"} {
		if err := os.Symlink(to, filepath.Join(f.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	f.leaves(world.FileEntry, "run.sh", "#!\n", 0o755)
	f.leaves(world.FileEntry, "bom.txt", "\ufeffx\n", 0o644)
	f.leaves(world.FileEntry, "bin", "a\x00b", 0o644)
	f.leaves(world.FileEntry, "latin.txt", "\xe9\n", 0o644)
	f.leaves(world.FileEntry, "lfs.bin", "big\n", 0o644)
	f.leaves(world.FileEntry, "sub/s.txt", "t\n", 0o644)
	f.leaves(world.FileEntry, "clone/.git/HEAD", "ref\n", 0o644)
	f.leaves(world.FileEntry, "clone/c.txt", "c\n", 0o644)
	f.leaves(world.GoneEntry, ".env", "", 0) // Redline has left it out
	f.leaves(world.GoneEntry, "conf", "", 0)
	f.leaves(world.FileEntry, "key.pem", "k\n", 0o644)
	f.leaves(world.LinkEntry, "made", "", 0o777)
	f.leaves(world.GoneEntry, "to.txt", "", 0)
	f.leaves(world.FileEntry, "way", "w\n", 0o644)
	f.leaves(world.FreshEntry, "link", "", 0o755)
	f.leaves(world.FileEntry, "link/o.txt", "o\n", 0o644)
	f.leaves(world.OtherEntry, "fifo", "", 0o644)
	f.leaves(world.FileEntry, "a\nb", "x", 0o644)
	f.leaves(world.FileEntry, "esc\x1b[31m", "x", 0o644)
	f.leaves(world.FileEntry, "bad\xff", "x", 0o644)
	f.leaves(world.FileEntry, `a\..\b`, "x", 0o644)
	f.left = append(f.left, world.Entry{Path: []byte(f.root + "/large"), Kind: world.FileEntry, Size: 1 << 40})
	f.left = append(f.left, world.Entry{Path: []byte("/etc/passwd"), Kind: world.FileEntry, Size: 1})
	got := f.capture(t, nil)
	f.wants(t, got, `conf/c.txt: gone`,
		`not a\..\b: a plan can have no such name`, `not a⟨U+000A⟩b: a plan can have no such name`, `not bad⟨0xFF⟩: it is not a path inside the workspace`,
		`not bin: it is no UTF-8 text`, `not bom.txt: its byte order mark was added or removed`, `not clone/c.txt: it is in a repository of its own, such as a submodule`,
		`not conf/.env: it may hold secrets`, `not esc⟨U+001B⟩[31m: a plan can have no such name`, `not fifo: it is no ordinary file`, `not key.pem: it may hold secrets`,
		`not large: it has 1099511627776 bytes, and at most 8388608 of a file that git does not track are read (limits.max_file)`, `not latin.txt: it is no UTF-8 text`,
		`not lfs.bin: it is a pointer of Git LFS`, `not link: it is a symbolic link that leads out of the workspace`, `not link/o.txt: it is a symbolic link that leads out of the workspace`,
		`not made: it is a symbolic link`, `not run.sh: its permissions were changed to 0755`, `not sub/s.txt: it is in a repository of its own, such as a submodule`,
		`not to.txt: a symbolic link is, or was, in its place`, `not way: a symbolic link is, or was, in its place`, `left out 1 in clone/.git`,
	)
	for _, name := range []string{"large", "sub/s.txt", "key.pem", "way", "link/o.txt", "a\nb"} {
		if slices.Contains(f.read, name) {
			t.Errorf("%q was read", name)
		}
	}
}

// What git ignored when the copy began, and git's and Redline's own files, are counted by their folders.
func TestCaptureLeavesOut(t *testing.T) {
	f := newCapturing(t, map[string]string{".gitignore": "build/\n*.log\n", ".git/HEAD": "ref: refs/heads/main\n", "build/old": "o\n"})
	if err := os.MkdirAll(filepath.Join(f.root, ".git", "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.leaves(world.FileEntry, ".gitignore", "", 0o644)
	f.leaves(world.FileEntry, ".git/hooks/pre-commit", "#!", 0o755)
	f.leaves(world.FileEntry, ".GIT/config", "", 0o644)
	f.leaves(world.FileEntry, ".redline/ignore", "", 0o644)
	f.leaves(world.FileEntry, "a.log", "a", 0o644)
	f.leaves(world.FileEntry, "sub/b.log", "b", 0o644)
	f.leaves(world.FreshEntry, "build", "", 0o755)
	f.leaves(world.FileEntry, "build/new", "n\n", 0o644)
	f.leaves(world.FileEntry, "build/deep/gen.go", "g\n", 0o644)
	f.wants(t, f.capture(t, nil, "build/**/*.go"), `.gitignore: "build/\n*.log\n" → ""`, `build/deep/gen.go: new "g\n"`,
		"left out 1 in .", "left out 1 in .GIT", "left out 1 in .git", "left out 1 in .redline", "left out 2 in build", "left out 1 in sub")
}

// What git ignores is judged by the rules that held when the copy began, in every folder.
func TestCaptureIgnoresByTheRulesAtTheStart(t *testing.T) {
	f := newCapturing(t, map[string]string{
		".gitignore": "gen/\n", ".git/HEAD": "ref: refs/heads/main\n", "gen/g.txt": "g\n", "in/.gitignore": "*.log\nout/\n", "in/a.log": "a\n", "in/out/o.txt": "o\n", "c/c.txt": "c\n",
	})
	if err := os.MkdirAll(filepath.Join(f.root, ".git", "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.leaves(world.GoneEntry, "gen", "", 0)
	f.leaves(world.GoneEntry, "in/a.log", "", 0)
	f.leaves(world.FreshEntry, "in/out", "", 0o755)
	f.leaves(world.GoneEntry, "c/c.txt", "", 0)
	f.during = func() {
		f.Write(".gitignore", "")
		f.Write("in/.gitignore", "")
		f.Write("c/.gitignore", "*\n")
	}
	f.wants(t, f.capture(t, nil), "c/c.txt: gone", "left out 1 in gen", "left out 1 in in", "left out 1 in in/out")
	if gen, deep := f.Workspace.Ignoring().Folder("gen"), f.Workspace.Ignoring().Folder("in/out"); gen || deep {
		t.Error("no rule ignores these folders now")
	}
	f.Write(".gitignore", "gen/\n")
	if i := f.Workspace.Ignoring(); !i.Folder("gen") || !i.Folder("gen/deep") || i.Folder("in") || i.Folder(".") {
		t.Error("git ignores gen, and nothing else")
	}
}

// A folder that git ignores is not listed.
func TestCaptureListsNothingIgnored(t *testing.T) {
	f := newCapturing(t, map[string]string{".gitignore": "gen/\n", ".git/HEAD": "ref: refs/heads/main\n", "gen/deep/g.txt": "g\n", "a.txt": "a\n"})
	if err := os.MkdirAll(filepath.Join(f.root, ".git", "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, include := range [][]string{nil, {"gen/**"}} {
		x := &capture{Trials: f.trials, include: include, ignoring: f.Workspace.Ignoring()}
		found, err := f.Workspace.SecretFiles(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := x.begin(t.Context(), found.Listed)
		if err != nil {
			t.Fatal(err)
		}
		defer b.since.Close()
		want := []string{f.root + "/.gitignore", f.root + "/a.txt"}
		if include != nil {
			want = append(want, f.root+"/gen/deep/g.txt")
		}
		if got := b.below(f.root); !slices.Equal(got, want) {
			t.Errorf("%q: %q", include, got)
		}
	}
}

// A command that is refused, or whose changes are not known, captures nothing.
func TestCaptureRefuses(t *testing.T) {
	f := newCapturing(t, nil)
	f.trials.options.Run = func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		return runner.Outcome{End: runner.TimedOut, NotCaptured: errors.New("it was stopped")}, nil
	}
	_, err := f.trials.Capture(t.Context(), Copy{Command: Command{Line: "make"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "its time limit") {
		t.Error(err)
	}
	f.trials.options.Mode = Off
	if _, err := f.trials.Capture(t.Context(), Copy{Command: Command{Line: "make"}}, nil); err == nil {
		t.Error("trials are off")
	}
}
