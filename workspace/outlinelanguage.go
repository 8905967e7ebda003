package workspace

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"redline/internal/lazyregexp"
)

// language describes a language for an outline.
type language struct {
	comments []string    // start a comment that ends with the line
	blocks   [][2]string // start and end a comment or a string of several lines
	quotes   string      // of strings that end on their line
	prose    bool        // no declaration begins with a keyword
	methods  bool        // NAME(…) in a class is a method
	c        bool        // functions at the left margin have no keyword
	forms    []form      // further declarations

	once  sync.Once
	chars string
}

// form is one kind of declaration line in a language.
type form struct {
	re   func() *regexp.Regexp // its groups, joined by dots, are the name
	kind string
	has  string // every matching line contains it
}

func forms(pairs ...string) []form {
	var list []form
	for i := 0; i < len(pairs); i += 3 {
		list = append(list, form{re: lazyregexp.New(pairs[i+2]), kind: pairs[i], has: pairs[i+1]})
	}
	return list
}

var (
	slashes = [][2]string{{"/*", "*/"}}

	cLike   = &language{comments: []string{"//"}, blocks: slashes, quotes: `"'`, methods: true}
	cFamily = &language{comments: []string{"//"}, blocks: slashes, quotes: `"'`, methods: true, c: true, forms: forms(
		"define", "#", `^[ \t]*#[ \t]*define[ \t]+(\w+)`,
		"type", "typedef", `^typedef\b.*[ \t*](\w+)[ \t]*;`,
		"interface", "@", `^@(?:interface|implementation|protocol)[ \t]+(\w+)`,
		"method", ")", `^[-+][ \t]*\([^)]*\)[ \t]*(\w+)`,
	)}
	script = &language{comments: []string{"//"}, blocks: [][2]string{{"/*", "*/"}, {"`", "`"}}, quotes: `"'`, methods: true, forms: forms(
		"function", "=", `^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:const|let|var)[ \t]+([\p{L}_$][\p{L}\p{N}_$]*)[^=]*=[ \t]*(?:async\b[ \t]*)?(?:function\b|\([^)]*$|\([^)]*\)[^=]*=>|[\p{L}_$][\p{L}\p{N}_$]*[ \t]*=>)`,
		"const", "=", `^export[ \t]+(?:const|let|var)[ \t]+([\p{L}_$][\p{L}\p{N}_$]*)`,
	)}
	python = &language{comments: []string{"#"}, blocks: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`}
	rust   = &language{comments: []string{"//"}, blocks: slashes, quotes: `"`, forms: forms(
		"impl", "impl", `^[ \t]*(?:unsafe[ \t]+)?impl(?:<[^{]*?>)?[ \t]+(?:[^{]*[ \t]for[ \t]+)?&?(?:mut[ \t]+)?(?:dyn[ \t]+)?([\w:]+)`,
		"macro", "macro_rules", `^[ \t]*macro_rules![ \t]*(\w+)`,
		"const", ":", `^(?:pub(?:\([^)]*\))?[ \t]+)?(?:const|static)[ \t]+(?:mut[ \t]+)?(\w+)[ \t]*:`,
	)}
	hashes = &language{comments: []string{"#"}, quotes: `"'`}
	ruby   = &language{comments: []string{"#"}, blocks: [][2]string{{"=begin", "=end"}}, quotes: `"'`}
	shell  = &language{comments: []string{"#"}, quotes: `"'`, forms: forms("function", "(", `^[ \t]*([\w.:-]+)[ \t]*\([ \t]*\)`)}
	lua    = &language{comments: []string{}, blocks: [][2]string{{"--[[", "]]"}, {"[[", "]]"}}, quotes: `"'`}
	sql    = &language{comments: []string{"--"}, blocks: slashes, quotes: `'`, prose: true, forms: forms(
		"create", " ", `(?i)^[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:(?:temp|temporary|unique|unlogged|materialized|global|local|virtual)[ \t]+)*(?:table|view|index|function|procedure|trigger|type|schema|sequence|database)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?["`+"`"+`\[]?([\w.]+)`,
	)}
	haskell   = &language{comments: []string{"--"}, blocks: [][2]string{{"{-", "-}"}}, quotes: `"`, forms: forms("function", "::", `^([a-z_][\w']*)[ \t]*::`, "data", " ", `^(?:data|newtype)[ \t]+(\w+)`)}
	ml        = &language{blocks: [][2]string{{"(*", "*)"}}, quotes: `"`, forms: forms("let", "let", `^let[ \t]+(?:rec[ \t]+)?([a-z_][\w']*)`)}
	rlang     = &language{comments: []string{"#"}, quotes: `"'`, prose: true, forms: forms("function", "function", `^[ \t]*([\w.]+)[ \t]*(?:<-|=)[ \t]*function\b`)}
	terraform = &language{comments: []string{"#", "//"}, blocks: slashes, quotes: `"`, prose: true, forms: forms(
		"block", "{", `^(?:resource|data)[ \t]+"([^"]+)"[ \t]+"([^"]+)"`, "block", "{", `^(?:variable|output|module|provider)[ \t]+"([^"]+)"`)}
	graphql  = &language{comments: []string{"#"}, blocks: [][2]string{{`"""`, `"""`}}, quotes: `"`, forms: forms("type", " ", `^(?:input|query|mutation|subscription|fragment|scalar|directive)[ \t]+@?(\w+)`)}
	makefile = &language{comments: []string{"#"}, prose: true, forms: forms("target", ":", `^([\w./%-]+(?:[ \t]+[\w./%-]+)*)[ \t]*::?(?:[^=]|$)`)}
	yaml     = &language{comments: []string{"#"}, prose: true, forms: forms("key", ":", `^["']?([\p{L}_$][\w.$/-]*)["']?:(?:[ \t]|$)`)}
	ini      = &language{comments: []string{"#", ";"}, prose: true, forms: forms("section", "[", `^\[+([^\[\]]+)\]+`)}
	nothing  = &language{prose: true}
	unknown  = &language{} // for languages read by their keywords alone
)

