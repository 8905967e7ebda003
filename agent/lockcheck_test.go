package agent_test

import (
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent"
)

// lockCheck fails the test if the disk under a session's workspace is read by a goroutine that
// holds the lock that typing waits for.
type lockCheck struct {
	t     *testing.T
	agent atomic.Pointer[agent.Agent] // nil until it is created
}

// access is called before the disk is read.
func (c *lockCheck) access() {
	if a := c.agent.Load(); a != nil && !a.Unlocked(20*time.Second) {
		c.t.Errorf("the disk is looked at by somebody who holds the lock:\n%s", debug.Stack())
	}
}
