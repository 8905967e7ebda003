package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// release runs a command that makes packages of stand-ins for all programs. It returns what
// the command printed, and the folder with the packages.
func release(t *testing.T, command, version string) (string, string) {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	dir := t.TempDir()
	for _, on := range platforms {
		write(t, filepath.Join(dir, "programs", on.system+"_"+on.processor, on.executable("redline")), "program for "+on.system)
	}
	write(t, filepath.Join(dir, "programs/THIRD-PARTY-LICENCES.txt"), "licences")
	out := filepath.Join(dir, command)
	var printed strings.Builder
	if err := run(&printed, []string{command, "../../packaging/project.json", version, filepath.Join(dir, "programs"), out}); err != nil {
		t.Fatal(err)
	}
	return printed.String(), out
}

// sameBytes makes packages a second time, and compares them with those of the first time.
func sameBytes(t *testing.T, command, version, first string) {
	t.Helper()
	_, second := release(t, command, version)
	names, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		one, err := os.ReadFile(filepath.Join(first, name.Name()))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(second, name.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs the second time", name.Name())
		}
	}
}

func TestNPM(t *testing.T) {
	printed, out := release(t, "npm", "1.2.0")
	if names := strings.Fields(printed); len(names) != 7 || names[6] != "redline-lsp-1.2.0.tgz" {
		t.Errorf("the packages are %v: want seven, and the one that depends on the others last", names)
	}

	main := readTarball(t, filepath.Join(out, "redline-lsp-1.2.0.tgz"))
	var m manifest
	if err := json.Unmarshal(main["package/package.json"].data, &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Optional) != 6 || m.Optional["redline-lsp-win32-x64"] != "1.2.0" || m.Optional["redline-lsp-darwin-arm64"] != "1.2.0" {
		t.Errorf("the package depends on %v: want six platforms, with exact versions", m.Optional)
	}
	if want := map[string]string{"redline": "bin/redline.js", "redline-lsp": "bin/redline.js"}; !reflect.DeepEqual(m.Bin, want) {
		t.Errorf("its commands are %v, want %v", m.Bin, want)
	}
	if bytes.Contains(main["package/package.json"].data, []byte(`"scripts"`)) {
		t.Error("it has scripts, which npm may run during the installation")
	}
	if m.Publish != nil {
		t.Errorf("a release is published like a prerelease: %v", m.Publish)
	}
	if main["package/bin/redline.js"].mode != 0o755 || main["package/README.md"].mode != 0o644 {
		t.Errorf("modes: %v", main)
	}

	platform := readTarball(t, filepath.Join(out, "redline-lsp-win32-arm64-1.2.0.tgz"))
	m = manifest{}
	if err := json.Unmarshal(platform["package/package.json"].data, &m); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.OS, []string{"win32"}) || !reflect.DeepEqual(m.CPU, []string{"arm64"}) || m.Bin != nil {
		t.Errorf("the platform's manifest: %+v", m)
	}
	if program := platform["package/bin/redline.exe"]; string(program.data) != "program for windows" || program.mode != 0o755 {
		t.Errorf("the platform's program: %s %v", program.data, program.mode)
	}
	for _, name := range []string{"LICENSE", "THIRD-PARTY-LICENCES.txt", "README.md"} {
		if len(platform["package/"+name].data) == 0 {
			t.Errorf("the platform's package has no %s", name)
		}
	}
	sameBytes(t, "npm", "1.2.0", out)
}

func TestNPMPrerelease(t *testing.T) {
	_, out := release(t, "npm", "1.2.0-rc.1")
	for _, name := range []string{"redline-lsp-1.2.0-rc.1.tgz", "redline-lsp-linux-x64-1.2.0-rc.1.tgz"} {
		var m manifest
		if err := json.Unmarshal(readTarball(t, filepath.Join(out, name))["package/package.json"].data, &m); err != nil {
			t.Fatal(err)
		}
		if m.Publish["tag"] != "next" {
			t.Errorf("%s: users who ask for no version get the prerelease", name)
		}
	}
}

// A package without a program, or without the licences of what is in it, is not made.
func TestNPMIsWhole(t *testing.T) {
	for _, missing := range []string{"windows_arm64/redline.exe", "THIRD-PARTY-LICENCES.txt"} {
		_, out := release(t, "npm", "1.2.0")
		programs := filepath.Join(filepath.Dir(out), "programs")
		if err := os.Remove(filepath.Join(programs, missing)); err != nil {
			t.Fatal(err)
		}
		err := run(io.Discard, []string{"npm", "../../packaging/project.json", "1.2.0", programs, t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), filepath.Base(missing)) {
			t.Errorf("without %s: got %v", missing, err)
		}
	}
}

// readTarball returns the files of a .tgz by name.
func readTarball(t *testing.T, path string) map[string]packed {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]packed{}
	for r := tar.NewReader(plain); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if header.ModTime.Unix() != 315532800 || header.Uid != 0 || header.Uname != "root" {
			t.Errorf("%s: its time is %v and its owner %d %q", header.Name, header.ModTime, header.Uid, header.Uname)
		}
		files[header.Name] = packed{header.Name, content, header.FileInfo().Mode()}
	}
}
