package board_test

import (
	"testing"
	"time"

	"redline/agent/board"
	"redline/agent/view"
)

// An approval opens its plan once: it asks once whether the plan is ready and what its texts show,
// and is checked on one view, which is the one that was shown if no text has changed. Every other
// view is for an event that reports the plan in another state: the approval begins, a file of the
// editor has its change, the approval has ended.
func TestAnApprovalAsksOnce(t *testing.T) {
	for name, want := range map[string]board.Counts{
		"open":   {Table: 12, Plan: 2, View: 4, Ready: 1, Compared: 1},
		"closed": {Table: 10, Plan: 2, View: 3, Ready: 1, Compared: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
			s.OnDisk = func() {}                          // it locks the table to see whether it is free
			s.Must(s.Board.Follower.Refresh(s.Context())) // the first one reads every plan
			if name == "open" {
				s.Open("a.txt")
				s.Open("b.txt")
				s.Editor.OnApply = s.InBuffer
			}
			p := s.Plan("figures", edit("a.txt", "one\n", "1\n"), edit("b.txt", "one\n", "1\n"))
			before := s.Board.Counts()
			r, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			s.Must(err)
			if r.State != "completed" {
				t.Fatalf("%+v", r)
			}
			s.Fixture.Wait(time.Minute) // its last event comes after its result
			if got := s.Board.Counts().Since(before); got != want {
				t.Errorf("it asked %+v, want %+v", got, want)
			}
		})
	}
}
