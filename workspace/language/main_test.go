package language

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"redline/workspace/runner"
)

func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		os.Exit(runner.Help())
	}
	goleak.VerifyTestMain(m)
}
