//go:build amd64 || arm64

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where there are namespaces there are worlds, which keep commands from everything else.
func TestWorlds(t *testing.T) {
	switch err := Worlds(); {
	case err != nil && os.Getenv("REDLINE_TEST_WORLDS") != "":
		t.Error(err)
	case err != nil:
		t.Skip("there are no worlds here: " + err.Error())
	}
}

// A folder for temporary files with a long name does not keep worlds from being tested: the name
// of a socket in it would be too long.
func TestWorldsWithALongName(t *testing.T) {
	if err := Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	if err := testWorld(); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(long); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
}
