package decide_test

import (
	"os"
	"syscall"
	"testing"

	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace/runner"
)

func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		syscall.Exit(runner.Help()) // without the pause of the race detector at the end of a process
	}
	os.Exit(leaktest.After(ramtemp.Around(m)).Run())
}
