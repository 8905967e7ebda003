package tool

import (
	"context"
	"errors"
	"fmt"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/git"
)

// maxBlamed is how many lines one blame shows.
const maxBlamed = 400

var gitBlame = define(Tool{
	Name: "git_blame",
	params: params{
		pathParam,
		{name: "start_line", kind: integerKind},
		{name: "end_line", kind: integerKind},
	},
	git: true,
	run: func(ctx context.Context, env *Env, c call) Result {
		what := "git_blame " + c.text("path")
		at, err := placeOf(env, c.text("path"))
		if err != nil {
			return failure(what, err)
		}
		text, exists, err := env.Draft.Read(at.path)
		if err == nil && !exists {
			err = fmt.Errorf("%s %slist the files to see what there is", shown(at.path), env.Draft.Missing(at.path))
		}
		if err != nil {
			return failure(what, err)
		}
		count := edits.CountLines(text)
		first, last := max(1, c.int("start_line")), count
		if n := c.int("end_line"); n > 0 {
			last = min(n, count)
		}
		if last < first {
			return failure(what, fmt.Errorf("%s has %s", shown(at.path), phrase.Count(count, "line")))
		}
		tracked, err := at.repo.Objects(ctx, []string{at.inside})
		if err == nil && tracked[at.inside] == "" {
			err = errors.New(shown(at.path) + " is not in the last commit, so it has no history under this name")
		}
		var lines []git.Blamed
		if err == nil {
			lines, err = at.repo.Blame(ctx, at.inside, text, first, min(last, first+maxBlamed-1))
		}
		if err != nil {
			return unread(what, err)
		}
		return Result{Text: blamed(lines, last), Summary: fmt.Sprintf("git_blame %s lines %d-%d", shown(at.path), first, last)}
	},
})

// blamed shows lines under the commits that they come from. last is the last line of the
// request.
func blamed(lines []git.Blamed, last int) string {
	s := sheet{limit: maxGit - 100} // leaves room for a last line
	described := map[string]bool{}
	for i, l := range lines {
		rows := fmt.Sprintf("%d: %s", l.Line, l.Text)
		if i == 0 || l.Commit != lines[i-1].Commit {
			about := "in no commit yet"
			switch {
			case described[l.Commit]:
				about = fmt.Sprintf("%.10s", l.Commit)
			case l.Commit != "":
				about = fmt.Sprintf("%.10s %s %s: %s", l.Commit, l.Day, author(l.Author), message(l.Subject))
			}
			described[l.Commit] = l.Commit != ""
			rows = about + "\n" + rows
		}
		if !s.add(phrase.ClipBytes(rows, 2_000)) {
			lines = lines[:i]
			break
		}
	}
	if n := len(lines); n > 0 && lines[n-1].Line < last {
		fmt.Fprintf(&s, "… go on at line %d, of %d", lines[n-1].Line+1, last)
	}
	return s.text()
}
