package brief_test

import (
	"os"
	"testing"

	"redline/internal/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.After(m).Run()) }
