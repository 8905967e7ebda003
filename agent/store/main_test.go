package store

import (
	"os"
	"testing"

	"redline/internal/ramtemp"
)

func TestMain(m *testing.M) { os.Exit(ramtemp.Around(m).Run()) }
