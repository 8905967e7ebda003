package plan_test

import (
	"os"
	"testing"

	"redline/internal/leaktest"
	"redline/internal/ramtemp"
)

// When all tests have ended, no goroutine is left.
func TestMain(m *testing.M) { os.Exit(leaktest.After(ramtemp.Around(m)).Run()) }
