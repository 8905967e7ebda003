package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// neovim returns the newest Neovim, as .ci/install-editors unpacks it.
func neovim(t *testing.T) string {
	t.Helper()
	program := filepath.Join(editorsCache(t), "bin", "nvim")
	if exec.Command(program, "--version").Run() != nil {
		t.Skip("Neovim 0.12 is not here: run .ci/install-editors")
	}
	return program
}

// neovimPlugin returns the folder of a plugin that .ci/install-editors unpacks.
func neovimPlugin(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(editorsCache(t), "nvim-plugins", name)
	if _, err := os.Stat(filepath.Join(dir, "lua")); err != nil {
		t.Skipf("%s is not here: run .ci/install-editors", name)
	}
	return dir
}

func editorsCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "redline-editors")
}

// projectWith returns what project.json says, with other values for some fields.
func projectWith(t *testing.T, others map[string]string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("project.json")
	if err != nil {
		t.Fatal(err)
	}
	project := map[string]string{}
	if err := json.Unmarshal(data, &project); err != nil {
		t.Fatal(err)
	}
	for field, value := range others {
		project[field] = value
	}
	return project
}

// filledIn fills in the templates of one folder as a release does, and returns the folder of the
// result.
func filledIn(t *testing.T, folder string, project map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	data, err := json.Marshal(project)
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "in", folder), os.DirFS(folder))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "in", "project.json"), data, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "checksums.txt"), nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	command(t, "go", "run", "../internal/release", "render", filepath.Join(dir, "in", "project.json"), testVersion,
		filepath.Join(dir, "checksums.txt"), filepath.Join(dir, "out"))
	return filepath.Join(dir, "out", folder)
}

// nvim-lspconfig's own generator of its documentation reads the entry.
func TestLspconfigDocumentation(t *testing.T) {
	t.Parallel()
	nvim, lspconfig := neovim(t), neovimPlugin(t, "nvim-lspconfig")
	need(t, "git", "install git")
	dir := t.TempDir()
	for _, part := range []string{"lua", "scripts", "doc"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(lspconfig, part))); err != nil {
			t.Fatal(err)
		}
	}
	command(t, "cp", "-r", filepath.Join(filledIn(t, "nvim", projectWith(t, nil)), "lsp"), dir)
	generate := exec.Command("sh", "-c", `git init --quiet && exec "$0" --clean -R -Es -V1 +'set rtp+=$PWD' +'luafile scripts/docgen.lua'`, nvim)
	generate.Dir, generate.Env = dir, append(os.Environ(), "HOME="+dir)
	out, err := generate.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "doc", "configs.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## redline\n\nhttps://example.org/redline\n\nRedline puts an AI coding agent",
		`{ "redline", "serve" }`, `{ ".redline", ".git" }`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(page), "@type") {
		t.Errorf("the page has annotations of the code:\n%s", page)
	}
}
