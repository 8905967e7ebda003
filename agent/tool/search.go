package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
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
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames)},
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

// maxLeft limits the list of files whose matches have no room, in bytes: it only serves to narrow
// the search.
const maxLeft = 4_000

// counts lists files with the number of matching lines in each.
func counts(files []workspace.FileMatches) []string {
	rows := make([]string, len(files))
	for i, f := range files {
		rows[i] = fmt.Sprintf("%s: %s", shown(f.Path), phrase.Count(f.Lines, "line"))
	}
	return rows
}

// hitRows lists matching lines with the lines around them, as many as fit into room
// bytes, and counts the others by file. why says what the model can do about those.
func hitRows(found workspace.Matches, room int, why string) string {
	rows := rowsOf(found.Hits)
	last := len(rows)
	if size(rows) > room || len(found.Hits) < found.Lines {
		used := 0
		for last = 0; last < len(rows) && used+len(rows[last].text)+1 <= room*3/4; last++ {
			used += len(rows[last].text) + 1
		}
		for last > 0 && rows[last-1].line == 0 { // nothing of the file would follow
			last--
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
		fmt.Fprintf(&b, "… %d more lines match (%s):\n%s", lines, why, within(min(room-b.Len()-100, maxLeft), counts(left), 0, " files"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// row is one line of an answer.
type row struct {
	path, text string
	line       int  // its number in the file; 0 for a heading or a gap
	hit        bool // a matching line, not one around it
}

func size(rows []row) (n int) {
	for _, r := range rows {
		n += len(r.text) + 1
	}
	return n
}

// rowsOf lists hits, with the lines around them if they have any. Each file's path is listed
// once: in front of its only row, else on a line of its own. A line "--" separates lines of a
// file that are not next to each other, as grep does.
func rowsOf(hits []workspace.Hit) (rows []row) {
	for len(hits) > 0 {
		n := slices.IndexFunc(hits, func(h workspace.Hit) bool { return h.Path != hits[0].Path })
		if n < 0 {
			n = len(hits)
		}
		of := rowsOfFile(hits[:n])
		path := hits[0].Path
		if len(of) == 1 {
			of[0].text = shown(path) + ":" + of[0].text
		} else {
			rows = append(rows, row{path: path, text: heading(path)})
		}
		rows, hits = append(rows, of...), hits[n:]
	}
	return rows
}

// rowsOfFile lists the hits of one file, with the lines around them.
func rowsOfFile(hits []workspace.Hit) (rows []row) {
	last, around := 0, false // the line of the last row; whether hits have lines around them
	add := func(path string, line int, text string, hit bool) {
		if line <= last {
			return // a line around two hits
		}
		if around && last > 0 && line > last+1 {
			rows = append(rows, row{path: path, text: "--"})
		}
		form := "%d: %s"
		if !hit {
			form = "%d- %s"
		}
		rows = append(rows, row{path, fmt.Sprintf(form, line, text), line, hit})
		last = line
	}
	for i, h := range hits {
		around = around || len(h.Before)+len(h.After) > 0
		for j, text := range h.Before {
			add(h.Path, h.Line-len(h.Before)+j, text, false)
		}
		add(h.Path, h.Line, h.Text, true)
		for j, text := range h.After {
			if i+1 < len(hits) && hits[i+1].Line <= h.Line+1+j {
				break // the next hit
			}
			add(h.Path, h.Line+1+j, text, false)
		}
	}
	return rows
}

// rowLike matches a path that looks like a row below a heading: "12:34.txt".
var rowLike = lazyregexp.New(`^(?:\d+[:-]|--$|…)`)

// heading formats a path for the line above a file's rows.
func heading(path string) string {
	if rowLike().MatchString(path) {
		return strconv.Quote(path)
	}
	return shown(path)
}

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
