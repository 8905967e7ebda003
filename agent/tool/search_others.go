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

// A search that finds nothing shows at once what the pattern finds if it is read otherwise, so
// that the model need not search again. Of other files it only says what they have.

// reading is another reading of a search's pattern that has matches.
type reading struct {
	found workspace.Matches
	how   string // what the matches are, and the arguments for it
}

// instead searches with other readings of the pattern of q, which has no matches or, with an
// error, is no regular expression. It returns the first that has matches, nil for none.
func instead(ctx context.Context, env *Env, q workspace.Query, overlay workspace.Overlay, err error) *reading {
	type variant struct {
		how    string
		change func(*workspace.Query)
	}
	var variants []variant
	expression := !q.Regexp && isExpression(q.Pattern)
	if expression {
		variants = append(variants, variant{"as a regular expression (regex: true)", func(v *workspace.Query) { v.Regexp = true }})
	}
	if q.Regexp {
		how := "as plain text (regex: false)"
		if err != nil {
			how += ", since it is no regular expression"
		}
		variants = append(variants, variant{how, func(v *workspace.Query) { v.Regexp = false }})
	}
	if !q.IgnoreCase {
		if err == nil {
			variants = append(variants, variant{"in another case (ignore_case: true)", func(v *workspace.Query) { v.IgnoreCase = true }})
		}
		if expression {
			variants = append(variants, variant{"as a regular expression in another case (regex: true, ignore_case: true)", func(v *workspace.Query) { v.Regexp, v.IgnoreCase = true, true }})
		}
	}
	for _, v := range variants {
		other := q
		v.change(&other)
		if found, err := env.Workspace.Search(ctx, other, overlay); err == nil && found.Lines > 0 {
			return &reading{found, v.how}
		}
	}
	return nil
}

// elsewhere says where a search like q has matches in files that q leaves out; "" for none.
func elsewhere(ctx context.Context, env *Env, q workspace.Query, overlay workspace.Overlay) string {
	if q.Path == "" && q.Glob == "" && len(q.Exclude) == 0 {
		return ""
	}
	q.Path, q.Glob, q.Exclude, q.Limit, q.Context = "", "", nil, 1, 0
	found, err := env.Workspace.Search(ctx, q, overlay)
	if err != nil || found.Lines == 0 {
		return ""
	}
	return fmt.Sprintf("in other files (without path, glob and exclude), %s: %s", verb(found.Lines), places(found))
}

// unsearched says that Git ignores all files of the searched folder, "" if it does not.
func unsearched(ctx context.Context, env *Env, q workspace.Query, overlay workspace.Overlay) string {
	dir := cmp.Or(q.Path, ".")
	files, _, err := env.Workspace.List(ctx, dir, "", overlay, 1)
	if err != nil || len(files) > 0 {
		return ""
	}
	if err := env.Workspace.HidesAll(); err != nil {
		return fmt.Sprintf(": none was searched, since %s. Tell the user", err)
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

func compiles(expression string) bool {
	_, err := syntax.Parse(expression, syntax.Perl)
	return err == nil
}

// missingFolder adds to a refusal the folders and files whose names are closest to one that does
// not exist.
func missingFolder(ctx context.Context, env *Env, path string, overlay workspace.Overlay, why error) error {
	if path == "" || path == "." || ctx.Err() != nil {
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
