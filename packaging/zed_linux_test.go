package packaging

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestZedExtension builds the extension as Zed does, as a WebAssembly component, and runs it in
// a host that plays Zed: it answers for settings, PATH and downloads.
func TestZedExtension(t *testing.T) {
	if !*roots {
		t.Skip("builds the extension, for which it needs the network: run with -roots")
	}
	cargo := need(t, "cargo", "install Rust with rustup")
	need(t, "npm", "install Node.js")
	cache := zedCache(t)
	command(t, need(t, "rustup", "see rustup.rs"), "target", "add", "wasm32-wasip2")
	for _, args := range []string{
		"fetch --locked", "fmt --check", "clippy --offline --locked --all-targets -- -D warnings", "check --offline --locked",
		"test --offline --locked", "build --offline --locked --release --target wasm32-wasip2",
	} {
		zedCargo(t, cargo, cache, strings.Fields(args)...)
	}
	if t.Failed() {
		return
	}
	writeBytes(t, filepath.Join(cache, "built"), nil)
	h := newZedHost(t, cache, "extension")
	for name, test := range map[string]func(*testing.T, zedHost){
		"path": zedTakesPath, "settings": zedTakesSettings, "old": zedRefusesOld, "download": zedDownloads, "nothing": zedSaysWhatToDo,
	} {
		t.Run(name, func(t *testing.T) { test(t, h) })
	}
	t.Run("GitHub", func(t *testing.T) { zedAsksGitHub(t, zedOnGitHub(t, cargo, cache)) })
}

// zedOnGitHub builds the extension as if Redline were on GitHub.
func zedOnGitHub(t *testing.T, cargo, cache string) zedHost {
	dir := filepath.Join(t.TempDir(), "zed")
	command(t, "cp", "-a", "zed", dir)
	manifest := filepath.Join(dir, "extension.toml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	writeBytes(t, manifest, bytes.ReplaceAll(text, []byte(project(t)["repository"]), []byte("https://github.com/owner/redline")))
	zedCargo(t, cargo, cache, "build", "--offline", "--locked", "--release", "--target", "wasm32-wasip2", "--manifest-path", filepath.Join(dir, "Cargo.toml"))
	return newZedHost(t, cache, "github")
}

// zedHost is the extension as JavaScript, and the program that plays Zed.
type zedHost struct{ component string }

// newZedHost turns the component that was built into JavaScript, and checks that it says which version of Zed's
// API it wants, as Zed does.
func newZedHost(t *testing.T, cache, name string) zedHost {
	t.Helper()
	wasm := filepath.Join(cache, "target/wasm32-wasip2/release/redline_lsp.wasm")
	data, err := os.ReadFile(wasm)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, append([]byte("\x0fzed:api-version"), 0, 0, 0, 7, 0, 0)) {
		t.Error("the component does not say that it wants version 0.7.0 of Zed's API")
	}
	modules := filepath.Join(cache, "host")
	writeBytes(t, filepath.Join(modules, "package.json"), []byte(`{"type": "module", "private": true}`))
	command(t, "npm", "install", "--prefix", modules, "--no-audit", "--no-fund", "--prefer-offline",
		"@bytecodealliance/jco@1.35.0", "@bytecodealliance/preview2-shim@0.26.1")
	out := filepath.Join(modules, "out")
	command(t, filepath.Join(modules, "node_modules/.bin/jco"), "transpile", wasm, "-o", out, "--name", name,
		"--instantiation", "async", "--no-typescript", "--quiet")
	return zedHost{filepath.Join(out, name+".js")}
}

// zedScene is what the host answers the extension.
type zedScene struct {
	Folder   string            `json:"folder"`             // of the extension
	Programs map[string]string `json:"programs,omitempty"` // on PATH
	Shell    map[string]string `json:"shell,omitempty"`
	Settings any               `json:"settings,omitempty"` // lsp.redline-lsp
	Served   map[string]string `json:"served,omitempty"`   // URL → archive
	Releases map[string]any    `json:"releases,omitempty"` // on GitHub, by OWNER/NAME
}

// zedAnswer is what the extension returned, and what it asked of the host.
type zedAnswer struct {
	Command struct {
		Value *struct {
			Command string     `json:"command"`
			Args    []string   `json:"args"`
			Env     [][]string `json:"env"`
		} `json:"value"`
		Error string `json:"error"`
	} `json:"command"`
	Options       struct{ Value string } `json:"options"`
	Configuration struct{ Value string } `json:"configuration"`
	Statuses      [][]string             `json:"statuses"`
	Downloads     []struct{ URL string } `json:"downloads"`
	Commands      [][]string             `json:"commands"`
}

func (h zedHost) play(t *testing.T, scene zedScene) zedAnswer {
	t.Helper()
	if scene.Folder == "" {
		scene.Folder = t.TempDir()
	}
	input, err := json.Marshal(scene)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "testdata/zed/host.mjs", h.component)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the host failed: %v\n%s", err, stderr.String())
	}
	var answer zedAnswer
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return answer
}

