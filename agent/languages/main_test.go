package languages_test

import (
	"testing"

	"redline/agent/agenttest"
)

func TestMain(m *testing.M) { agenttest.Main(m) }
