package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

// Reversal undoes the applied changes of a plan to one file.
type Reversal struct {
	Change edits.Change // the change to the current file
	Hunks  []string     // ids of the undone hunks
}

// Reversing returns the reversals of the applied part of a plan: of one file if path is not "",
// and of one hunk if hunk is not "". stays names what was changed since and cannot be undone.
// The model reads the error.
type Reversing func(ctx context.Context, plan int, path, hunk string) (back []Reversal, stays []string, err error)

// Revert makes the tool that stages undoing the applied changes of a plan. It stages the calls
// of other tools that do this, so that the new plan can be staged again without the other one.
func Revert(from Reversing) Tool {
	return define(Tool{
		Name:     "revert",
		Buffered: true,
		params: buffered(
			param{name: "plan", kind: integerKind, required: true, about: "Its number."},
			param{name: "path", kind: stringKind, also: pathNames, about: "Only this file."},
			param{name: "hunk", kind: stringKind, also: []string{"hunk_id"}, about: "Only this hunk."},
		),
		run: func(ctx context.Context, env *Env, c call) Result {
			what := fmt.Sprintf("take back plan %d", c.int("plan"))
			path := c.text("path")
			if path != "" {
				clean, err := env.Workspace.Clean(path)
				if err != nil {
					return failure(what, err)
				}
				path = clean
			}
			back, stays, err := from(ctx, c.int("plan"), path, c.text("hunk"))
			if err != nil {
				return failure(what, err)
			}
			return revert(ctx, env, c, back, stays)
		},
	})
}

// revert stages reversals, and names those that cannot be staged.
func revert(ctx context.Context, env *Env, c call, back []Reversal, stays []string) Result {
	var done, left, files []string
	var r Result
	refuse := func(path, why string) {
		if !env.Again {
			env.refuse([]draft.Undone{{Refused: plan.Refused{Path: path}}}, c.tool, why)
		}
	}
	for _, b := range back {
		staged, where, err := env.stageReversal(ctx, c.step, b.Change)
		name := strings.TrimSpace(shown(b.Change.Path) + in(b.Hunks))
		switch {
		case err != nil:
			left = append(left, fmt.Sprintf("not staged: %s: %s", name, err))
			r.Refused++
			refuse(b.Change.Path, err.Error())
		case len(staged) == 0:
			done = append(done, fmt.Sprintf("nothing to do: %s is as it was before already", name))
		default:
			done = append(done, fmt.Sprintf("staged: %s%s", where, in(b.Hunks)))
			files = append(files, shown(b.Change.Path))
			r.Staged = append(r.Staged, staged...)
		}
	}
	if len(stays) > 0 {
		left = append(left, fmt.Sprintf("not staged: %s, whose text was changed since it was applied; read it, and take it back with edit_file", phrase.And(stays)))
		r.Refused++
		refuse(c.text("path"), fmt.Sprintf("the text of %s was changed since it was applied", phrase.And(stays)))
	}
	what := fmt.Sprintf("take back plan %d", c.int("plan"))
	if len(done) == 0 {
		refused := failure(what, errors.New(strings.Join(left, "\n")))
		refused.Refused = r.Refused
		return refused
	}
	r.Text = strings.Join(slices.Concat(done, left), "\n")
	if c.said != "" {
		r.Text += "\n" + c.said
	}
	r.Summary = spaced(fmt.Sprintf("%s: %s", what, strings.Join(phrase.FirstOf(files, 5, "file"), ", ")))
	if len(files) == 0 {
		r.Summary = what + ": nothing to do"
	}
	return r
}

// in returns the ids of hunks in brackets.
func in(hunks []string) string {
	if len(hunks) == 0 {
		return ""
	}
	return " (" + strings.Join(phrase.FirstOf(hunks, 20, "hunk"), ", ") + ")"
}
