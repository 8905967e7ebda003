package lsp

import (
	"cmp"
	"time"

	"redline/lsp/apply"
)

// Timeouts bound how long the server waits. A zero field means its default.
type Timeouts struct {
	Apply    apply.Timeouts // for changes through the client
	Request  time.Duration  // for the answer to a request other than workspace/applyEdit; 10 s
	Ask      time.Duration  // for the answer to a question; 30 min
	Underway time.Duration  // how long an approval runs before it is shown as progress; 500 ms
	Parent   time.Duration  // how often to check that the editor's process lives; 5 s
	Starting time.Duration  // how long a request waits for the plans of earlier sessions; 1 s
	Plans    time.Duration  // how often to check for plans that another process has changed; 1 s
	Retain   time.Duration  // how often to check for old plans to remove; 5 min
}

func (t Timeouts) withDefaults() Timeouts {
	t.Request = cmp.Or(t.Request, 10*time.Second)
	t.Ask = cmp.Or(t.Ask, 30*time.Minute)
	t.Underway = cmp.Or(t.Underway, 500*time.Millisecond)
	t.Parent = cmp.Or(t.Parent, 5*time.Second)
	t.Starting = cmp.Or(t.Starting, time.Second)
	t.Plans = cmp.Or(t.Plans, time.Second)
	t.Retain = cmp.Or(t.Retain, 5*time.Minute)
	return t
}
