package decide_test

import (
	"testing"

	"redline/agent/view"
)

// A decision on one plan does not wait for a decision on another that waits for the disk.
func TestDecisionsOnDifferentPlansDoNotWaitForEachOther(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	first := s.Plan("figures", edit("a.txt", "one\n", "1\n"))
	s.Plan("more figures", edit("b.txt", "one\n", "1\n"))
	reached, release := s.HoldDisk()
	defer release()
	approved := make(chan error, 1)
	go func() {
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: first.Hash})
		approved <- err
	}()
	select {
	case <-reached:
		s.PassDisk()
	case err := <-approved:
		t.Fatalf("the approval has looked at no disk (%v)", err)
	case <-s.Context().Done():
		t.Fatal("the approval does not come to look at the disk")
	}
	rejected := make(chan error, 1)
	go func() {
		_, err := s.Reject(s.Context(), view.Request{Plan: 2})
		rejected <- err
	}()
	select {
	case err := <-rejected:
		if err != nil {
			t.Error(err)
		}
	case err := <-approved:
		t.Fatalf("the approval has not waited for the disk (%v)", err)
	case <-s.Context().Done():
		t.Fatal("the rejection of plan 2 waits for the approval of plan 1")
	}
	release()
	if err := <-approved; err != nil {
		t.Error(err)
	}
	if one, two := s.PlanNow(1).State, s.PlanNow(2).State; one != "completed" || two != "cancelled" {
		t.Errorf("plan 1 is %s, plan 2 is %s", one, two)
	}
}
