package placeholder

import (
	"path"
	"strings"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// enclosures are the marks around a comment with an explicit end.
var enclosures = [][2]string{
	{"{/*", "*/}"}, {"{{/*", "*/}}"}, {"{{!--", "--}}"}, {"{{!", "}}"}, {"{{#", "}}"}, {"/*", "*/"}, {"<!--", "-->"},
	{"<%--", "--%>"}, {"<%#", "%>"}, {"{#", "#}"}, {"@*", "*@"}, {"(*", "*)"}, {"{-", "-}"}, {"--[[", "]]"}, {"#|", "|#"},
}

// marks begin a comment that goes to the end of its line.
var marks = []string{"//", "#", "--", ";", "%", "REM ", "rem "}

// comment returns the text of a line that is only a comment. wide means that the words
// are set off, like an example in a comment, or are documentation.
func comment(l language, line string) (body string, wide, ok bool) {
	line = strings.TrimSpace(line)
	for _, e := range enclosures {
		if l.prose && e[0] != "<!--" && e[0] != "{/*" {
			continue
		}
		inner, opened := strings.CutPrefix(line, e[0])
		inner, closed := strings.CutSuffix(inner, e[1])
		if opened && closed && !strings.Contains(inner, e[1]) {
			return inner, strings.HasPrefix(inner, "*"), true // "/** */" is documentation
		}
	}
	if l.prose {
		return "", false, false
	}
	if l.mark != "" && strings.HasPrefix(line, l.mark) {
		return line[len(l.mark):], false, true
	}
	for _, mark := range marks {
		rest, ok := strings.CutPrefix(line, mark)
		if !ok {
			continue
		}
		if mark == "//" && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "!")) {
			return "", false, false // documentation
		}
		rest = strings.TrimLeft(rest, mark[:1])
		return rest, strings.HasPrefix(rest, "  ") || strings.HasPrefix(rest, "\t"), true
	}
	return "", false, false
}

// isComment reports whether a line looks like a comment line in any language.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "#", "--", ";", "%", "* ", "/*", "<!--"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return line == "*"
}

// fenced follows, line by line, which lines are not the file's own text: those in a block
// of code in prose, or in a comment of several lines.
type fenced struct {
	language
	code    fence.Reader
	comment bool // inside a comment
}

// skip takes the next line and reports whether it is inside.
func (f *fenced) skip(line string) bool {
	line = strings.TrimSpace(line)
	switch {
	case f.prose:
		return f.code.Next(line)
	case f.comment:
		f.comment = !strings.Contains(line, "*/")
		return true
	}
	f.comment = strings.HasPrefix(line, "/*") && !strings.Contains(line[2:], "*/")
	return f.comment
}

// importLine matches a line that names another file, module or package, in the languages
// that have such lines at the top of a file.
var importLine = lazyregexp.New(`^(?:(?:import|#\s*(?:include|import)|@import|using|use|require|require_relative|extern crate)\b|from \S+ import\b|(?:const|let|var) .*= *require\()`)

// addsImports reports whether the new lines [from, to) are imports added below old line
// at, the last import there. If so, a placeholder below them begins where the old imports
// end: models write a whole file like this if they change only its imports and the text
// after the placeholder.
func (f *filling) addsImports(at, from, to int) bool {
	if from >= to || !importLine().MatchString(f.old[at]) || at+1 < len(f.old) && f.old[at+1] != "" {
		return false
	}
	for _, line := range f.new[from:to] {
		if !importLine().MatchString(line) || f.inOld[line] > 0 {
			return false
		}
	}
	for _, line := range f.old[at+1:] {
		if line != "" {
			return !importLine().MatchString(line)
		}
	}
	return false
}

// language holds which lines can be placeholders in a file's language.
type language struct {
	prose bool // text for people: neither "#" nor "//" begins a comment
	bare  bool // a line "..." means nothing in it
	json  bool
	sql   bool
	mark  string // the start of a comment in this language and few others, "" for none
}

// languages are those that need special treatment, by file extension. Python, Perl, R,
// Lua, YAML, Nix and the shell are not bare: a line "..." is, or may be, part of them.
var languages = func() map[string]language {
	m := map[string]language{
		"vb": {bare: true, mark: "'"}, "bas": {bare: true, mark: "'"}, "vbs": {bare: true, mark: "'"},
		"vim": {mark: `"`}, "f90": {mark: "!"}, "f95": {mark: "!"}, "f03": {mark: "!"},
	}
	for _, end := range strings.Fields("md markdown mdx txt text rst adoc asciidoc tex org log csv tsv") {
		m[end] = language{prose: true}
	}
	for _, end := range strings.Fields("go js jsx mjs cjs ts tsx mts cts vue svelte java kt kts scala groovy c h cc cpp cxx hh hpp hxx m mm cs fs rs swift dart rb php html htm xml css scss less sass sql json jsonc json5 graphql proto zig v sv") {
		m[end] = language{bare: true, json: strings.HasPrefix(end, "json"), sql: end == "sql"}
	}
	return m
}()

// prose are the names of files without extension that hold text for people. Other such
// files are mostly scripts and build files.
var prose = map[string]bool{
	"readme": true, "license": true, "licence": true, "copying": true, "notice": true, "authors": true,
	"contributors": true, "maintainers": true, "changelog": true, "changes": true, "history": true, "news": true,
	"todo": true, "install": true, "thanks": true, "credits": true, "version": true,
}

// languageOf returns the language of the file at path.
func languageOf(name string) language {
	base := strings.ToLower(path.Base(name))
	switch {
	case base == "cmakelists.txt", strings.HasPrefix(base, "requirements") && path.Ext(base) == ".txt":
		return language{}
	case prose[base]:
		return language{prose: true}
	}
	return languages[strings.TrimPrefix(path.Ext(base), ".")]
}
