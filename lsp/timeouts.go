package lsp

import (
	"time"

	"redline/lsp/apply"
)

// Timeouts bound what the server waits for. A zero field has its default.
type Timeouts struct {
	Apply    apply.Timeouts // of what is changed through the client
	Request  time.Duration  // the answer to a request that is not workspace/applyEdit; 10 s
	Ask      time.Duration  // the answer to a question that nothing waits for; 30 min
	Underway time.Duration  // how long an approval may be carried out before that is shown as progress; 500 ms
	Parent   time.Duration  // how often to look whether the editor's process still lives; 5 s
	Starting time.Duration  // how long what is asked for at the start waits for the plans of earlier sessions; 1 s
	Plans    time.Duration  // how often to look whether another process has changed plans; 1 s
	Retain   time.Duration  // how often to look whether old plans are to be removed; 5 min
}

func (t Timeouts) withDefaults() Timeouts {
	for _, d := range []struct {
		field *time.Duration
		usual time.Duration
	}{
		{&t.Request, 10 * time.Second},
		{&t.Ask, 30 * time.Minute},
		{&t.Underway, 500 * time.Millisecond},
		{&t.Parent, 5 * time.Second},
		{&t.Starting, time.Second},
		{&t.Plans, time.Second},
		{&t.Retain, 5 * time.Minute},
	} {
		if *d.field <= 0 {
			*d.field = d.usual
		}
	}
	return t
}
