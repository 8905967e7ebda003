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
		{name: "pattern", kind: stringKind, required: true, also: []string{"query", "search", "text", "search_term"}, about: "What to look for in single lines."},
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames), about: "Only this file or folder."},
		{name: "glob", kind: stringKind, also: []string{"include", "include_pattern", "file_pattern", "includes"}, about: "Only these files: *.go for names at any depth, cmd/**/*.go for paths."},
		{name: "exclude", kind: stringsKind, also: []string{"exclude_pattern", "excludes", "ignore"}, about: "Globs of files or folders to leave out."},
		{name: "regex", kind: booleanKind, also: []string{"is_regex", "is_regexp", "regexp"}, about: "The pattern is a regular expression (RE2)."},
		{name: "ignore_case", kind: booleanKind, also: []string{"case_insensitive", "i"}, about: "Upper and lower case are the same."},
		{name: "context", kind: integerKind, also: []string{"context_lines", "c"}, about: "How many lines to show around each."},
		{name: "files_only", kind: booleanKind, also: []string{"files_with_matches", "l"}, about: "List the files, with how many lines of each match."},
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
		if err != nil {
			return failure(what, instead(ctx, env, q, overlay, err))
		}
		r := Result{Summary: what + ": " + phrase.Count(found.Lines, "line")}
		switch {
		case found.Lines == 0:
			r.Text = "no matches" + others(ctx, env, q, overlay)
		case c.flag("files_only"):
			r.Text = listing(counts(found.Files), 0, " files")
		default:
			r.Text = hitRows(found)
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

// counts lists files with the number of matching lines in each.
func counts(files []workspace.FileMatches) []string {
	rows := make([]string, len(files))
	for i, f := range files {
		rows[i] = fmt.Sprintf("%s: %s", shown(f.Path), phrase.Count(f.Lines, "line"))
	}
	return rows
}

// hitRows lists matching lines with the lines around them, as many as fit, and counts the others
// by file.
func hitRows(found workspace.Matches) string {
	rows := rowsOf(found.Hits)
	room, last := maxListing, len(rows)
	if size(rows) > room || len(found.Hits) < found.Lines {
		room = maxListing * 3 / 4
		used := 0
		for last = 0; last < len(rows) && used+len(rows[last].text)+1 <= room; last++ {
			used += len(rows[last].text) + 1
		}
	}
	var b strings.Builder
	listed := map[string]int{}
	for _, row := range rows[:last] {
		b.WriteString(row.text + "\n")
		if row.hit {
			listed[row.path]++
		}
	}
	var left []workspace.FileMatches
	lines := 0
	for _, f := range found.Files {
		if n := f.Lines - listed[f.Path]; n > 0 {
			left = append(left, workspace.FileMatches{Path: f.Path, Lines: n})
			lines += n
		}
	}
	if lines > 0 {
		fmt.Fprintf(&b, "… %d more lines match; narrow the search to see them:\n%s", lines, within(maxListing-b.Len()-100, counts(left), 0, " files"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// row is one line of an answer.
type row struct {
	path, text string
	hit        bool // a matching line, not one around it
}

func size(rows []row) (n int) {
	for _, r := range rows {
		n += len(r.text) + 1
	}
	return n
}

// rowsOf lists hits, with the lines around them if they have any. A line "--" separates lines
// that are not next to each other, as grep does.
func rowsOf(hits []workspace.Hit) []row {
	var rows []row
	path, last, around := "", 0, false // the place of the last row; whether hits have lines around them
	add := func(h workspace.Hit, line int, text string, hit bool) {
		if h.Path == path && line <= last {
			return // a line around two hits
		}
		if around && len(rows) > 0 && (h.Path != path || line > last+1) {
			rows = append(rows, row{path: h.Path, text: "--"})
		}
		form := "%s:%d: %s"
		if !hit {
			form = "%s-%d- %s"
		}
		rows = append(rows, row{h.Path, fmt.Sprintf(form, shown(h.Path), line, text), hit})
		path, last = h.Path, line
	}
	for i, h := range hits {
		around = around || len(h.Before)+len(h.After) > 0
		for j, text := range h.Before {
			add(h, h.Line-len(h.Before)+j, text, false)
		}
		add(h, h.Line, h.Text, true)
		for j, text := range h.After {
			if i+1 < len(hits) && hits[i+1].Path == h.Path && hits[i+1].Line <= h.Line+1+j {
				break // the next hit
			}
			add(h, h.Line+1+j, text, false)
		}
	}
	return rows
}
