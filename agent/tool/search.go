package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/internal/phrase"
	"redline/workspace"
)

// Bounds of a search.
const (
	maxHits    = 1000 // matching lines in the answer
	maxContext = 20   // lines around each
)

var search = define(Tool{
	Name: "search",
	params: params{
		{name: "pattern", kind: stringKind, required: true, also: []string{"query", "search", "text", "search_term"}, about: "Looked for in single lines."},
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames), about: "Only this file or folder."},
		{name: "glob", kind: stringKind, also: []string{"include", "include_pattern", "file_pattern", "includes"}, about: "As in list_files."},
		{name: "exclude", kind: stringsKind, also: []string{"exclude_pattern", "excludes", "ignore"}, about: "Globs to leave out."},
		{name: "regex", kind: booleanKind, also: []string{"is_regex", "is_regexp", "regexp"}, about: "The pattern is an RE2 expression."},
		{name: "ignore_case", kind: booleanKind, also: []string{"case_insensitive", "i"}},
		{name: "context", kind: integerKind, also: []string{"context_lines", "c"}, about: "Lines to show around each."},
		{name: "files_only", kind: booleanKind, also: []string{"files_with_matches", "l"}, about: "Only count the lines of each file."},
		{name: "limit", kind: integerKind, also: []string{"max_results", "head_limit", "max_matches"}, hidden: true},
	},
	prepare: prepareSearch,
	run: func(ctx context.Context, env *Env, c call) Result {
		q := workspace.Query{
			Pattern: c.text("pattern"), Path: c.text("path"), Glob: braced(c.text("glob")), Exclude: c.strings("exclude"),
			Regexp: c.flag("regex"), IgnoreCase: c.flag("ignore_case"), Context: max(0, min(c.int("context"), maxContext)), Limit: maxHits,
		}
		what := fmt.Sprintf("search %q", phrase.ClipBytes(q.Pattern, 100))
		if q.Path != "" {
			path, err := file(env, q.Path)
			if err != nil {
				return failure(what, err)
			}
			q.Path = path
			what += " in " + shown(path)
		}
		if n := c.int("limit"); n > 0 {
			q.Limit = min(q.Limit, n)
		}
		overlay := env.Draft.Overlay()
		found, err := env.Workspace.Search(ctx, q, overlay)
		how, room := "", maxListing
		if err == nil && found.Lines == 0 || err != nil && q.Regexp && !compiles(q.Pattern) {
			if other := instead(ctx, env, q, overlay, err); other != nil {
				found, how, err = other.found, other.how, nil
				room /= 2 // it may not be what was meant
			}
		}
		if err != nil {
			return failure(what, missingFolder(ctx, env, q.Path, overlay, err))
		}
		r := Result{Summary: what + ": " + phrase.Count(found.Lines, "line")}
		switch {
		case found.Lines == 0:
			r.Text = "no matches"
			if more := elsewhere(ctx, env, q, overlay); more != "" {
				r.Text += ", but " + more
			} else {
				r.Text += unsearched(ctx, env, q, overlay)
			}
			return r
		case c.flag("files_only"):
			r.Text = within(room, counts(found.Files), 0, " files")
		default:
			why := "narrow the search to see them"
			if q.Limit < maxHits && len(found.Hits) < found.Lines {
				why = fmt.Sprintf("limit was %d", q.Limit)
			}
			r.Text = hitRows(found, room, why)
			if c.int("context") > maxContext {
				r.Text += fmt.Sprintf("\n[context: %d lines around each are the most; read_file shows more]", maxContext)
			}
		}
		if how != "" {
			r.Text = "no matches, but " + how + ":\n" + r.Text
			if more := elsewhere(ctx, env, q, overlay); more != "" {
				r.Text += "\nas asked, but " + more
			}
		}
		return r
	},
})

// prepareSearch converts the arguments of other programs' search tools.
func prepareSearch(as given) error {
	if value, ok := as["regex"]; ok && as["pattern"] == nil {
		if _, err := strconv.ParseBool(strings.ToLower(unquoted(value))); err != nil { // the expression itself
			as["pattern"] = value
			as.set("regex", true)
		}
	}
	if value, ok := as.take("case_sensitive", "match_case"); ok && as["ignore_case"] == nil {
		sensitive, err := strconv.ParseBool(strings.ToLower(unquoted(value)))
		if err == nil && !sensitive {
			as.set("ignore_case", true)
		}
	}
	switch value, _ := as.take("output_mode"); unquoted(value) {
	case "files_with_matches", "count":
		as.set("files_only", true)
	}
	for _, names := range [][]string{{"A", "after_context", "lines_after"}, {"B", "before_context", "lines_before"}} {
		n, ok, err := as.number(names...)
		if err != nil {
			return err
		}
		if now, _ := parseInt(as["context"]); ok && n > now {
			as.set("context", n)
		}
	}
	if globs, ok := parseStrings(as["glob"]); ok && len(globs) > 0 {
		as.set("glob", strings.Join(globs, ","))
	}
	return prepareType(as)
}

// types are ripgrep's names for kinds of files that differ from their extension.
var types = map[string]string{
	"python": "py", "rust": "rs", "javascript": "js,jsx,mjs,cjs", "js": "js,jsx,mjs,cjs", "typescript": "ts,tsx,mts,cts", "ts": "ts,tsx,mts,cts",
	"markdown": "md,markdown", "ruby": "rb", "yaml": "yaml,yml", "html": "html,htm", "cpp": "cpp,cc,cxx,hpp,hh,hxx,h", "c": "c,h",
	"csharp": "cs", "kotlin": "kt,kts", "shell": "sh,bash", "perl": "pl,pm", "haskell": "hs", "elixir": "ex,exs",
}

// prepareType converts a kind of files to a glob.
func prepareType(as given) error {
	value, ok := as.take("type", "file_type", "lang", "language")
	if !ok {
		return nil
	}
	if as["glob"] != nil {
		return errors.New(`give either "glob" or "type": both limit the files; a glob such as src/**/*.go does both`)
	}
	kind := strings.TrimPrefix(strings.ToLower(unquoted(value)), ".")
	if endings, ok := types[kind]; ok {
		kind = "{" + endings + "}"
	}
	as.set("glob", "*."+kind)
	return nil
}

// braced converts a list of globs, separated by commas, to one glob.
func braced(glob string) string {
	if strings.Contains(glob, ",") && !strings.ContainsAny(glob, "{}") {
		return "{" + strings.ReplaceAll(glob, " ", "") + "}"
	}
	return glob
}
