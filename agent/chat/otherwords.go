package chat

import (
	"strings"

	"redline/internal/lazyregexp"
)

// A request that asks the same as an earlier one in other words is offered the earlier plan. Which words
// say the same is known only of the requests that the built-in model understands too: to rename, to
// replace a text, to delete or move a file, to run a command. All else goes to the model.

// A phrasing is one way to ask for something: an expression for a whole request, and the name of what
// it asks for. Its groups a and b are what it is about, and in is the place.
type phrasing struct {
	asks    string
	matches func(text string) map[string]string
}

const (
	aName   = "`?(?P<a>[\\p{L}_$][\\p{L}\\p{N}_$]*)`?"
	bName   = "`?(?P<b>[\\p{L}_$][\\p{L}\\p{N}_$]*)`?"
	aText   = "(?P<a>\"[^\"]+\"|`[^`]+`)"
	bText   = "(?P<b>\"[^\"]*\"|`[^`]*`)"
	aFile   = "`?(?P<a>[\\w./-]*\\w\\.\\w+)`?"
	bFile   = "`?(?P<b>[\\w./-]*\\w\\.\\w+)`?"
	kind    = `(?:the (?:function|method|variable|constant|type|class|field|parameter|symbol|identifier|name) )?`
	where   = `(?: (?:everywhere|in all files|in the whole (?:project|workspace|repository))| in (?P<in>[\w./*-]+))?$`
	anyFile = `(?:the file )?`
)

var phrasings = []phrasing{
	said("rename", `^rename `+kind+aName+` (?:to|as|into) `+bName+where),
	said("rename", `^change the name of `+kind+aName+` (?:to|into) `+bName+where),
	said("rename", `^give `+kind+aName+` the name `+bName+where),
	said("rename", `^(?:let )?`+kind+aName+` (?:should |shall |must )?be (?:called|named|renamed to) `+bName+where),
	said("rename", `^call `+kind+aName+` `+bName+` instead`+where),
	said("replace", `^replace `+aText+` (?:with|by) `+bText+where),
	said("replace", `^(?:change|turn) `+aText+` (?:to|into) `+bText+where),
	said("replace", `^(?:swap|exchange) `+aText+` for `+bText+where),
	said("replace", `^(?:substitute|use|write|put) `+bText+` (?:for|instead of|in place of) `+aText+where),
	said("delete", `^(?:delete|remove|drop|get rid of) `+anyFile+aFile+`$`),
	said("move", `^(?:move|rename) `+anyFile+aFile+` to `+bFile+`$`),
	said("run", "^(?:run|execute|start) `(?P<a>[^`]+)`$"),
}

// said returns the phrasing with an expression.
func said(asks, expression string) phrasing {
	re := lazyregexp.New(expression)
	return phrasing{asks, func(text string) map[string]string {
		m := re().FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		of := map[string]string{}
		for i, name := range re().SubexpNames() {
			if name != "" {
				of[name] = m[i]
			}
		}
		return of
	}}
}

// AsksFor returns what a request asks for, the same for all phrasings of it; "" if none is known. The request has no
// full stop. What it is about stays as it is written, since other letters are other names.
func AsksFor(text string) string {
	if strings.Contains(text, "\n") {
		return ""
	}
	for _, p := range phrasings {
		if of := p.matches(text); of != nil {
			return strings.Join([]string{p.asks, unmarked(of["a"]), unmarked(of["b"]), of["in"]}, "\x00")
		}
	}
	return ""
}

// unmarked removes the quotes around a text.
func unmarked(text string) string {
	if len(text) > 1 && strings.ContainsAny(text[:1], "\"`") && text[0] == text[len(text)-1] {
		return text[1 : len(text)-1]
	}
	return text
}
