package tool

import (
	"context"
	"fmt"

	"redline/internal/phrase"
	"redline/workspace"
)

// maxHits is the most lines that a search returns.
const maxHits = 1000

var search = define(Tool{
	Name: "search",
	params: params{
		{name: "pattern", kind: stringKind, required: true, about: "What to look for in single lines."},
		{name: "glob", kind: stringKind, about: "In which files: *.go for names at any depth, cmd/**/*.go for paths."},
		{name: "regex", kind: booleanKind, about: "Whether pattern is a regular expression (RE2) instead of plain text."},
		{name: "ignore_case", kind: booleanKind, about: "Whether upper and lower case are the same."},
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		query := workspace.Query{
			Pattern: c.text("pattern"), Glob: c.text("glob"),
			Regexp: c.flag("regex"), IgnoreCase: c.flag("ignore_case"), Limit: maxHits,
		}
		what := fmt.Sprintf("search %q", phrase.ClipBytes(query.Pattern, 100))
		hits, left, err := env.Workspace.Search(ctx, query, env.Draft.Overlay())
		if err != nil {
			return failure(what, err)
		}
		rows := make([]string, len(hits))
		for i, h := range hits {
			rows[i] = fmt.Sprintf("%s:%d: %s", shown(h.Path), h.Line, h.Text)
		}
		r := Result{Text: listing(rows, left, " lines match; narrow the search to see them"), Summary: what + ": " + phrase.Count(len(hits)+left, "line")}
		if len(rows) == 0 {
			r.Text = "no matches"
		}
		return r
	},
})
