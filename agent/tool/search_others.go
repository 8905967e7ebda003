package tool

import (
	"cmp"
	"context"
	"fmt"
	"regexp/syntax"
	"strings"

	"redline/internal/phrase"
	"redline/workspace"
)

// A search that finds nothing or is refused names a search that would find something, so that
// the model need not guess.

// variant is a search that differs from another one in one respect.
type variant struct {
	query workspace.Query
	how   string // the difference in a few words, and what to give
	last  bool   // only if no other variant has matches
}

// others says which searches like q have matches; q has none.
func others(ctx context.Context, env *Env, q workspace.Query, overlay workspace.Overlay) string {
	var variants []variant
	add := func(how string, change func(*workspace.Query)) {
		v := variant{query: q, how: how}
		change(&v.query)
		variants = append(variants, v)
	}
	expression := !q.Regexp && isExpression(q.Pattern)
	if expression {
		add("as a regular expression (regex: true)", func(v *workspace.Query) { v.Regexp = true })
	}
	if q.Regexp {
		add("as plain text (regex: false)", func(v *workspace.Query) { v.Regexp = false })
	}
	if !q.IgnoreCase {
		add("in another case (ignore_case: true)", func(v *workspace.Query) { v.IgnoreCase = true })
	}
	if q.Path != "" || q.Glob != "" || len(q.Exclude) > 0 {
		add("in other files (without path, glob and exclude)", func(v *workspace.Query) { v.Path, v.Glob, v.Exclude = "", "", nil })
	}
	if expression && !q.IgnoreCase {
		add("as a regular expression in another case (regex: true, ignore_case: true)", func(v *workspace.Query) { v.Regexp, v.IgnoreCase = true, true })
		variants[len(variants)-1].last = true
	}
	var b strings.Builder
	for _, v := range variants {
		if v.last && b.Len() > 0 {
			continue
		}
		v.query.Limit, v.query.Context = 1, 0
		found, err := env.Workspace.Search(ctx, v.query, overlay)
		if err == nil && found.Lines > 0 {
			fmt.Fprintf(&b, "\n%s, %s: %s", v.how, verb(found.Lines), places(found))
		}
	}
	if b.Len() == 0 {
		return unsearched(ctx, env, q, overlay)
	}
	return ", but:" + b.String()
}

// unsearched says that Git ignores all files of the searched folder, "" if it does not.
func unsearched(ctx context.Context, env *Env, q workspace.Query, overlay workspace.Overlay) string {
	dir := cmp.Or(q.Path, ".")
	files, _, err := env.Workspace.List(ctx, dir, "", overlay, 1)
	if err != nil || len(files) > 0 {
		return ""
	}
	if n, _, err := env.Workspace.Ignored(ctx, dir); err != nil || n == 0 {
		return ""
	}
	return ": Git ignores all files here, so none was searched"
}

func verb(lines int) string {
	if lines == 1 {
		return "1 line matches"
	}
	return fmt.Sprintf("%d lines match", lines)
}

// places describes where a search has matches.
func places(found workspace.Matches) string {
	const most = 3
	var names []string
	for _, f := range found.Files[:min(len(found.Files), most)] {
		names = append(names, shown(f.Path))
	}
	if left := len(found.Files) - len(names); left > 0 {
		return strings.Join(names, ", ") + " and " + phrase.Count(left, "more file")
	}
	return phrase.And(names)
}

// isExpression reports whether a pattern means something else as a regular expression.
func isExpression(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && (re.Op != syntax.OpLiteral || string(re.Rune) != pattern)
}

// instead returns the reason why a search was refused, and a search that would find something.
func instead(ctx context.Context, env *Env, q workspace.Query, overlay workspace.Overlay, why error) error {
	if ctx.Err() != nil {
		return why
	}
	if q.Regexp && !compiles(q.Pattern) {
		q.Regexp, q.Limit, q.Context = false, 1, 0
		if found, err := env.Workspace.Search(ctx, q, overlay); err == nil && found.Lines > 0 {
			return fmt.Errorf("%w. As plain text (regex: false), %s: %s", why, verb(found.Lines), places(found))
		}
		return why
	}
	return missingFolder(ctx, env, q.Path, overlay, why)
}

func compiles(expression string) bool {
	_, err := syntax.Parse(expression, syntax.Perl)
	return err == nil
}

// missingFolder adds to a refusal the folders and files whose names are closest to one that does
// not exist.
func missingFolder(ctx context.Context, env *Env, path string, overlay workspace.Overlay, why error) error {
	if path == "" || path == "." {
		return why
	}
	if exists, _, err := env.Workspace.Stat(path); err != nil || exists {
		return why
	}
	like := env.Workspace.AlikeFolders(ctx, path, overlay)
	if len(like) == 0 {
		like = env.Workspace.Alike(ctx, path, overlay)
	}
	switch len(like) {
	case 0:
		return fmt.Errorf("%w; list_files shows what there is", why)
	case 1:
		return fmt.Errorf("%w; %s does: use that path", why, shown(like[0]))
	}
	for i := range like {
		like[i] = shown(like[i])
	}
	return fmt.Errorf("%w; %s do: use one of these paths", why, phrase.And(like))
}
