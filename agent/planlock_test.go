package agent_test

import (
	"testing"

	"redline/agent/decision"
)

// A decision on one plan does not wait for one on another that waits for the disk.
func TestDecisionsOnDifferentPlansDoNotWaitForEachOther(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	s.model.stages(edit("a.txt", "one\n", "1\n"))
	first := s.plan("figures")
	s.model.stages(edit("b.txt", "one\n", "1\n"))
	s.plan("more figures")
	reached, release := s.files.hold()
	defer release()
	approved := make(chan error, 1)
	go func() {
		_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: first.Hash})
		approved <- err
	}()
	select {
	case <-reached:
		s.files.pass()
	case err := <-approved:
		t.Fatalf("the approval has looked at no disk (%v)", err)
	case <-s.ctx().Done():
		t.Fatal("the approval does not come to look at the disk")
	}
	rejected := make(chan error, 1)
	go func() {
		_, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 2})
		rejected <- err
	}()
	select {
	case err := <-rejected:
		if err != nil {
			t.Error(err)
		}
	case err := <-approved:
		t.Fatalf("the approval has not waited for the disk (%v)", err)
	case <-s.ctx().Done():
		t.Fatal("the rejection of plan 2 waits for the approval of plan 1")
	}
	release()
	if err := <-approved; err != nil {
		t.Error(err)
	}
	if one, two := s.state1(1).State, s.state1(2).State; one != "completed" || two != "cancelled" {
		t.Errorf("plan 1 is %s, plan 2 is %s", one, two)
	}
}
