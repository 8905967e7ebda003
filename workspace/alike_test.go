package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAlike(t *testing.T) {
	dir := t.TempDir()
	key := "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0B", 4) + "\n-----END " + "PRIVATE KEY-----\n"
	for name, text := range map[string]string{
		"lib/util.go": "", "lib/other.go": "", "src/app/main.ts": "", "src/app/view.tsx": "", "README.md": "", "cafe\u0301.txt": "",
		"a/index.js": "", "b/index.js": "", "many/1/x.c": "", "many/2/x.c": "", "many/3/x.c": "", "many/4/x.c": "", "many/5/x.c": "", "many/6/x.c": "",
		".gitignore": "ignored/\n", "ignored/made.go": "", ".env": "", "conf/notes.txt": key, "node/made.go2": "",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := New([]Folder{{Dir: dir}}, Options{})
	overlay := Overlay{"drafted/new.go": {Text: "x"}, "lib/other.go": {Deleted: true}}
	for _, c := range []struct {
		missing string
		want    []string
	}{
		{"util.go", []string{"lib/util.go"}},
		{"src/util.go", []string{"lib/util.go"}},
		{"repo/lib/util.go", []string{"lib/util.go"}},
		{"app/main.ts", []string{"src/app/main.ts"}},
		{"readme.md", []string{"README.md"}},
		{"LIB/Util.go", []string{"lib/util.go"}},
		{"Util.go", []string{"lib/util.go"}},
		{"src/app/main.js", []string{"src/app/main.ts"}},
		{"web/view.ts", []string{"src/app/view.tsx"}},
		{"caf\u00e9.txt", []string{"cafe\u0301.txt"}},
		{"index.js", []string{"a/index.js", "b/index.js"}},
		{"a.d/index.js", []string{"a/index.js", "b/index.js"}},
		{"new.go", []string{"drafted/new.go"}},
		{"lib/utll.go", []string{"lib/util.go"}},
		{"src/app/maim.ts", []string{"src/app/main.ts"}},
		{"REDME.md", []string{"README.md"}},
		{"lib/util2.ts", nil},
		// Files that are never returned: those with other names, deleted in the draft,
		// ignored, secret by name or text, or among too many.
		{"utility.go", nil},
		{"other.go", nil},
		{"made.go", []string{"node/made.go2"}},
		{"x/.env", nil},
		{"notes.txt", nil},
		{"x.c", nil},
		{".go", nil},
	} {
		if d := cmp.Diff(c.want, w.Alike(t.Context(), c.missing, overlay)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.missing, d)
		}
	}
}

func TestAlikeFolders(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{
		"src/handlers/a.go": "", "web/Handlers/b.go": "", "docs/guide/c.md": "", ".gitignore": "made/\n", "made/handlers/d.go": "", ".git/handlers/x": "",
	})
	for missing, want := range map[string][]string{
		"handlers":       {"src/handlers", "web/Handlers"},
		"src/handelrs":   {"src/handlers", "web/Handlers"},
		"Guide":          {"docs/guide"},
		"app/docs/guide": {"docs/guide"},
		"made2":          nil,
		"nothing":        nil,
	} {
		if d := cmp.Diff(want, w.AlikeFolders(t.Context(), missing, nil)); d != "" {
			t.Errorf("%s (-want +got):\n%s", missing, d)
		}
	}
}
