package apply_test

import (
	"os"
	"testing"

	"redline/internal/leaktest"
)

// When all tests have ended, no goroutine is left.
func TestMain(m *testing.M) { os.Exit(leaktest.After(m).Run()) }
