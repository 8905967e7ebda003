package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/chat"
	"redline/agent/refusal"
	"redline/agent/store"
)

// PlanMeant returns the plan that a slash command names, or the only one that it can mean:
// first in its conversation, then in the workspace.
func (cs *Commands) PlanMeant(ctx context.Context, conversation string, s chat.Slash) (int, error) {
	if s.Plan != 0 {
		return s.Plan, nil
	}
	plans, err := cs.Session.Store.Plans(ctx, cs.Session.Key(), store.Filter{Open: s.Name != "undo"})
	if err != nil {
		return 0, err
	}
	var here, all []int
	for _, p := range plans {
		if s.Name == "undo" && !p.Applied() {
			continue
		}
		all = append(all, p.Number)
		if p.Conversation == conversation {
			here = append(here, p.Number)
		}
	}
	slices.Sort(all)
	switch {
	case len(here) == 1:
		return here[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return 0, refusal.New(refusal.NoSuchPlan, "There is no plan that /%s could mean.", s.Name)
	}
	return 0, refusal.New(refusal.Invalid, "Say which plan: /%s N, where N is one of %s.", s.Name, Numbers(all))
}

// Numbers lists the numbers of plans.
func Numbers(ns []int) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}
