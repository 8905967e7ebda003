package placeholder

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"sync"
)

// tail matches a comment after code.
var tail = lazyregexp.New(`^(.*?(?:[\s{(;,:\[]))(//|/\*|\{/\*|#|--|<!--)\s*(.*?)\s*(?:\*/\}?|-->)?\s*([\s})\];,]*)$`)

// Code that holds only dots or a comment where its contents should be.
var (
	// emptied matches a function whose body is dots.
	emptied = lazyregexp.New(`\)[^(){}"'` + "`" + `]*\{\s*(?:(?:\.\.\.|…)|/\*\s*(?:\.\.\.|…)\s*\*/)\s*\}[;,]?$`)
	// braces matches a block, class or object that contains only dots: no language allows
	// that.
	braces = lazyregexp.New(`(?:^|[\w\s)\]>=:(,])\{\s*(?:\.\.\.|…|/\*\s*(?:\.\.\.|…)\s*\*/)\s*\}`)
	// listed matches a list, or a value in brackets.
	listed = lazyregexp.New(`(?:[=:(,]|\b(?:return|import|const|var|type))\s*[(\[]\s*(?:\.\.\.|…)\s*[)\]]\s*[;,)}\s]*$`)
	// table matches a table or a query in SQL.
	table = lazyregexp.New(`\(\s*(?:\.\.\.|…)\s*\)\s*;?$|\s(?:\.\.\.|…)\s`)
	// inBraces matches a block that contains only a comment.
	inBraces = lazyregexp.New(`\{\s*(?:/\*\s*([^*]*?)\s*\*/|//\s*([^{}]*?))\s*\}[;,()\[\]\s\w]*$`)
	// inTag matches an HTML element and its content.
	inTag = lazyregexp.New(`^<([\w.-]+)(?:\s[^<>]*)?>\s*(?:<!--\s*(.*?)\s*-->|\{?/\*\s*(.*?)\s*\*/\}?|//\s*([^<]*?)|((?:\.\.\.|…).*?))\s*</([\w.-]+)>$`)
	// parts are the names of elements that contain others.
	parts = words("head body html main header footer nav aside section article script style template table thead tbody tfoot tr ul ol dl form fieldset svg select")
	// key matches a member of JSON that stands for others.
	key = lazyregexp.New(`^"(?://\s*)?(?:\.\.\.|…)[^"/]*"\s*:`)
	// quotedText matches a string.
	quotedText = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`")
)

// withCode returns the grade of line i, which also has code. quoted means that the line
// is inside a string of several lines.
func withCode(l language, lines []string, i int, quoted bool) grade {
	line := strings.TrimSpace(lines[i])
	if l.prose {
		return none
	}
	if m := tail().FindStringSubmatch(line); m != nil {
		if s, ok := wordingOf(m[3]); ok && s.words != "" {
			if g := afterCode(s, strings.TrimSpace(m[1]), lines, i); g != none {
				return g
			}
		}
	}
	if !l.bare || isComment(line) {
		return none
	}
	if emptied().MatchString(line) || l.json && key().MatchString(line) {
		return likely
	}
	if g := inElement(line); g != none {
		return g
	}
	if quoted {
		return none
	}
	if m := inBraces().FindStringSubmatch(line); m != nil {
		if s, ok := wordingOf(m[1] + m[2]); ok && s.words != "" {
			return min(s.judge(), likely)
		}
	}
	code := quotedText().ReplaceAllString(line, `""`)
	code, _, _ = strings.Cut(code, " //")
	if braces().MatchString(code) || listed().MatchString(code) || l.sql && table().MatchString(code) {
		return likely
	}
	return none
}

// afterCode returns the grade of a comment after code.
func afterCode(s wording, code string, lines []string, i int) grade {
	switch {
	case code == "pass" || strings.HasSuffix(code, "..."), strings.HasSuffix(code, ": pass"): // Python
		return min(s.judge(), likely)
	case s.dots() && s.judge() == sure:
		return likely
	case strings.HasSuffix(code, "{") || strings.HasSuffix(code, ":"): // in a block with no other content
		if below := nextLine(lines, i); below == "" || depth(below) <= depth(lines[i]) {
			return min(s.judge(), likely)
		}
	}
	return none
}

// nextLine returns the first line below line i that is not blank, "" if there is
// none.
func nextLine(lines []string, i int) string {
	for _, line := range lines[i+1:] {
		if line != "" {
			return line
		}
	}
	return ""
}

// inElement returns the grade of an HTML element.
func inElement(line string) grade {
	m := inTag().FindStringSubmatch(line)
	if m == nil || m[1] != m[6] {
		return none
	}
	if m[5] != "" && !parts[strings.ToLower(m[1])] {
		if s, ok := wordingOf(m[5]); ok && s.lead && s.trail {
			return min(s.judge(), likely)
		}
		return none
	}
	if s, ok := wordingOf(m[2] + m[3] + m[4] + m[5]); ok {
		return min(s.judge(), likely)
	}
	return none
}

// candidate is a line that looks like a placeholder.
type candidate struct {
	Placeholder
	grade grade
}

// maxLine is how long a line with a placeholder may be, in bytes.
const maxLine = 300

// scan returns the lines that look like placeholders, whatever they replace. It skips a
// line unless more reports that the new text has it more often than the old one; more
// takes the line without the spaces around it.
func scan(l language, lines []string, more func(line string) bool) []candidate {
	var out []candidate
	f := fenced{language: l}
	quoted := false // the line begins within a string in backticks
	for i, line := range lines {
		inside := quoted
		quoted = quoted != (strings.Count(line, "`")%2 != 0)
		if f.skip(line) || line == "" || len(line) > maxLine || !more(strings.TrimSpace(line)) || !mayStand(line) {
			continue
		}
		g, alone := judge(l, lines, i, inside || quoted)
		if g != none {
			out = append(out, candidate{Placeholder{Line: i + 1, Text: strings.TrimSpace(line), alone: alone}, g})
		}
	}
	return out
}

