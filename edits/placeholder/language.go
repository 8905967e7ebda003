package placeholder

import (
	"path"
	"strings"
)

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
