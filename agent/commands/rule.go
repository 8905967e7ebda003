package commands

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Rule is a rule of the user's settings: a text, or a table such as { command = "make",
// folder = "tools" }.
type Rule struct {
	Command string // the first words of one command
	Folder  string // slash-separated; the folder in which an allow rule applies, "" for the workspace's root; a deny rule applies everywhere
}

// ReadRule reads a rule from the value of a settings file: a text or a table. The
// error is a part of a sentence that follows the word "it".
func ReadRule(value any) (Rule, error) {
	switch v := value.(type) {
	case string:
		return Rule{Command: v}, nil
	case map[string]any:
		var r Rule
		for name, field := range v {
			text, ok := field.(string)
			switch {
			case !ok:
				return Rule{}, fmt.Errorf("must have a text as its %s", shortName(name))
			case name == "command":
				r.Command = text
			case name == "folder":
				r.Folder = text
			default:
				return Rule{}, fmt.Errorf("has a key %q; there are command and folder", shortName(name))
			}
		}
		if r.Command == "" {
			return Rule{}, errors.New("must have a command")
		}
		return r, nil
	}
	return Rule{}, errors.New(`must be a text, or a table such as { command = "make", folder = "tools" }`)
}

func shortName(name string) string { return name[:min(len(name), 40)] }

// String formats the rule as in messages and the audit log.
func (r Rule) String() string {
	if r.Folder == "" {
		return r.Command
	}
	return r.Command + " in " + r.Folder
}

// AtRoot returns rules for the workspace's root, from texts.
func AtRoot(commands ...string) []Rule {
	var all []Rule
	for _, c := range commands {
		all = append(all, Rule{Command: c})
	}
	return all
}

// pattern is a parsed rule: a list of words. It matches a command that begins with these
// words.
type pattern struct {
	text   string
	folder string   // in the form of [cleanFolder]
	words  []string // "*" matches any one word
	whole  bool     // no further words are allowed
}

// New parses rules. It leaves out bad ones, with one error each that says why in one
// sentence.
func New(allow, deny []Rule) (*Rules, []error) {
	r := &Rules{}
	var wrong []error
	for _, one := range allow {
		p, err := parseRule(one)
		if err == nil {
			if why := neverAllowed(p.words[0]); why != "" {
				err = fmt.Errorf("the rule %q has no effect: %s, so it is always asked about", one.Command, why)
			}
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		r.allow = append(r.allow, p)
	}
	for _, one := range deny {
		if one.Folder != "" {
			wrong = append(wrong, fmt.Errorf("the rule %q denies the command in every folder: remove its folder", one.Command))
		}
		if one.Command == everyCommand {
			r.none = true
			continue
		}
		p, err := parseRule(Rule{Command: one.Command})
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		r.deny = append(r.deny, p)
	}
	return r, wrong
}

func parseRule(one Rule) (pattern, error) {
	bad := fmt.Errorf("the rule %q has no effect: it must be the first words of one command, like \"go test\"", one.Command)
	folder, ok := cleanFolder(one.Folder)
	if !ok {
		return pattern{}, fmt.Errorf("the rule %q has no effect: its folder must be in the workspace, as in \"tools\", or with several workspace folders \"app/tools\"", one.Command)
	}
	file, why := read(one.Command)
	if why != "" || len(file.Stmts) != 1 || !plain(file.Stmts[0]) {
		return pattern{}, bad
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(file.Stmts[0].Redirs) > 0 || len(file.Stmts[0].Comments) > 0 {
		return pattern{}, bad
	}
	p := pattern{text: Rule{Command: one.Command, Folder: folder}.String(), folder: folder}
	for i, w := range call.Args {
		lit := w.Lit()
		switch {
		case lit == "$" && i > 0 && i == len(call.Args)-1:
			p.whole = true
			continue
		case lit == "*" && i > 0:
			p.words = append(p.words, "*")
			continue
		}
		word, why := literal(w)
		if why != "" || word == "" {
			return pattern{}, bad
		}
		p.words = append(p.words, word)
	}
	if slices.Contains(keywords, p.words[0]) {
		return pattern{}, bad
	}
	return p, nil
}

// cleanFolder returns a folder of the workspace in the form that rules compare: relative,
// without "." and "..", "" for the root. ok is false if the folder is not in the workspace.
func cleanFolder(folder string) (clean string, ok bool) {
	clean = path.Clean("./" + folder)
	if strings.HasPrefix(folder, "/") || strings.ContainsAny(folder, "\\\x00") || slices.Contains(strings.Split(clean, "/"), "..") {
		return "", false
	}
	if clean == "." {
		clean = ""
	}
	return clean, true
}

// matches reports whether the rule applies to a command with the words.
func (p pattern) matches(words []string) bool {
	if len(words) < len(p.words) || p.whole && len(words) != len(p.words) {
		return false
	}
	for i, w := range p.words {
		if w != words[i] && w != "*" {
			return false
		}
	}
	return true
}
