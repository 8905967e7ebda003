package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestRender(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "project.json"), `{"name": "redline", "package": "redline-lsp", "publisher": "p", "summary": "s",
		"homepage": "h", "repository": "https://example.org/r", "maintainer": "m", "licence": "l"}`)
	write(t, filepath.Join(dir, "scoop/redline.json.tmpl"), `{{with .Archive "windows" "amd64"}}{{$.URL .}} {{$.Sum .}}{{end}}`)
	write(t, filepath.Join(dir, "scoop/notes.md"), `not a template`)
	write(t, filepath.Join(dir, "checksums.txt"), sum+"  redline_1.2.0_windows_amd64.zip\n")
	out := filepath.Join(dir, "out")

	args := []string{"render", filepath.Join(dir, "project.json"), "1.2.0", filepath.Join(dir, "checksums.txt"), out}
	if err := run(t.Output(), args); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "scoop/redline.json"))
	want := "https://example.org/r/releases/download/v1.2.0/redline_1.2.0_windows_amd64.zip " + sum
	if err != nil || string(got) != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
	if _, err := os.Stat(filepath.Join(out, "scoop/notes.md")); err == nil {
		t.Error("a file that is not a template was written")
	}

	write(t, filepath.Join(dir, "checksums.txt"), "")
	if err := run(t.Output(), args); err == nil || !strings.Contains(err.Error(), "redline_1.2.0_windows_amd64.zip") {
		t.Errorf("a file that was not released: got %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
