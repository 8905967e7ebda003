package orchestrator

import (
	"context"
	"errors"
	"strings"
	"testing"

	"redline/agent/model"
)

// counted is a model that reports its usage.
type counted struct {
	model.Provider
	asked []model.Request
}

func (p *counted) Complete(_ context.Context, req model.Request, _ func(model.Event)) (model.Reply, error) {
	p.asked = append(p.asked, req)
	return model.Reply{Text: "x", Calls: []model.Call{{Name: "read_file"}}, Usage: model.Usage{Prompt: 10, Completion: 5}}, nil
}

func TestBudget(t *testing.T) {
	inner := &counted{}
	hot := 0.9
	var calls []string
	b := newBudget(3, 0)
	one := b.provider(inner, &Specialist{Model: "big", Temperature: &hot}, func(c model.Call) { calls = append(calls, c.Name) })
	two := b.provider(inner, nil, nil)
	for i, p := range []model.Provider{one, two, one} {
		if _, err := p.Complete(t.Context(), model.Request{}, nil); err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	var limit *limitError
	if _, err := two.Complete(t.Context(), model.Request{}, nil); !errors.As(err, &limit) || !strings.Contains(limit.Reason, "after 3 requests") {
		t.Errorf("the fourth request: %v", err)
	}
	if inner.asked[0].Model != "big" || *inner.asked[0].Temperature != hot || inner.asked[1].Model != "" || len(calls) != 2 {
		t.Errorf("asked %+v, told of %q", inner.asked, calls)
	}
	if b.spent() != (model.Usage{Prompt: 30, Completion: 15}) {
		t.Errorf("used %+v", b.spent())
	}
	b = newBudget(0, 20)
	for i := range 3 {
		_, err := b.provider(inner, nil, nil).Complete(t.Context(), model.Request{}, nil)
		if (err != nil) != (i == 2) {
			t.Errorf("request %d of a budget of 20 tokens: %v", i+1, err)
		}
	}
}