// languages maps file extensions, in lower case, to languages.
var languages = map[string]*language{}

func init() {
	for endings, lang := range map[string]*language{
		".java .cs .kt .kts .scala .swift .dart .php .groovy .gradle .sol .zig .proto .as .hx": cLike,
		".c .h .cc .cpp .cxx .hpp .hh .hxx .m .mm .ino .cu .glsl":                              cFamily,
		".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte":                                   script,
		".py .pyi .pyx": python, ".rs": rust, ".rb .rake .cr": ruby, ".lua": lua, ".sql": sql, ".r": rlang,
		".ex .exs .jl .nim .ps1 .psm1 .pl .pm .tcl": hashes, ".sh .bash .zsh .ksh .bats": shell,
		".hs": haskell, ".ml .mli .fs .fsi": ml, ".tf .hcl": terraform, ".graphql .gql": graphql, ".mk": makefile,
		".yaml .yml": yaml, ".toml .ini .cfg .conf .editorconfig": ini,
		".txt .json .jsonl .csv .tsv .log .lock .sum .svg .xml .html .htm .css .scss .less .rst .adoc .tex .diff .patch": nothing,
	} {
		for _, ending := range strings.Fields(endings) {
			languages[ending] = lang
		}
	}
}

func languageOf(name string) *language {
	base := strings.ToLower(path.Base(name))
	if lang, ok := languages[path.Ext(base)]; ok {
		return lang
	}
	switch base {
	case "makefile", "gnumakefile":
		return makefile
	case "rakefile", "gemfile", "vagrantfile":
		return ruby
	}
	return unknown
}

// special returns characters one of which is in every line that has something to blank out.
func (l *language) special() string {
	l.once.Do(func() {
		for _, c := range l.comments {
			l.chars += c[:1]
		}
		for _, b := range l.blocks {
			l.chars += b[0][:1]
		}
	})
	return l.chars
}

// declares reads the declaration on a line, if there is one. body is the line without its
// indentation, inside are the enclosing symbols.
func (l *language) declares(line, body string, inside []frame) (declared, bool) {
	for _, f := range l.forms {
		if !strings.Contains(line, f.has) {
			continue
		}
		if m := f.re().FindStringSubmatch(line); m != nil {
			return declared{f.kind, strings.Join(m[1:], ".")}, true
		}
	}
	if l.prose {
		return declared{}, false
	}
	if d, rest, ok := byKeyword(body); ok && !(l.c && onlyUses(rest)) {
		return d, true
	}
	if !strings.Contains(line, "(") {
		return declared{}, false
	}
	if l.methods && len(inside) > 0 && containers[inside[len(inside)-1].kind] {
		return method(body, inside[len(inside)-1].declared)
	}
	if l.c && len(line) == len(body) {
		return function(body)
	}
	return declared{}, false
}

// onlyUses reports whether rest, the text after "struct NAME", shows a use of the type
// instead of a declaration: a variable, a function that returns it, a forward declaration.
func onlyUses(rest string) bool {
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" || rest[0] == ':' || strings.HasPrefix(rest, "final") {
		return false
	}
	at := strings.IndexAny(rest, ";(={")
	return at < 0 || rest[at] != '{'
}

var (
	// methodForm matches modifiers, perhaps a type, and a name before a parenthesis.
	methodForm = lazyregexp.New(`^(?:@[\w.]+(?:\([^)]*\))?[ \t]+)*((?:(?:[\w.:]+(?:<[^()=]*>)?(?:\[\])*[?!*&]*|<[^()=]*>)[ \t]+[*&]*)*)([~#]?[\p{L}_$][\p{L}\p{N}_$]*)[?!]?[ \t]*(?:<[^()=]*>)?\(`)
	// functionForm matches a type and a name before a parenthesis.
	functionForm = lazyregexp.New(`^([A-Za-z_][\w:<>,*&\[\] \t]*?[ \t*&])?((?:[A-Za-z_]\w*(?:<[^()]*>)?::)*~?[A-Za-z_]\w*)[ \t]*\(`)
)

// method reads the declaration of a method, or another declaration in a class.
func method(body string, in declared) (declared, bool) {
	m := methodForm().FindStringSubmatch(body)
	if m == nil || statements[m[2]] {
		return declared{}, false
	}
	types := strings.Fields(m[1])
	for _, word := range types {
		if statements[word] {
			return declared{}, false
		}
	}
	last := body[len(body)-1]
	switch {
	case last == '{', last == '}', len(types) > 0, in.kind == "interface", strings.TrimPrefix(m[2], "~") == in.name:
		return declared{"method", m[2]}, true
	}
	return declared{}, false
}

// function reads a function declaration of the C family that begins at the left margin. It
// ignores a prototype on one line.
func function(body string) (declared, bool) {
	m := functionForm().FindStringSubmatch(body)
	if m == nil || strings.HasSuffix(body, ";") || m[1] == "" && !strings.Contains(m[2], "::") || statements[m[2]] {
		return declared{}, false
	}
	if first := wordAt(body); statements[first] || first == "typedef" {
		return declared{}, false
	}
	return declared{"function", m[2]}, true
}
