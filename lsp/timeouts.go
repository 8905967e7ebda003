package lsp

import "time"

// Timeouts bound what the server waits for. A zero field has its default.
type Timeouts struct {
	Request   time.Duration // the answer to a request that is not workspace/applyEdit; 10 s
	ApplyEdit time.Duration // the answer to workspace/applyEdit: a user may be asked; 10 s
	Late      time.Duration // how much longer an answer to one of these is listened for; 1 min
	Ask       time.Duration // the answer to a question that nothing waits for; 30 min
	Underway  time.Duration // how long an approval may be carried out before that is shown as progress; 500 ms
	Review    time.Duration // the answer to a review, at which a user looks; 1 h
	Verify    time.Duration // how long a text that was changed may take to be seen; longer than a command may run, since eglot sends what has changed only after that; 7 s
	Hidden    time.Duration // how long a change of a file that is not open may take to be seen, within Verify; 2 s
	Refusal   time.Duration // how long the change that explains a refusal may take to be seen; 300 ms
	Parent    time.Duration // how often to look whether the editor's process still lives; 5 s
	Starting  time.Duration // how long what is asked for at the start waits for the plans of earlier sessions; 1 s
	Plans     time.Duration // how often to look whether another process has changed plans; 1 s
	Retain    time.Duration // how often to look whether old plans are to be removed; 5 min
}

func (t Timeouts) withDefaults() Timeouts {
	for _, d := range []struct {
		field *time.Duration
		usual time.Duration
	}{
		{&t.Request, 10 * time.Second},
		{&t.ApplyEdit, 10 * time.Second},
		{&t.Late, time.Minute},
		{&t.Ask, 30 * time.Minute},
		{&t.Underway, 500 * time.Millisecond},
		{&t.Review, time.Hour},
		{&t.Verify, 7 * time.Second},
		{&t.Hidden, 2 * time.Second},
		{&t.Refusal, 300 * time.Millisecond},
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
