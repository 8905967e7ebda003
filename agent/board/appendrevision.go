package board

import (
	"context"

	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/store"
)

// AppendRevision makes r the newest revision of p. texts has the texts of r that are new; the
// others, and those of its parent, are read from the store.
func AppendRevision(ctx context.Context, from *store.Store, p *plan.Plan, r plan.Revision, texts map[plan.Blob]string) error {
	if err := plan.CheckConditions(&r); err != nil {
		return refusal.New(refusal.Invalid, "Plan %d stays as it is: %s.", p.Number, err)
	}
	stored, missing := StoredTexts(ctx, from)
	p.Add(r, func(b plan.Blob) string {
		if text, ok := texts[b]; ok {
			return text
		}
		return stored(b)
	})
	return missing()
}

// StoredTexts returns a lookup in the store's texts, and the error of the first that could
// not be read.
func StoredTexts(ctx context.Context, from *store.Store) (text func(plan.Blob) string, missing func() error) {
	known := map[plan.Blob]string{}
	var first error
	text = func(b plan.Blob) string {
		if t, ok := known[b]; ok {
			return t
		}
		t, err := from.Text(ctx, b)
		if err != nil && first == nil {
			first = err
		}
		known[b] = t
		return t
	}
	return text, func() error { return first }
}
