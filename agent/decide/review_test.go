package decide_test

import (
	"testing"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// letThrough makes the user accept the edits with these indices, all in one file.
func (s *session) letThrough(indices ...int) {
	s.Editor.OnReview = func(proposals []state.Proposal) []edits.Applied {
		c := proposals[0].Change
		landings := make([]edits.Landing, len(c.Edits))
		for i := range landings {
			landings[i] = edits.Absent
		}
		var picked []edits.Edit
		for _, i := range indices {
			picked, landings[i] = append(picked, c.Edits[i]), edits.Landed
		}
		c.Edits = picked
		if _, err := s.Editor.Disk.Apply(s.Context(), []edits.Change{c}); err != nil {
			s.t.Error(err)
		}
		return []edits.Applied{{Path: c.Path, Status: edits.Unverified, Landings: landings}}
	}
}

func TestAReviewAppliesWhatWasLetThrough(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.letThrough(1)
	r, err := s.Review(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || r.State != "reviewing" {
		t.Fatalf("%+v, %v; want reviewing", r, err)
	}
	s.WantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))
	p = s.PlanNow(1)
	if hunks := p.Files[0].Hunks; hunks[0].Status != "pending" || hunks[1].Status != "applied" {
		t.Errorf("the hunks are %+v; want the first pending, the second applied", hunks)
	}
	if f := p.Files[0]; f.Status != "pending" || f.Reason != "" {
		t.Errorf("the file is %s (%s); want pending, without a reason", f.Status, f.Reason)
	}
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("after the rest was approved: %s", r.State)
	}
	s.WantFile("shop.go", replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)"))
}

func TestADismissedReviewLeavesThePlanAsItWas(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.Editor.OnReview = func(proposals []state.Proposal) []edits.Applied {
		return []edits.Applied{{Path: "shop.go", Status: edits.Refused}}
	}
	r, err := s.Review(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || r.State != "awaiting_approval" || r.Files[0].Status != "pending" || r.Files[0].Reason != "" {
		t.Errorf("%+v, %v; want everything pending and no reason", r, err)
	}
	s.WantFile("shop.go", shop)
}

// During a review nothing else can be decided on the plan. An unclear result is unverified.
func TestAnUnclearReviewIsSaid(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.Editor.OnReview = func(proposals []state.Proposal) []edits.Applied {
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
		s.WantRefused(err, plan.Busy)
		return []edits.Applied{{Path: "shop.go", Status: edits.Unverified, Reason: "look at it",
			Landings: []edits.Landing{edits.Landed, edits.Unclear}}}
	}
	if _, err := s.Review(s.Context(), view.Request{Plan: 1, Hash: "sha256:other"}); err == nil {
		t.Error("another hash was reviewed")
	}
	r, err := s.Review(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	if err != nil || r.Files[0].Status != "unverified" || r.Files[0].Reason != "look at it" {
		t.Errorf("%+v, %v; want unverified and the reason", r, err)
	}
}

// Pending returns the pending changes and decides nothing.
func TestPendingDecidesNothing(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.PlanRename()
	s.Open("shop.go")
	s.TypeAt("shop.go", "Total(1, 2)", "x")
	changes, stale, err := s.Pending(s.Context(), 1)
	if err != nil || len(changes) != 1 || len(changes[0].Edits) != 1 || len(stale) != 1 || stale[0] != "h2" {
		t.Fatalf("%+v, stale %v, %v; want one edit, and h2 stale", changes, stale, err)
	}
	if p := s.PlanNow(1); p.State != "awaiting_approval" {
		t.Errorf("the plan is %s", p.State)
	}
	if n := len(s.Editor.Asked()); n != 0 {
		t.Errorf("the editor was asked for %d changes", n)
	}
}

// The server dies during a review: the text shows what the user has accepted.
func TestAReviewThatWasCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		through []int
		want    []string
		state   string
	}{
		"nothing": {nil, []string{"pending", "pending"}, "awaiting_approval"},
		"a part":  {[]int{1}, []string{"pending", "applied"}, "reviewing"},
		"all":     {[]int{0, 1}, []string{"applied", "applied"}, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			p := s.PlanRename()
			s.letThrough(c.through...)
			review := s.Editor.OnReview
			s.Editor.OnReview = func(proposals []state.Proposal) []edits.Applied {
				review(proposals)
				return []edits.Applied{{Path: "shop.go", Status: edits.Unknown, Reason: "no answer yet"}}
			}
			r, err := s.Review(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			if err != nil || r.Files[0].Status != "applying" {
				t.Fatalf("%+v, %v; want applying", r, err)
			}
			s.Restart()
			p = s.PlanNow(1)
			if got := p.Files[0]; p.State != c.state || got.Reason != "" || got.Hunks[0].Status != c.want[0] || got.Hunks[1].Status != c.want[1] {
				t.Errorf("%s, %+v; want %s and the hunks %v", p.State, got, c.state, c.want)
			}
		})
	}
}
