package packaging

import (
	"archive/zip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A released program contains the extension, and VS Code installs it: no Node, no network.
func TestVSCodeFromTheProgram(t *testing.T) {
	program := programWithExtension(t)
	home, bin := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\ncp \"$2\" " + bin + "/installed.vsix\n"
	server, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	server = filepath.Join(server, "redline-vscode/bin/code-server") // .ci/install-vscode puts it there
	_, missing := os.Stat(server)
	if missing == nil {
		script += "exec " + server + " --user-data-dir " + home + "/user --extensions-dir " + home + "/extensions \"$@\"\n"
	}
	if err := os.WriteFile(filepath.Join(bin, "code"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "init", "vscode", "--write")
	cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), bin+"/code: ") {
		t.Fatalf("redline init vscode: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "set redline.server.path to "+program) {
		t.Errorf("it does not say where the program is:\n%s", out)
	}
	r, err := zip.OpenReader(filepath.Join(bin, "installed.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if missing != nil {
		t.Log("VS Code itself was not asked: run .ci/install-vscode")
		return
	}
	if len(mustGlob(t, filepath.Join(home, "extensions/*redline*/dist/extension.js"))) != 1 {
		t.Errorf("VS Code has not installed it:\n%s", out)
	}
}

// programWithExtension returns a program that contains the extension: that of a release, or
// one that is built for this test.
func programWithExtension(t *testing.T) string {
	t.Helper()
	if *releaseDir != "" {
		return filepath.Join(programs(t), "linux_amd64/redline")
	}
	if !*roots {
		t.Skip("builds a second program: run with -roots")
	}
	needVSCE(t)
	dir := t.TempDir()
	if out, err := packVSCode(testVersion, "", dir).CombinedOutput(); err != nil {
		t.Fatalf("packing: %v\n%s", err, out)
	}
	name := "redline-" + testVersion + ".vsix"
	inside, err := filepath.Abs("../editors/vscode/packed/" + name)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {inside: filepath.Join(dir, name)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "redline")
	cmd := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./cmd/redline")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("redline with the extension does not build: %v\n%s", err, out)
	}
	return program
}
