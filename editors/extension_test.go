package editors

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// with is a folder of a program that was built with the extension.
var with = fstest.MapFS{
	"vscode/packed/README.md":          {Data: []byte("read me")},
	"vscode/packed/redline-1.2.0.vsix": {Data: []byte("PK\xff")},
}

// The extension is installed by the programs that are here, each once.
func TestExtension(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("tests folders of Linux and macOS: run it there")
	}
	for _, c := range []struct {
		system, path string
		there, want  []string
	}{
		{"linux", "/usr/bin:/bin", []string{"/usr/bin/code", "/bin/code", "/bin/codium"}, []string{"/usr/bin/code", "/bin/codium"}},
		{"linux", ".:bin:/usr/bin", []string{"code", "bin/code", "/usr/bin/code-server"}, []string{"/usr/bin/code-server"}},
		{"linux", "/usr/bin", []string{"/Applications/Cursor.app/Contents/Resources/app/bin/cursor"}, nil},
		{"darwin", "", []string{"/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code", "/home/Applications/Cursor.app/Contents/Resources/app/bin/cursor"},
			[]string{"/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code", "/home/Applications/Cursor.app/Contents/Resources/app/bin/cursor"}},
		{"windows", "/c", []string{"/c/code", "/c/codium.cmd", "/local/Programs/Microsoft VS Code/bin/code.cmd"},
			[]string{"/local/Programs/Microsoft VS Code/bin/code.cmd", "/c/codium.cmd"}},
	} {
		setup, err := vscode(with, Folders{
			System: c.system, Home: "/home", Data: "/data", Local: "/local",
			Env:    func(name string) string { return map[string]string{"PATH": c.path}[name] },
			Exists: func(path string) bool { return slices.Contains(c.there, path) },
		})
		e := setup.Extension
		if err != nil || !slices.Equal(e.Programs, c.want) || e.Name != "redline-1.2.0.vsix" || string(e.Data) != "PK\xff" {
			t.Errorf("%s with %s: %+v and %v, want the programs %q", c.system, c.there, e, err, c.want)
		}
		if (len(setup.Files) == 0) != (len(c.want) > 0) {
			t.Errorf("%s with %s: the files are %+v", c.system, c.there, setup.Files)
		}
	}
}

// Without a program that installs it, the extension is a file in a folder of its own.
func TestExtensionAsFile(t *testing.T) {
	setup, err := vscode(with, Folders{Data: "/data"})
	want := filepath.Join("/data", "redline", "vscode", "redline-1.2.0.vsix")
	if err != nil || len(setup.Files) != 1 || setup.Files[0].Path != want || !setup.Owns(setup.Files[0]) || !strings.Contains(setup.Note, "Install from VSIX") {
		t.Errorf("got %+v and %v, want the file %s", setup, err, want)
	}
}

// A program that was built without the extension shows the page.
func TestExtensionIsMissing(t *testing.T) {
	setup, err := vscode(fstest.MapFS{"vscode/packed/README.md": {}}, Folders{Data: "/data"})
	if err != nil || setup.Files != nil || !strings.Contains(setup.Note, "# Redline in VS Code") {
		t.Errorf("got %+v and %v, want the page", setup, err)
	}
	if _, err := packed.ReadFile("vscode/packed/README.md"); err != nil {
		t.Errorf("the program does not contain the folder for the extension: %v", err)
	}
}

// A release puts the extension into a folder that Git ignores, or the sources would count as
// changed.
func TestPackedExtensionIsIgnored(t *testing.T) {
	ignored, err := os.ReadFile("vscode/.gitignore")
	if err != nil || !slices.Contains(strings.Fields(string(ignored)), "*.vsix") {
		t.Errorf("vscode/.gitignore has no line *.vsix: %v", err)
	}
}
