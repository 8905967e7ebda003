package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestPyPI(t *testing.T) {
	printed, out := release(t, "pypi", "1.2.0-rc.1")
	if want := `redline_lsp-1.2.0rc1-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl
redline_lsp-1.2.0rc1-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64.whl
redline_lsp-1.2.0rc1-py3-none-macosx_12_0_x86_64.whl
redline_lsp-1.2.0rc1-py3-none-macosx_12_0_arm64.whl
redline_lsp-1.2.0rc1-py3-none-win_amd64.whl
redline_lsp-1.2.0rc1-py3-none-win_arm64.whl
`; printed != want {
		t.Errorf("the wheels are\n%swant\n%s", printed, want)
	}
	for _, name := range strings.Fields(printed) {
		files := readZip(t, filepath.Join(out, name))
		program := "redline_lsp-1.2.0rc1.data/scripts/redline"
		if strings.Contains(name, "-win_") {
			program += ".exe"
		}
		if files[program].mode != 0o755 || files["redline_lsp/__init__.py"].mode != 0o644 {
			t.Errorf("%s: the modes are wrong, or files are missing: %v", name, files)
		}
		checkRecord(t, name, files, "redline_lsp-1.2.0rc1.dist-info/RECORD")

		var tags []string
		for line := range strings.Lines(string(files["redline_lsp-1.2.0rc1.dist-info/WHEEL"].data)) {
			if tag, ok := strings.CutPrefix(line, "Tag: py3-none-"); ok {
				tags = append(tags, strings.TrimSpace(tag))
			}
		}
		if !strings.HasSuffix(name, "-py3-none-"+strings.Join(tags, ".")+".whl") {
			t.Errorf("%s has the tags %v", name, tags)
		}
	}
	metadata := string(readZip(t, filepath.Join(out, "redline_lsp-1.2.0rc1-py3-none-win_arm64.whl"))["redline_lsp-1.2.0rc1.dist-info/METADATA"].data)
	for _, line := range []string{
		"Name: redline-lsp\nVersion: 1.2.0rc1\n", "\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY-LICENCES.txt\n", "\n\n# Redline\n",
	} {
		if !strings.Contains(metadata, line) {
			t.Errorf("METADATA has no %q:\n%s", line, metadata)
		}
	}
	sameBytes(t, "pypi", "1.2.0-rc.1", out)
}

// checkRecord compares RECORD with the files of a wheel.
func checkRecord(t *testing.T, wheel string, files map[string]packed, own string) {
	t.Helper()
	listed := 0
	for line := range strings.Lines(string(files[own].data)) {
		listed++
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ",")
		data := files[name].data
		sum := sha256.Sum256(data)
		want := fmt.Sprintf("sha256=%s,%d", base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		if name == own {
			want = ","
		}
		if rest != want {
			t.Errorf("%s: RECORD says %q of %s, want %q", wheel, rest, name, want)
		}
	}
	if listed != len(files) {
		t.Errorf("%s: RECORD lists %d of %d files", wheel, listed, len(files))
	}
}

// readZip returns the files of a zip by name.
func readZip(t *testing.T, path string) map[string]packed {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string]packed{}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		if f.Modified.Unix() != 315532800 {
			t.Errorf("%s: its time is %v", f.Name, f.Modified)
		}
		files[f.Name] = packed{f.Name, data, f.Mode()}
	}
	return files
}

func TestSourceDateEpoch(t *testing.T) {
	for text, want := range map[string]int64{"": 315532800, "0": 315532800, "1700000000": 1700000000} {
		t.Setenv("SOURCE_DATE_EPOCH", text)
		if got, err := released(); err != nil || got.Unix() != want {
			t.Errorf("with SOURCE_DATE_EPOCH=%s: got %v and %v", text, got, err)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := released(); err == nil {
		t.Error("a time that is no number is accepted")
	}
}
