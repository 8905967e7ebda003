//go:build amd64 || arm64

package runner

import (
	"os"
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
