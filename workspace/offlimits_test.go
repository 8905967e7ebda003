package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/edits"
)

// newHome returns a home folder as a workspace, with the user's settings in it.
func newHome(t *testing.T) (*Workspace, string) {
	t.Helper()
	dir := newTree(t, map[string]string{
		"a.txt": "needle", "real/settings.toml": "needle", "real/one.md": "needle",
		".config/redline/config.toml": "needle", ".config/redline/agents/": "", ".config/redlined": "needle",
		".config/redline/other.txt": "needle", ".state/redline/redline.db": "needle", ".state/redline/previews/1/p.md": "needle",
	})
	link(t, "../../../real/one.md", filepath.Join(dir, ".config/redline/agents/one.md"))
	config := filepath.Join(dir, ".config/redline")
	w := New([]Folder{{Dir: dir}}, Options{
		StateDir: filepath.Join(dir, ".state/redline"),
		OffLimits: []string{
			filepath.Join(config, "config.toml"), filepath.Join(config, "agents"), filepath.Join(config, "prompts"), filepath.Join(dir, "dot/redline.toml"),
		},
	})
	return w, dir
}

// refusedToAll checks that no method reaches path.
func refusedToAll(t *testing.T, w *Workspace, path string) {
	t.Helper()
	if _, err := w.Read(path); err == nil || !strings.Contains(err.Error(), "belongs to Redline") {
		t.Errorf("%s is read: %v", path, err)
	}
	if err := w.OffLimits(path); err == nil {
		t.Errorf("%s is not off limits", path)
	}
	for _, c := range []edits.Change{
		{Kind: edits.Create, Path: path, Text: "allow = [\"sh\"]"},
		{Kind: edits.Update, Path: path, Base: "needle", Edits: []edits.Edit{{New: "x"}}},
		{Kind: edits.Delete, Path: path, Base: "needle"},
		{Kind: edits.Rename, Path: path, NewPath: "taken.txt", Base: "needle"},
		{Kind: edits.Rename, Path: "a.txt", NewPath: path, Base: "needle"},
	} {
		applied, err := NewDisk(w).Apply(t.Context(), []edits.Change{c})
		if err != nil || len(applied) != 1 || applied[0].Status != edits.Refused || !strings.Contains(applied[0].Reason, "belongs to Redline") {
			t.Errorf("%v of %s: %+v, %v", c.Kind, path, applied, err)
		}
	}
	uri := "file://" + filepath.ToSlash(filepath.Join(w.Folders()[0].Dir, path))
	w.Open(uri, "", 1, "needle")
	if _, err := w.Read(path); err == nil {
		t.Errorf("%s is read once it is open", path)
	}
	if hits := hitsIn(t, w); slices.Contains(hits, path) {
		t.Errorf("%s is searched once it is open", path)
	}
	w.Close(uri)
}

func hitsIn(t *testing.T, w *Workspace) (paths []string) {
	t.Helper()
	found, err := w.Search(t.Context(), Query{Pattern: "needle"}, nil)
	must(t, err)
	for _, h := range found.Hits {
		paths = append(paths, h.Path)
	}
	return paths
}

func TestOffLimits(t *testing.T) {
	w, dir := newHome(t)
	link(t, ".config/redline", filepath.Join(dir, "way"))
	link(t, "config.toml", filepath.Join(dir, ".config/redline/same.toml"))
	must(t, os.Link(filepath.Join(dir, ".config/redline/config.toml"), filepath.Join(dir, "hard.toml")))
	must(t, os.Link(filepath.Join(dir, ".state/redline/redline.db"), filepath.Join(dir, "hard.db")))
	before := shot(t, dir)
	for _, path := range []string{
		".config/redline/config.toml", ".config/redline/agents/new.md", ".config/redline/agents", ".state/redline/redline.db", ".state/redline/previews/1/p.md",
		".config/redline/prompts", ".config/redline/prompts/system.md", "dot/redline.toml", // do not exist yet
		"way/config.toml", "way/prompts/new.md", ".config/redline/same.toml", // through a link
		"real/one.md",          // the target of a link in them
		"hard.toml", "hard.db", // the same file
		".Config/Redline/CONFIG.TOML", "DOT/redline.TOML", // on a file system that ignores case
	} {
		refusedToAll(t, w, path)
	}
	for path := range before {
		if after := shot(t, dir); after[path] != before[path] {
			t.Errorf("%s was %q and is %q", path, before[path], after[path])
		}
	}
	want := []string{".config/redline/other.txt", ".config/redlined", "a.txt", "real/settings.toml"}
	if hits := hitsIn(t, w); !slices.Equal(hits, want) {
		t.Errorf("searching finds %v, want %v", hits, want)
	}
	for _, path := range want {
		if f, err := w.Read(path); err != nil || f.Text != "needle" {
			t.Errorf("%s is not read: %v", path, err)
		}
	}
	files, _, err := w.List(t.Context(), "", "", nil, 0)
	must(t, err)
	for _, path := range files {
		if strings.HasPrefix(path, ".state") || path == ".config/redline/config.toml" || strings.Contains(path, "agents") {
			t.Errorf("%s is listed", path)
		}
	}
}

