package rules

import (
	"path"

	"mvdan.cc/sh/v3/syntax"
)

// denied returns the rule that denies a command anywhere in the line: also in
// what is substituted, in blocks and functions, and behind programs that run what
// they are given. "" for none.
func (r *Rules) denied(file syntax.Node) (text string) {
	if len(r.deny) == 0 {
		return ""
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && text == "" {
			var words []string
			for _, w := range c.Args {
				word, why := literal(w)
				if why != "" {
					word = "\x00" // some word: it is only known when it is run
				}
				words = append(words, word)
			}
			text = r.deniedWords(words)
		}
		return text == ""
	})
	return text
}

// deniedWords is denied for the words of one command.
func (r *Rules) deniedWords(words []string) string {
	for i := range words {
		rest := append([]string{path.Base(words[i])}, words[i+1:]...)
		for _, one := range r.deny {
			if one.matches(rest) || one.matches(words[i:]) {
				return one.text
			}
		}
		if !runsOthers(words[0]) {
			break
		}
		// What a shell is given to run may be any of its words.
		if inner, err := parse(words[i]); err == nil && i > 0 && len(inner.Stmts) > 0 {
			if c, simple := inner.Stmts[0].Cmd.(*syntax.CallExpr); len(inner.Stmts) > 1 || !simple || len(c.Args) > 1 {
				if text := r.denied(inner); text != "" {
					return text
				}
			}
		}
	}
	return ""
}