// mayStand reports quickly whether a line can be a placeholder: it has dots, or is in a
// comment or brackets and has a word of telling.
func mayStand(line string) bool {
	if strings.Contains(line, "...") || strings.Contains(line, "…") || strings.ContainsAny(line, "⋮⋯") || strings.Contains(line, ". . .") {
		return true
	}
	line = strings.TrimLeft(line, " \t")
	return line != "" && (strings.IndexByte("/#-;%{<([@'\"!rR*_", line[0]) >= 0 || strings.Contains(line, "/*") || strings.Contains(line, "//") || strings.Contains(line, "# ")) && telling().MatchString(line)
}

// telling matches a word that every placeholder in words has.
var telling = lazyregexp.New(`(?i)\b(?:rest|remainder|remaining|remains?|existing|previous|previously|original|current|others?|unchanged|unmodified|untouched|unaltered|intact|identical|preserved?|retain(?:ed)?|same|similar(?:ly)?|else|stays?|omitted|elided|truncated|removed|hidden|skip(?:ped|ping)?|left|leave|keep|kept|abbreviated|shortened|changes?|changed|modif(?:y|ied|ications?)|touch|snip|snipped|continue[sd]?|relevant|as is|as-is|as it was|as they were|before|above|below|after|shown|here|until|code|body|logic|implementation|contents?|lines?|repeat(?:ed)?|etc)\b|[^\x00-\x7f]`)

// judge returns the grade of line i as a placeholder, and whether it contains nothing
// else. quoted means that the line is inside a string of several lines.
func judge(l language, lines []string, i int, quoted bool) (g grade, alone bool) {
	line := strings.TrimSpace(lines[i])
	if l.prose {
		line = withoutEmphasis(line)
	}
	if body, wide, ok := comment(l, line); ok {
		s, ok := wordingOf(body)
		if !ok {
			return none, true
		}
		if strings.ContainsAny(strings.TrimSpace(body)[:min(1, len(strings.TrimSpace(body)))], "\"'`") {
			return none, true // quoted
		}
		if strings.HasPrefix(body, "* ") && s.dots() && s.judge() == sure {
			return sure, true // "/** ... existing code ... */"
		}
		if wide && !s.dots() || (wide || s.words == "") && isComment(body) {
			return none, true
		}
		return inComment(s, wide, lines, i), true
	}
	if g := bare(l, line); g != none && !(i > 0 && strings.HasSuffix(lines[i-1], ",") && dotsOnly(line)) { // else of parameters, a line each
		return g, true
	}
	return withCode(l, lines, i, quoted), false
}

