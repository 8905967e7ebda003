package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "redline/internal/seed"
)

func TestLicences(t *testing.T) {
	if testing.Short() {
		t.Skip("the packages of six platforms are not listed in short mode: run without -short")
	}
	t.Chdir("../..")
	out := filepath.Join(t.TempDir(), "licences.txt")
	if err := run(t.Output(), []string{"licences", out}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"The Go programming language",
		"modernc.org/sqlite v",
		"github.com/inconshreveable/mousetrap v", // only on Windows
		"github.com/landlock-lsm/go-landlock v",  // only on Linux
	} {
		if !bytes.Contains(text, []byte("\n"+want)) {
			t.Errorf("the licences do not name %s", want)
		}
	}
	for _, not := range []string{"pgregory.net/rapid", "cyclonedx"} {
		if bytes.Contains(text, []byte(not)) {
			t.Errorf("the licences name %s, which is not in the program", not)
		}
	}
}

func TestModuleWithoutALicence(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "NOTICE"), "A notice is no licence.")
	write(t, filepath.Join(dir, "licensing.go"), "package licensing")
	err := writeLicence(t.Output(), module{Path: "example.org/m", Version: "v1.0.0", Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "example.org/m v1.0.0 has no licence") {
		t.Errorf("got %v", err)
	}
}
