package chat

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"redline/internal/lazyregexp"
)

// PlanContent is what a plan is about, as far as a message can name it.
type PlanContent struct {
	Goal  string
	Paths []string               // workspace paths of its files, including the predicted ones
	Has   func(word string) bool // reports whether the texts of its files contain a word
}

// PlacedRequest is a request, and the place in the workspace where it was made.
type PlacedRequest struct {
	Text     string
	Selected string                 // workspace path of the file in which something is selected, "" for none
	Exists   func(path string) bool // reports whether the workspace has a file of the name
}

// Apart returns what a message names if it is about something else than the plan, or nil if it
// changes the plan. A message changes the waiting plan unless it names files or identifiers, none of
// these are the plan's, and it does not refer to earlier messages ("also", "instead", "it").
func Apart(m PlacedRequest, p PlanContent) (named []string) {
	words := tokens(m.Text)
	elsewhere := m.Selected != "" && !p.hasFile(m.Selected)
	if refersBack(m.Text, elsewhere) {
		return nil
	}
	if elsewhere {
		named = append(named, m.Selected)
	}
	for i, w := range words {
		switch {
		case isPath(w, m.Exists):
			if p.hasFile(w.text) {
				return nil
			}
		case isName(words, i):
			if p.hasName(w.text) {
				return nil
			}
		default:
			continue
		}
		if !slices.Contains(named, w.text) {
			named = append(named, w.text)
		}
	}
	return named
}

// back matches words that refer to earlier messages or plans. Pronouns do that only if nothing
// is selected; otherwise they mean the selection.
var (
	back        = lazyregexp.New(`(?i)\b(also|too|as well|instead|again|rather|but|except|without|leave out|keep|undo|revert|plan|revision|change|changes|hunk|hunks|step|steps|you|your|only|not|don't|do not|never mind|shorter|longer|simpler|same|then|still|back|more|less|first|last|previous|there|here)\b`)
	pronouns    = lazyregexp.New(`(?i)\b(it|its|that|this|them|these|those|they)\b`)
	beginsAgain = lazyregexp.New(`(?i)^\s*(and|or|so|no|yes|ok|okay|hm+|wait|sorry|actually|please also|now also)\b`)
)

func refersBack(text string, selected bool) bool {
	text = quotedWords().ReplaceAllString(text, " ") // the words of a quoted text that is to be written do not count
	return back().MatchString(text) || beginsAgain().MatchString(text) || !selected && pronouns().MatchString(text)
}

// token is a word of a message.
type token struct {
	text   string
	quoted bool // it is in backticks or quotes
}

var (
	quotedWords   = lazyregexp.New("`[^`\n]*`|\"[^\"\n]*\"")
	wordInMessage = lazyregexp.New("`[^`\n]*`|\"[^\"\n]*\"|[^\\s`\"]+")
)

func tokens(text string) (out []token) {
	for _, w := range wordInMessage().FindAllString(text, -1) {
		t := token{text: strings.Trim(w, "`\""), quoted: w[0] == '`' || w[0] == '"'}
		if !t.quoted {
			t.text = strings.TrimLeft(t.text, "(@'")
			if called := strings.TrimRight(t.text, ".,;:!?'"); strings.HasSuffix(called, "()") {
				t.text = called
			} else {
				t.text = strings.TrimRight(called, ".,;:!?)'")
			}
		}
		if t.text != "" {
			out = append(out, t)
		}
	}
	return out
}

// fileInWords matches what looks like the name of a file, or a glob.
var fileInWords = lazyregexp.New(`^[\w.*{},\[\]-]*(/[\w.*{},\[\]-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}$`)

// isPath reports whether a word names a file: one that exists, or a name that looks like one
// and has a folder, a star or the ending of a usual source file.
func isPath(w token, exists func(string) bool) bool {
	if exists != nil && strings.ContainsAny(w.text, "./") && exists(w.text) {
		return true
	}
	if strings.Contains(w.text, "://") || !fileInWords().MatchString(w.text) {
		return false
	}
	return strings.ContainsAny(w.text, "/*") || usualEndings[path.Ext(w.text)]
}

// usualEndings are the endings of files that messages name without their folder. Those of
// names of products, as in Node.js, count only if such a file exists.
var usualEndings = map[string]bool{
	".go": true, ".py": true, ".rb": true, ".rs": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".hpp": true, ".java": true,
	".kt": true, ".swift": true, ".ts": true, ".tsx": true, ".jsx": true, ".css": true, ".scss": true, ".html": true, ".lua": true, ".sh": true,
	".md": true, ".txt": true, ".json": true, ".toml": true, ".yaml": true, ".yml": true, ".xml": true, ".sql": true, ".php": true, ".cs": true,
}

// codeName matches a word that only code has: with an underscore or capitals inside, with
// parentheses after it, or with the name of its package.
var (
	codeName = lazyregexp.New(`^[A-Za-z_][\w.:]*(_\w|[a-z0-9][A-Z]|\(\)$|::\w|[a-z]\.[A-Z])[\w.:()]*$`)
	plain    = lazyregexp.New(`^[A-Za-z_][\w.:]*(\(\))?$`)
)

// introduces has words that come before a name.
var introduces = []string{"rename", "function", "func", "method", "type", "class", "struct", "interface", "variable", "constant", "field", "module"}

func isName(words []token, i int) bool {
	w := words[i]
	if w.quoted || strings.Contains(w.text, "://") {
		return w.quoted && w.text != ""
	}
	if codeName().MatchString(w.text) {
		return true
	}
	return i > 0 && slices.Contains(introduces, strings.ToLower(words[i-1].text)) && plain().MatchString(w.text) && !common[strings.ToLower(w.text)]
}

// common has words that may come after those and are not names.
var common = map[string]bool{"the": true, "a": true, "an": true, "all": true, "every": true, "each": true, "of": true, "to": true, "for": true, "in": true, "and": true, "names": true, "name": true, "which": true, "with": true}

func (p PlanContent) hasFile(name string) bool {
	name = path.Clean(name)
	return slices.ContainsFunc(p.Paths, func(of string) bool {
		if of == name || strings.HasSuffix(of, "/"+name) || strings.HasPrefix(of, name+"/") {
			return true
		}
		whole, _ := doublestar.Match(name, of)
		base, _ := doublestar.Match(name, path.Base(of))
		return whole || base
	})
}

func (p PlanContent) hasName(name string) bool {
	name = strings.TrimSuffix(name, "()")
	if i := strings.LastIndexAny(name, ".:"); i >= 0 && i < len(name)-1 && !strings.ContainsAny(name, " ") {
		name = name[i+1:]
	}
	return strings.Contains(p.Goal, name) || p.Has != nil && p.Has(name)
}
