package lsp_test

import (
	"os"
	"testing"

	"redline/workspace/runner"
)

// The test binary is also the helper that runs commands.
func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		os.Exit(runner.Help())
	}
	os.Exit(m.Run())
}
