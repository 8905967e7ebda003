package lsp_test

import (
	"os"
	"syscall"
	"testing"

	"redline/agent/outside/outsidetest"
	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace/runner"
)

// The test binary is also the helper that runs commands, and the outside agent. After all tests and stories no
// goroutine may be left, however their turns, models and tool servers ended.
func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		syscall.Exit(runner.Help()) // without the pause of the race detector at the end of a process
	}
	if len(os.Args) == 2 && os.Args[1] == "acp-agent" {
		outsidetest.Main()
		return
	}
	os.Exit(leaktest.After(ramtemp.Around(m)).Run())
}
