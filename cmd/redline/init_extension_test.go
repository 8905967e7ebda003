package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"redline/editors"
)

// fakeCode writes a program that notes its arguments and keeps the file that it installs.
func fakeCode(t *testing.T, dir, end string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("plays VS Code with a shell script: run it on Linux or macOS")
	}
	program := filepath.Join(dir, "code")
	script := "#!/bin/sh\necho \"$1 $(basename \"$2\")\" >" + dir + "/said\ncp \"$2\" " + dir + "/installed\n" + end + "\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// initWith runs the command for an extension, and returns what it printed.
func initWith(t *testing.T, write bool, answer string, programs ...string) (string, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	var out bytes.Buffer
	setup := editors.Setup{Extension: editors.Extension{Name: "redline-1.2.0.vsix", Data: []byte("PK\xff"), Programs: programs}, Next: "ask"}
	err := initExtension(cmd, streams{in: strings.NewReader(answer), out: &out, err: &out}, setup, write)
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	return out.String(), err
}

func TestInitInstallsTheExtension(t *testing.T) {
	dir := t.TempDir()
	out, err := initWith(t, true, "", fakeCode(t, dir, "exit 0"))
	said, _ := os.ReadFile(filepath.Join(dir, "said"))
	installed, _ := os.ReadFile(filepath.Join(dir, "installed"))
	if err != nil || string(said) != "--install-extension redline-1.2.0.vsix\n" || string(installed) != "PK\xff" {
		t.Errorf("the program was called with %q, on %q: %v\n%s", said, installed, err, out)
	}
	for _, want := range []string{"redline-1.2.0.vsix (1 KB) is the extension for VS Code", "/code: installed\n", "Next: ask"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// Nothing is installed before the user agrees.
func TestInitAsksBeforeItInstalls(t *testing.T) {
	dir := t.TempDir()
	out, err := initWith(t, false, "no\n", fakeCode(t, dir, "exit 0"))
	if _, missing := os.Stat(filepath.Join(dir, "said")); err != nil || missing == nil || !strings.Contains(out, "Nothing was installed.") {
		t.Errorf("got %v\n%s", err, out)
	}
}

// An editor that refuses the extension does not keep it from the others.
func TestInitNamesTheEditorThatFailed(t *testing.T) {
	bad, good := t.TempDir(), t.TempDir()
	refuses := fakeCode(t, bad, "echo 'too old' >&2; exit 3")
	out, err := initWith(t, true, "", refuses, fakeCode(t, good, "echo Installing; echo It was installed."))
	if err == nil || !strings.Contains(err.Error(), refuses+" did not install the extension: exit status 3: too old") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(out, good+"/code: It was installed.\n") {
		t.Errorf("the other editor has not installed it:\n%s", out)
	}
}

// A program that is not on PATH is named: the extension would not find it.
func TestInitSaysWhereTheProgramIs(t *testing.T) {
	dir := t.TempDir()
	code := fakeCode(t, dir, "exit 0")
	here, before := t.TempDir(), os.Getenv("PATH")
	if err := os.WriteFile(filepath.Join(here, "redline"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", here+":"+before)
	if out, err := initWith(t, true, "", code); err != nil || strings.Contains(out, "redline.server.path") {
		t.Errorf("with it on PATH: %v\n%s", err, out)
	}
	var without []string
	for _, folder := range filepath.SplitList(before) {
		if _, err := os.Stat(filepath.Join(folder, "redline")); err != nil {
			without = append(without, folder)
		}
	}
	t.Setenv("PATH", strings.Join(without, ":"))
	if out, err := initWith(t, true, "", code); err != nil || !strings.Contains(out, "set redline.server.path to /") {
		t.Errorf("without it: %v\n%s", err, out)
	}
}
