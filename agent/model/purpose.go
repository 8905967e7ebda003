package model

import (
	"cmp"
	"context"
)

// Purpose is the kind of work that a model is asked to do.
type Purpose string

// The purposes for which the user can set another model.
const (
	Answering   Purpose = "answer"    // questions; the usual model
	Planning    Purpose = "plan"      // plans in words, and who works on what
	Editing     Purpose = "edit"      // work with tools
	Classifying Purpose = "classify"  // small questions about a message
	Summarising Purpose = "summarise" // summaries of older turns
)

// Models names the model for each purpose; "" means the usual one.
type Models struct {
	Plan, Edit, Classify, Summarise string
}

func (m Models) of(purpose Purpose) string {
	switch purpose {
	case Planning:
		return m.Plan
	case Editing:
		return m.Edit
	case Classifying:
		return m.Classify
	case Summarising:
		return m.Summarise
	}
	return ""
}

// For returns the provider for a purpose. It asks the model that is set for the purpose, or p's
// own if none is. A request that names a model goes to that model.
func For(p Provider, purpose Purpose) Provider {
	if chooses, ok := p.(interface{ For(Purpose) Provider }); ok {
		return chooses.For(purpose)
	}
	return p
}

// For returns the provider for a purpose, see the function For.
func (p *client) For(purpose Purpose) Provider {
	name := p.models.of(purpose)
	if name == "" || name == p.info.Name {
		return p
	}
	return &another{p, name}
}

// another is a provider that asks another model than its usual one.
type another struct {
	*client
	name string
}

func (a *another) Info() Info {
	info := a.client.Info()
	info.Name = a.name
	return info
}

func (a *another) Complete(ctx context.Context, req Request, onEvent func(Event)) (Reply, error) {
	req.Model = cmp.Or(req.Model, a.name)
	return a.client.Complete(ctx, req, onEvent)
}
