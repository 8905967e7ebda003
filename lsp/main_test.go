package lsp_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"redline/workspace/runner"
)

// The test binary is also the helper that runs commands. When all stories and
// tests have ended, however their turns, models and tool servers did, no goroutine
// is left. What still ends is waited for: on a busy machine that may take a while.
func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		os.Exit(runner.Help())
	}
	code := m.Run()
	if code == 0 {
		var left error
		for range 20 { // each looks for a second or two
			if left = goleak.Find(); left == nil {
				break
			}
		}
		if left != nil {
			fmt.Fprintln(os.Stderr, left)
			code = 1
		}
	}
	os.Exit(code)
}
