package preview_test

import (
	"testing"

	"redline/agent/agenttest"
)

// When all tests have ended, no goroutine is left.
func TestMain(m *testing.M) { agenttest.Main(m) }
