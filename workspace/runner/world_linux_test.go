//go:build amd64 || arm64

package runner

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/world"
)

// house is a folder with a workspace, a home and other files, which a world is built on.
type house struct {
	dir, workspace, home, outside, tools string
	world                                world.World
}

func newHouse(t *testing.T) *house {
	t.Helper()
	if err := worldsOfTest(); err != nil {
		if os.Getenv("WORLD_TEST_KIND") != "" || os.Getenv("WORLD_TEST_REFUSED") != "" {
			t.Fatal(err)
		}
		t.Skip("there are no worlds here: " + err.Error())
	}
	return newFolders(t)
}

// newFolders makes the folders of a house.
func newFolders(t *testing.T) *house {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{
		dir: dir, workspace: filepath.Join(dir, "work space"), home: filepath.Join(dir, "home"),
		outside: filepath.Join(dir, "outside"), tools: filepath.Join(dir, "home", "cache"),
	}
	for _, d := range []string{h.workspace, h.home, h.outside, h.tools} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", h.home)
	h.write(t, "work space/a.txt", "host\n", 0o644)
	h.write(t, "work space/run.sh", "#!/bin/sh\necho ran\n", 0o755)
	h.write(t, "work space/old/b.txt", "b\n", 0o600)
	h.write(t, "work space/.env", "key\n", 0o600)
	h.write(t, "outside/file", "outside\n", 0o644)
	h.write(t, "home/.netrc", "secret\n", 0o600)
	h.write(t, "home/cache/built", "built\n", 0o644)
	if err := os.Symlink(h.outside, filepath.Join(h.workspace, "link")); err != nil {
		t.Fatal(err)
	}
	h.world = world.World{
		Folders: []string{h.workspace}, Tools: []string{h.tools}, Home: h.home, Hidden: []string{filepath.Join(h.workspace, ".env")},
		Disk: 64 << 20, Memory: 1 << 30, Processes: 200,
	}
	h.world.Kind, _ = Apart()
	return h
}

func (h *house) write(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	name = filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// run runs a line in the world, with a timeout.
func (h *house) run(t *testing.T, line string, most time.Duration) Outcome {
	t.Helper()
	o, err := Run(context.Background(), Command{Line: line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: most}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.World != h.world.Kind {
		t.Errorf("it ran in %q, want %q", o.World, h.world.Kind)
	}
	return o
}

// files describes everything in the house.
func (h *house) files(t *testing.T) string {
	t.Helper()
	return filesIn(t, h.dir)
}

// filesIn describes everything in a folder: names, kinds, permissions, times, links, extended
// attributes and content.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var stat unix.Stat_t
		if err := unix.Lstat(name, &stat); err != nil {
			return err
		}
		sum, to := "", ""
		if e.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sum = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		if e.Type()&fs.ModeSymlink != 0 {
			to, _ = os.Readlink(name)
		}
		attributes := make([]byte, 1000)
		n, _ := unix.Llistxattr(name, attributes)
		fmt.Fprintf(&b, "%s %o %d %d:%d %d %d %s %s %s\n", name, stat.Mode, stat.Nlink, stat.Uid, stat.Gid, stat.Mtim.Nano(), stat.Ctim.Nano(), sum, to, attributes[:max(n, 0)])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A world has the workspace with the changes, and leaves nothing behind.
func TestWorldShowsTheChanges(t *testing.T) {
	h := newHouse(t)
	at := func(name string) string { return filepath.Join(h.workspace, name) }
	h.world.Changes = []world.Change{
		{Path: at("a.txt"), Text: []byte("world\r\nno end")},
		{Path: at("run.sh"), Text: []byte("#!/bin/sh\necho changed\n")},
		{Path: at("new/deep/c.sh"), Text: []byte("echo new"), Mode: 0o755},
		{Path: at("old/b.txt"), Gone: true},
		{Path: at("never"), Gone: true},
		{Path: at("empty")},
	}
	other := "touch ~/cache/other"
	if h.world.Kind == world.Bwrap {
		other = "! " + other + " 2>/dev/null" // which can only be read there
	}
	before := h.files(t)
	o := h.run(t, `cat a.txt; echo; ./run.sh; ./new/deep/c.sh; ls old; stat -c %s empty; cat link/file .env; cat ~/cache/built; ls -A ~; pwd
echo more >> a.txt && mv a.txt old/a.txt && rm -r new && ln old/a.txt again && chmod 600 run.sh && `+other+` && touch ~/x /tmp/y && cat again`, time.Minute)
	want := "world\r\nno end\nchanged\nnew\n0\nbuilt\n.profile\n.zprofile\ncache\n" + h.workspace + "\nworld\r\nno endmore\n"
	if o.Stdout != want || o.ExitCode != 0 {
		t.Errorf("%d, got\n%s\nwant\n%s\n%s", o.ExitCode, o.Stdout, want, o.Stderr)
	}
	for _, gone := range []string{"link/file", ".env"} {
		if !strings.Contains(o.Stderr, gone+": No such file") {
			t.Errorf("%s is there: %s", gone, o.Stderr)
		}
	}
	if after := h.files(t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// Test results that Go has cached are valid in a world: the tests read the same files and the same
// variables there.
func TestWorldHasTheResultsThatGoHasKept(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil || os.Getenv("WORLD_TEST_USER") != "" {
		t.Skip("there is no go here, or it has an empty cache")
	}
	h := newHouse(t)
	for name, text := range map[string]string{
		"go.mod":    "module kept\n\ngo 1.26\n",
		"a_test.go": "package kept\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n\tif _, err := os.ReadFile(\"a.txt\"); err != nil || t.TempDir() == \"\" {\n\t\tt.Error(err)\n\t}\n}\n",
	} {
		h.write(t, filepath.Join("work space", name), text, 0o644)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	h.world.Tools = append(h.world.Tools, os.Getenv("GOCACHE"))
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, "") // so that it is restored
		os.Unsetenv(name)
	}
	old := time.Now().Add(-time.Hour) // Go caches nothing that depends on a new file
	if err := os.Chtimes(filepath.Join(h.workspace, "a.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c := exec.Command("go", "test", "./...")
		c.Dir = h.workspace
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if o := h.run(t, "go test ./...", time.Minute); !strings.Contains(o.Output, "(cached)") {
		t.Errorf("%+v", o)
	}
}
