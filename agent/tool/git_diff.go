package tool

import (
	"context"
	"errors"
	"slices"

	"redline/workspace/git"
)

var gitDiff = define(Tool{
	Name: "git_diff",
	params: params{
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames)},
		{name: "from", also: []string{"base", "range"}, kind: stringKind, about: "A branch, tag or hash."},
		{name: "to", also: []string{"head"}, kind: stringKind, about: "Another."},
		{name: "commit", also: []string{"revision", "rev", "sha", "hash"}, kind: stringKind, about: "What this one changed."},
	},
	git: true,
	run: func(ctx context.Context, env *Env, c call) Result {
		at, err := placeOf(env, c.text("path"))
		if err == nil && c.text("commit") != "" && c.text("from")+c.text("to") != "" {
			err = errors.New("give either commit, or from and to")
		}
		if err != nil {
			return failure("git_diff "+c.text("path"), err)
		}
		d := differ{env: env, place: at, ctx: ctx}
		if err = d.find(c.text("commit"), c.text("from"), c.text("to")); err == nil {
			err = d.compare()
		}
		if err != nil {
			return unread(at.about("git_diff"), err)
		}
		return Result{Text: d.show(), Summary: at.about("git_diff") + ": " + d.summary()}
	},
})

// differ makes the answer of git_diff.
type differ struct {
	place
	env *Env
	ctx context.Context

	live      bool // the new texts are the current ones
	changes   []git.Changed
	more      bool     // there are more changes
	untracked []string // names of untracked files
	unnamed   int      // how many more untracked files there are

	files []diffed
}

// find finds which files differ.
func (d *differ) find(commit, from, to string) (err error) {
	switch {
	case commit != "":
		d.changes, d.more, err = d.repo.In(d.ctx, commit, d.inside)
	case to != "" || isRange(from):
		d.changes, d.more, err = d.repo.Between(d.ctx, from, to, d.inside)
	default:
		d.live = true
		err = d.findLive(from)
	}
	return err
}
