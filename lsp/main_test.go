package lsp_test

import (
	"os"
	"syscall"
	"testing"

	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace/runner"
)

// The test binary is also the helper that runs commands. After all tests and stories no
// goroutine may be left, however their turns, models and tool servers ended.
func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		syscall.Exit(runner.Help()) // without the pause of the race detector at the end of a process
	}
	os.Exit(leaktest.After(ramtemp.Around(m)).Run())
}
