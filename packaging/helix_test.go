package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"redline/editors"
)

func readHelix(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("helix/languages.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The file has the lines of the editor's page, which `redline init helix` writes and editors/e2e
// drives Helix with, after a comment.
func TestHelixEntryIsThatOfInit(t *testing.T) {
	setup, err := editors.For("helix", editors.Folders{Home: "/home", Config: "/config", Data: "/data"})
	if err != nil {
		t.Fatal(err)
	}
	comment, lines, _ := strings.Cut(readHelix(t), "\n[")
	if "["+lines != setup.Files[0].Text {
		t.Errorf("the file says\n[%s\nand init writes\n%s", lines, setup.Files[0].Text)
	}
	for line := range strings.Lines(comment) {
		if !strings.HasPrefix(line, "#") {
			t.Errorf("this is no comment: %s", line)
		}
	}
}

// Helix reads the file and finds the program, in each language that the file names.
func TestHelixHealth(t *testing.T) {
	hx := findHelix(t)
	dir := t.TempDir()
	writeBytes(t, filepath.Join(dir, "helix", "languages.toml"), []byte(readHelix(t)))
	program := filepath.Join(programs(t), runtime.GOOS+"_"+runtime.GOARCH)
	for _, language := range []string{"go", "markdown"} {
		cmd := exec.Command(hx, "--health", language)
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "PATH="+program+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("hx --health %s: %v\n%s", language, err, out)
		}
		if !strings.Contains(string(out), filepath.Join(program, "redline")) {
			t.Errorf("Helix does not find the program for %s:\n%s", language, out)
		}
	}
}

// findHelix finds Helix on PATH, or where .ci/install-editors puts it.
func findHelix(t *testing.T) string {
	t.Helper()
	if cache, err := os.UserCacheDir(); err == nil {
		if hx := filepath.Join(cache, "redline-editors", "bin", "hx"); exec.Command(hx, "--version").Run() == nil {
			return hx
		}
	}
	return need(t, "hx", "install Helix, or run .ci/install-editors")
}
