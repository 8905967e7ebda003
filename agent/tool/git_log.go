package tool

import (
	"context"
	"fmt"
	"slices"

	"redline/internal/phrase"
	"redline/workspace/git"
)

// Limits of a list of commits.
const (
	usualCommits = 20
	maxCommits   = 200
)

var gitLog = define(Tool{
	Name: "git_log",
	params: params{
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames)},
		{name: "revision", also: []string{"range", "rev", "ref", "branch"}, kind: stringKind, about: "A branch, tag, hash, or range a..b; HEAD when absent."},
		{name: "grep", kind: stringKind, about: "A text in the messages, in any case."},
		{name: "limit", also: []string{"max_count", "count", "n"}, kind: integerKind, about: "Default 20."},
	},
	git: true,
	run: func(ctx context.Context, env *Env, c call) Result {
		at, err := placeOf(env, c.text("path"))
		if err != nil {
			return failure("git_log "+c.text("path"), err)
		}
		limit := usualCommits
		if n := c.int("limit"); n > 0 {
			limit = min(n, maxCommits)
		}
		what := at.about("git_log")
		h, err := at.repo.Log(ctx, git.Query{Revision: c.text("revision"), Path: at.inside, Grep: c.text("grep"), Limit: limit})
		if err != nil {
			return unread(what, err)
		}
		return Result{Text: commits(h), Summary: what + ": " + phrase.Count(len(h.Commits), "commit")}
	},
})

// commits shows a history.
func commits(h git.History) string {
	s := sheet{limit: maxGit - 100} // leaves room for a last line
	left, more := h.Left, ""
	for i, c := range h.Commits {
		if !s.add(fmt.Sprintf("%s %s %s: %s", c.Short, c.Day, author(c.Author), message(c.Subject))) {
			left += len(h.Commits) - i
			break
		}
	}
	switch {
	case len(h.Commits) == 0:
		return "no commits"
	case h.More && left == 1:
		more = "… there are more"
	case h.More:
		more = fmt.Sprintf("… at least %d more", left)
	case left > 0:
		more = fmt.Sprintf("… %d more", left)
	}
	if more != "" {
		s.WriteString(fmt.Sprintf("%s; name a path or a range, or raise the limit (at most %d), to see them", more, maxCommits))
	}
	return s.text()
}