// started returns the program and arguments that Zed would start.
func (a zedAnswer) started(t *testing.T) []string {
	t.Helper()
	if a.Command.Value == nil {
		t.Fatalf("no command: %s", a.Command.Error)
	}
	return append([]string{a.Command.Value.Command}, a.Command.Value.Args...)
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func zedTakesPath(t *testing.T, h zedHost) {
	redline := filepath.Join(programs(t), "linux_amd64/redline")
	a := h.play(t, zedScene{Programs: map[string]string{"redline": redline}, Shell: map[string]string{"KEY": "secret"}})
	expect(t, "started", a.started(t), []string{redline, "serve"})
	expect(t, "environment", a.Command.Value.Env, [][]string{{"KEY", "secret"}})
	expect(t, "commands", a.Commands, [][]string{{redline, "version"}})
	expect(t, "downloads", len(a.Downloads), 0)
	initializes(t, a.started(t)...)
}

func zedTakesSettings(t *testing.T, h zedHost) {
	settings := map[string]any{
		"binary":                 map[string]any{"path": "/opt/npx", "arguments": []string{"redline-lsp", "serve"}, "env": map[string]string{"KEY": "new"}},
		"initialization_options": map[string]any{"ui": map[string]any{"report": "never"}},
		"settings":               map[string]any{"ui": map[string]any{"code_lens": false}},
	}
	a := h.play(t, zedScene{
		Programs: map[string]string{"redline": "/usr/bin/redline"}, Settings: settings,
		Shell: map[string]string{"KEY": "old", "PATH": "/bin"},
	})
	expect(t, "started", a.started(t), []string{"/opt/npx", "redline-lsp", "serve"})
	expect(t, "environment", a.Command.Value.Env, [][]string{{"KEY", "new"}, {"PATH", "/bin"}})
	expect(t, "commands", len(a.Commands), 0)
	expect(t, "options", a.Options.Value, `{"ui":{"report":"never"}}`)
	expect(t, "configuration", a.Configuration.Value, `{"redline":{"ui":{"code_lens":false}}}`)
}

func zedRefusesOld(t *testing.T, h zedHost) {
	old := filepath.Join(t.TempDir(), "redline")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho 'redline version 0.0.9 (go1.20)'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := h.play(t, zedScene{Programs: map[string]string{"redline": old}})
	if want := old + " is Redline 0.0.9, and this extension needs 0.1.0 or newer: `" + old + " version --check` says how to upgrade it."; a.Command.Error != want {
		t.Errorf("the error is %q", a.Command.Error)
	}
}

func zedDownloads(t *testing.T, h zedHost) {
	version, repository := programVersion(t), project(t)["repository"]
	archive := filepath.Join(t.TempDir(), "archive.tar.gz")
	command(t, "tar", "-czf", archive, "-C", filepath.Join(programs(t), "linux_amd64"), "redline")
	url := fmt.Sprintf("%s/releases/download/v%s/redline_%s_linux_amd64.tar.gz", repository, version, version)
	folder := t.TempDir()
	writeBytes(t, filepath.Join(folder, "redline-0.0.1/redline"), nil)
	scene := zedScene{Folder: folder, Served: map[string]string{url: archive}}

	a := h.play(t, scene)
	program := "redline-" + version + "/redline"
	expect(t, "started", a.started(t), []string{program, "serve"}) // Zed takes it as relative to the folder
	expect(t, "downloads", len(a.Downloads), 1)
	var said []string
	for _, s := range a.Statuses {
		said = append(said, s[1])
	}
	expect(t, "statuses", said, []string{"checking-for-update", "downloading", "none"})
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v (%v)", entries, err)
	}
	initializes(t, filepath.Join(folder, program), "serve")

	again := h.play(t, scene)
	expect(t, "started again", again.started(t), []string{program, "serve"})
	expect(t, "downloads again", len(again.Downloads), 0)
}

// On GitHub the newest release counts, not the one of the extension's version.
func zedAsksGitHub(t *testing.T, h zedHost) {
	archive := filepath.Join(t.TempDir(), "archive.tar.gz")
	command(t, "tar", "-czf", archive, "-C", filepath.Join(programs(t), "linux_amd64"), "redline")
	asset := func(name string) map[string]string {
		return map[string]string{"name": name, "downloadUrl": "https://files/" + name}
	}
	release := map[string]any{"version": "v9.8.7", "assets": []any{
		asset("redline_9.8.7_darwin_arm64.tar.gz"), asset("redline_9.8.7_linux_amd64.tar.gz"), asset("checksums.txt"),
	}}
	a := h.play(t, zedScene{
		Releases: map[string]any{"owner/redline": release},
		Served:   map[string]string{"https://files/redline_9.8.7_linux_amd64.tar.gz": archive},
	})
	expect(t, "started", a.started(t), []string{"redline-9.8.7/redline", "serve"})

	release["assets"] = []any{asset("checksums.txt")}
	a = h.play(t, zedScene{Releases: map[string]any{"owner/redline": release}})
	if !strings.Contains(a.Command.Error, "release 9.8.7 has no redline_9.8.7_linux_amd64.tar.gz") {
		t.Errorf("the error is %q", a.Command.Error)
	}
}

// Without a program the user reads one sentence; a release that is there is better than none.
func zedSaysWhatToDo(t *testing.T, h zedHost) {
	a := h.play(t, zedScene{})
	for _, want := range []string{"Redline is not on your PATH", "status 404", project(t)["repository"], "lsp.redline-lsp.binary.path"} {
		if !strings.Contains(a.Command.Error, want) {
			t.Errorf("the error %q lacks %q", a.Command.Error, want)
		}
	}
	folder := t.TempDir()
	writeBytes(t, filepath.Join(folder, "redline-0.0.1/redline"), nil)
	a = h.play(t, zedScene{Folder: folder})
	expect(t, "started", a.started(t), []string{"redline-0.0.1/redline", "serve"})
}
