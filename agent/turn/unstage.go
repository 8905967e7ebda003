package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
)

// unstaging adds the tool that takes out operations that the turn staged before the question or
// after it.
func (w *work) unstaging(ctx context.Context, tools []tool.Tool) []tool.Tool {
	c := w.turn.continued
	if c == nil {
		return tools
	}
	return append(slices.Clip(tools), tool.Unstage(func(names []string) (string, error) {
		d, err := w.TakeOut(ctx, w.env.Draft, names)
		if err != nil {
			return "", err
		}
		w.env.Draft = d
		return "taken out; staged are now:\n" + c.staged(d), nil
	}))
}

// staged lists the operations of the turn in a draft.
func (c *continuation) staged(d *draft.Draft) string {
	var b strings.Builder
	c.list(&b, d.News())
	return cmp.Or(b.String(), "(nothing)")
}

// TakeOut makes the draft again without the named operations of the turn. Its error is for the
// model to read.
func (w *work) TakeOut(ctx context.Context, from *draft.Draft, names []string) (*draft.Draft, error) {
	c := w.turn.continued
	listed := c.staged(from) // it gives names to operations that were staged since
	for _, name := range names {
		if !slices.Contains(c.names, name) {
			return nil, fmt.Errorf("nothing of this request is staged as %q; staged are:\n%s", name, listed)
		}
	}
	next := from.Park()
	var stays []plan.Operation
	var left []string
	for i, o := range next.Operations {
		if !slices.Contains(names, c.names[i]) {
			stays, left = append(stays, o), append(left, c.names[i])
		}
	}
	if name := dependsOn(next.Operations, c.names, names); name != "" {
		return nil, fmt.Errorf("%s was staged after it in the same file and may rest on it; take %s out too, then stage again what is wanted of it", name, name)
	}
	next.Operations = stays
	d, lost, err := w.revisions.unpark(ctx, w.revised, next)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		return nil, fmt.Errorf("%s cannot stay without it: %s", strings.TrimSpace(lost[0].Operation.Tool+" "+lost[0].Path), lost[0].Why)
	}
	d.GoOn(from)
	c.names = left
	return d, nil
}

// dependsOn returns the name of an operation that may depend on one in gone, "" for none: it
// stays, and was staged later in the same file, so its place was found in that text.
func dependsOn(operations []plan.Operation, names, gone []string) string {
	touched, all := map[string]bool{}, false
	for i, o := range operations {
		goes := slices.Contains(gone, names[i])
		switch {
		case o.IsCommand():
		case goes && (o.Path == "" || o.Tool == "rename_file"):
			all = true // it is about several files
		case goes:
			touched[o.Path] = true
		case all || touched[o.Path] || o.Path == "" && len(touched) > 0:
			return names[i]
		}
	}
	return ""
}