// inComment returns the grade of a comment, given the lines around it: a line of a longer
// comment is an example, or part of a sentence.
func inComment(s wording, wide bool, lines []string, i int) grade {
	g := s.judge()
	above, below := "", ""
	if i > 0 {
		above = strings.TrimSpace(lines[i-1])
	}
	if i+1 < len(lines) {
		below = strings.TrimSpace(lines[i+1])
	}
	a, b := isComment(above), isComment(below)
	switch {
	case wide && (g <= likely || a && b), a && b && (g <= likely || !s.dots()):
		return none
	case s.dots() && g != weak:
		return g
	case a && !strings.ContainsAny(above[len(above)-1:], ".:!?"):
		return none
	case g == likely && (a || b):
		return weak
	}
	return g
}

// bare returns the grade of a line that is no comment.
func bare(l language, line string) grade {
	if first, _ := utf8.DecodeRuneInString(line); !strings.ContainsRune(".[({<…⋮⋯", first) || strings.HasPrefix(line, "..") && !strings.HasPrefix(line, "...") {
		return none
	}
	s, ok := wordingOf(line)
	if !ok || !s.dots() && !s.bracket {
		return none
	}
	if strings.ContainsAny(line, ",;=|\"'`") || s.tight && !strings.Contains(s.words, " ") && s.words != "" {
		return none // code: "...rest,"
	}
	g := s.judge()
	switch {
	case l.prose && strings.Contains(s.words, " for "):
		return none // dots in an example
	case s.words == "" && strings.ContainsAny(line, "{}<>"), s.words == "" && !l.bare:
		return none
	case !s.dots() && !strings.Contains(s.words, " ") && line[0] != '(': // a list with one item
		return none
	case g == weak, l.prose && g == likely && s.bracket && s.words != "":
		if s.bracket && strings.Contains(s.words, " ") {
			return weak
		}
		return none
	case l.prose && g != sure, g == likely && !l.bare:
		return none
	case s.dots() && (s.bracket || s.lead) && !l.prose:
		return g
	}
	return min(g, likely)
}

// withoutEmphasis returns a line of Markdown without the emphasis marks around the whole
// line.
func withoutEmphasis(line string) string {
	inner := strings.Trim(line, "*_")
	if n := (len(line) - len(inner)) / 2; n > 0 && n <= 3 && inner != "" && inner[0] != ' ' && line[:n] == line[len(line)-n:] && len(line) == len(inner)+2*n {
		return inner
	}
	return line
}

// dotsOnly reports whether a line is an ellipsis and nothing else.
func dotsOnly(line string) bool { return line == "..." || line == "…" }

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
var languages = sync.OnceValue(func() map[string]language {
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
})

// prose are the names of files without extension that hold text for people. Other such
// files are mostly scripts and build files.
var prose = map[string]bool{
	"readme": true, "license": true, "licence": true, "copying": true, "notice": true, "authors": true,
	"contributors": true, "maintainers": true, "changelog": true, "changes": true, "history": true, "news": true,
	"todo": true, "install": true, "thanks": true, "credits": true, "version": true,
}

// otherCode are the file extensions of code that needs no special treatment.
var otherCode = strings.Fields("py pyi pl pm r lua yaml yml toml ini nix sh bash zsh fish ps1 ex exs erl hs ml clj el lisp jl tf hcl gradle cmake mk vb bas vbs vim f90 f95 f03")

// IsCode reports whether the file at path is code of a known language.
func IsCode(name string) bool {
	end := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	return languages()[end].bare || slices.Contains(otherCode, end)
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
	return languages()[strings.TrimPrefix(path.Ext(base), ".")]
}
