package store

import (
	"testing"

	"redline/agent/plan"
)

func TestDatabaseWithCosts(t *testing.T) {
	p := get(t, storeOfVersion(t, 3), 5)
	if got, want := p.Revisions[0].Tokens, (plan.Tokens{Prompt: 120, Completion: 34, Cost: 0.0125}); got != want {
		t.Errorf("the revision has used %+v, want %+v", got, want)
	}
}
