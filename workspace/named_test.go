package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16of returns a text as UTF-16 with a byte order mark, as some editors on Windows save it.
func utf16of(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// Nobody knows which files a .redline/ignore names that cannot be read: all are secret then, for
// every way to ask.
func TestAnIgnoreFileThatCannotBeReadHidesAll(t *testing.T) {
	files := map[string]string{"a.go": "package a\n", "lib/b.go": "package b\n", "notes.txt": "notes\n"}
	for name, c := range map[string]struct {
		put func(t *testing.T, file string)
		why string // what is said of the file, "" if it can be read
	}{
		"none":          {nil, ""},
		"readable":      {writes("notes.txt\n"), ""},
		"with a mark":   {writes("\ufeffnotes.txt\n"), ""},
		"empty":         {writes(""), ""},
		"UTF-16":        {writes(utf16of("notes.txt\n")), "is UTF-16 text"},
		"in Latin-1":    {writes("notes.txt\ngr\xf6\xdfe.txt\n"), "is not UTF-8 text"},
		"over 1 MiB":    {writes("notes.txt\n" + strings.Repeat("# long\n", 160_000)), "has more than 1 MiB"},
		"a folder":      {func(t *testing.T, file string) { must(t, os.Mkdir(file, 0o755)) }, "is no ordinary file"},
		"a link":        {links("own"), "is a link"},
		"a broken link": {links("gone"), "is a link"},
	} {
		t.Run(name, func(t *testing.T) {
			w, dir := newWorkspace(t, files)
			must(t, os.WriteFile(filepath.Join(dir, "own"), []byte("notes.txt\n"), 0o644))
			must(t, os.MkdirAll(filepath.Join(dir, ".redline"), 0o755))
			if c.put != nil {
				c.put(t, filepath.Join(dir, ".redline", "ignore"))
			}
			all := c.why != ""
			err := w.HidesAll()
			if (err != nil) != all || all && !strings.HasPrefix(err.Error(), ".redline/ignore "+c.why+", so nobody knows which files it names") {
				t.Errorf("the reason is %v", err)
			}
			listed, _, err := w.List(t.Context(), "", "", nil, 0)
			if err != nil || all != (len(listed) == 0) {
				t.Errorf("listed: %q, %v", listed, err)
			}
			found, err := w.Search(t.Context(), Query{Pattern: "package"}, nil)
			if err != nil || all != (found.Lines == 0) {
				t.Errorf("found: %+v, %v", found, err)
			}
			if _, err := w.Search(t.Context(), Query{Pattern: "package", Path: "lib"}, nil); all != (err != nil) {
				t.Errorf("in a folder: %v", err)
			}
			level, err := w.Level(".")
			if err != nil || all != (len(level.Files)+len(level.Folders) == 0) {
				t.Errorf("level: %+v, %v", level, err)
			}
			hidden, err := w.SecretFiles(t.Context(), nil)
			if err != nil || all != strings.Contains(strings.Join(hidden.Names, "\n"), "a.go") {
				t.Errorf("hidden in trials: %q, %v", hidden.Names, err)
			}
			for _, path := range []string{"a.go", "lib/b.go", "new/c.go"} {
				if w.Secret(path) != all || w.SecretByName(path) != all || w.Unlisted(path) != all {
					t.Errorf("%s is secret: %t, by name: %t, unlisted: %t", path, w.Secret(path), w.SecretByName(path), w.Unlisted(path))
				}
			}
		})
	}
}

// A file that becomes readable counts at once.
func TestAnIgnoreFileThatIsPutRight(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "package a\n", ".redline/ignore": utf16of("b.go\n")})
	if hidden, err := w.SecretFiles(t.Context(), nil); err != nil || !w.Secret("a.go") || len(hidden.Names) == 0 {
		t.Fatalf("hidden: %q, %v", hidden.Names, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, ".redline", "ignore"), []byte("b.go\n"), 0o644))
	hidden, err := w.SecretFiles(t.Context(), nil)
	if err != nil || w.Secret("a.go") || !w.Secret("b.go") || strings.Contains(strings.Join(hidden.Names, "\n"), "a.go") || w.HidesAll() != nil {
		t.Errorf("hidden: %q, %v; %v", hidden.Names, err, w.HidesAll())
	}
}

// In a workspace of several folders the reason names the folder, and the others are shown.
func TestTheIgnoreFileOfOneOfSeveralFolders(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(one, "a.go"), []byte("package a\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(two, "b.go"), []byte("package b\n"), 0o644))
	must(t, os.Mkdir(filepath.Join(two, ".redline"), 0o755))
	writes(utf16of("b.go\n"))(t, filepath.Join(two, ".redline", "ignore"))
	w := New([]Folder{{Name: "one", Dir: one}, {Name: "two", Dir: two}}, Options{})
	if err := w.HidesAll(); err == nil || !strings.HasPrefix(err.Error(), "two/.redline/ignore is UTF-16 text, ") {
		t.Error(err)
	}
	if listed, _, err := w.List(t.Context(), "", "", nil, 0); err != nil || strings.Join(listed, " ") != "one/a.go" {
		t.Errorf("listed: %q, %v", listed, err)
	}
}

// A .redline that is a file, or whose ignore file the user may not read.
func TestAnIgnoreFileInNoFolder(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "package a\n", ".redline": "a file\n"})
	if err := w.HidesAll(); err != nil || w.Secret("a.go") {
		t.Error(err)
	}
	if os.Geteuid() == 0 {
		return // may read everything
	}
	w, dir := newWorkspace(t, map[string]string{"a.go": "package a\n", ".redline/ignore": "b.go\n"})
	must(t, os.Chmod(filepath.Join(dir, ".redline", "ignore"), 0))
	if err := w.HidesAll(); err == nil || !strings.Contains(err.Error(), "cannot be read") || !w.Secret("a.go") {
		t.Error(err)
	}
}

func writes(text string) func(*testing.T, string) {
	return func(t *testing.T, file string) { must(t, os.WriteFile(file, []byte(text), 0o644)) }
}

// links returns a function that makes a link to a file of the workspace.
func links(to string) func(*testing.T, string) {
	return func(t *testing.T, file string) { link(t, filepath.Join("..", to), file) }
}
