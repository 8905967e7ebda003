package command

import (
	"cmp"
	"context"

	"redline/agent"
	"redline/lsp/backend"
	"redline/lsp/pages"
	"redline/lsp/wire"
)

// shownComparison is the result of redline.show with the view "compare".
type shownComparison struct {
	Plan       int            `json:"plan"`       // the number of the plan
	From       int            `json:"from"`       // the one revision
	To         int            `json:"to"`         // the other one
	Operations []string       `json:"operations"` // a line for each operation that was removed, changed or added
	Files      []comparedFile `json:"files"`      // the files in which they differ
}

// comparedFile is a file in which two revisions differ.
type comparedFile struct {
	Path    string   `json:"path"`              // the file, from the workspace's root
	From    string   `json:"from"`              // the URI of its text in the one revision; empty text where there is no file
	To      string   `json:"to"`                // the URI of its text in the other one
	NoPlace []string `json:"noPlace,omitempty"` // hunks of `from` that have no place in the text that `to` is made from
}

// compare returns the files in which two revisions of a plan differ, and where their texts are, for
// a client that shows the difference itself. It opens nothing.
func (r *Runner) compare(args ShowArgs) (wire.Run, error) {
	if args.From < 0 || args.To < 0 {
		return nil, backend.InvalidParams(Show + `: "from" and "to" must be numbers of revisions, 1 or more.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		p, err := a.PlanState(ctx, args.Plan)
		if err != nil {
			return nil, err
		}
		to := cmp.Or(args.To, p.Revision)
		from := cmp.Or(args.From, max(to-1, 1))
		c, err := a.Compare(ctx, args.Plan, from, to)
		if err != nil {
			return nil, err
		}
		result := shownComparison{Plan: args.Plan, From: from, To: to, Operations: append([]string{}, c.Operations...), Files: []comparedFile{}}
		for _, f := range c.Files {
			was, is := pages.ComparedNames(args.Plan, from, to, f.Path)
			result.Files = append(result.Files, comparedFile{Path: f.Path, From: was.String(), To: is.String(), NoPlace: f.NoPlace})
		}
		return result, nil
	}), nil
}