// A link that is created, or redirected, after a change was staged counts: the files are
// checked again just before each change.
func TestOffLimitsAreLookedAtBeforeAChange(t *testing.T) {
	w, dir := newHome(t)
	config := filepath.Join(dir, ".config/redline/config.toml")
	staged := edits.Change{Kind: edits.Update, Path: "real/settings.toml", Base: "needle", Edits: []edits.Edit{{New: "x"}}}
	if _, err := w.Read(staged.Path); err != nil {
		t.Fatal(err)
	}
	must(t, os.Remove(config))
	link(t, "../../real/settings.toml", config)
	if why := w.Guarded(staged); why == "" {
		t.Error("what the settings now lead to can be changed")
	}
	// A folder of the user's that is a link to a missing one.
	link(t, "../../mine", filepath.Join(dir, ".config/redline/prompts"))
	if why := w.Guarded(edits.Change{Kind: edits.Create, Path: "mine/system.md"}); why == "" {
		t.Error("a file can be put where a folder of settings leads to")
	}
	// A hard link created to a file that was read before.
	must(t, os.Remove(config))
	must(t, os.Link(filepath.Join(dir, "a.txt"), config))
	if why := w.Guarded(edits.Change{Kind: edits.Update, Path: "a.txt"}); why == "" {
		t.Error("another name of the settings can be changed")
	}
}

func TestOffLimitsInside(t *testing.T) {
	w, dir := newHome(t)
	got := w.OffLimitsInside()
	if len(got) != 5 {
		t.Errorf("inside are %q", got)
	}
	elsewhere := New([]Folder{{Dir: filepath.Join(dir, "real")}}, Options{OffLimits: []string{
		filepath.Join(dir, ".config/redline/config.toml"), filepath.Join(dir, ".config/redline/agents/one.md"),
	}})
	if got := elsewhere.OffLimitsInside(); len(got) != 1 || !strings.HasSuffix(got[0], "one.md") {
		t.Errorf("inside by a link is %q", got)
	}
}

// Redline's own places can be the folder that was opened, or above it.
func TestOffLimitsAroundTheWorkspace(t *testing.T) {
	_, dir := newHome(t)
	w := New([]Folder{{Dir: filepath.Join(dir, ".state/redline/previews")}}, Options{StateDir: filepath.Join(dir, ".state")})
	if _, err := w.Read("1/p.md"); err == nil {
		t.Error("a file of the state directory is read")
	}
	if hits := hitsIn(t, w); len(hits) > 0 {
		t.Errorf("found are %v", hits)
	}
}

func BenchmarkOffLimits(b *testing.B) {
	dir := b.TempDir()
	var off []string
	for _, name := range []string{"config.toml", "prompts", "agents", "templates"} {
		off = append(off, filepath.Join(dir, "home/me/.config/redline", name))
	}
	for i := range 50 {
		writeTree(b, dir, map[string]string{fmt.Sprintf("home/me/.config/redline/agents/%d.md", i): "x"})
	}
	writeTree(b, dir, map[string]string{"work/a/b/c/d.go": "x"})
	w := New([]Folder{{Dir: filepath.Join(dir, "work")}}, Options{OffLimits: off, StateDir: filepath.Join(dir, "home/me/.local/state/redline")})
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			must(b, w.offLimitsAt("a/b/c/d.go", lookAgain))
		}
	})
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			must(b, w.offLimitsAt("a/b/c/d.go", 0))
		}
	})
}
