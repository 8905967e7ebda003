// Package commands is about command lines, as values: it runs nothing and reads no files. [Rules]
// say whether the user's own rules allow a command without asking or deny it; they see its words
// as a shell does, never the string. [Observe] says how a command ended, and [Conclude] whether its
// plan continues. [Excerpt] shortens an output to its most useful parts: the beginning, the end
// and the lines around failures.
package commands

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Answer is the answer of the rules to a command line.
type Answer string

// The answers.
const (
	Ask   Answer = "ask"   // ask the user
	Allow Answer = "allow" // every command in it is allowed
	Deny  Answer = "deny"  // a command in it is denied, or may be
)

// Verdict is an answer with its reason.
type Verdict struct {
	Answer Answer
	Rule   string // the rule that denies, or those that allow, separated by commas, in the user's spelling; "" if no denying rule is certain
	Why    string // why the rules do not allow it, or cannot read it although some deny, as a part of a sentence; "" if no rule applies
}

// Rules are a user's rules. A nil Rules has none. They are safe for concurrent use.
type Rules struct {
	allow, deny []pattern
	none        bool // the rule "*" denies every command

	mu    sync.Mutex
	known map[[2]string]Verdict // earlier verdicts, by line and folder
}

// everyCommand is the rule that denies every command.
const everyCommand = "*"

// maxKnown is how many verdicts are kept, for lines of at most maxKnownLine bytes.
const (
	maxKnown     = 1000
	maxKnownLine = 4 << 10
)

// Judge returns the verdict on a command line that sh is to run in a folder of the workspace:
// relative and slash-separated, "" for the root. A line is allowed if it consists of simple
// commands that are each allowed there, joined by &&, ||, ;, line ends and pipes, and if no
// shell can read it differently. It is denied if it contains a denied command anywhere, whatever
// the folder. If there are rules that deny, a line is also denied if it is not certain which
// commands it runs.
func (r *Rules) Judge(line, folder string) Verdict {
	switch {
	case r == nil || len(r.allow)+len(r.deny) == 0 && !r.none:
		return Verdict{Answer: Ask}
	case r.none:
		return Verdict{Answer: Deny, Rule: everyCommand}
	}
	if len(line) > maxKnownLine {
		return r.judge(line, folder)
	}
	r.mu.Lock()
	v, ok := r.known[[2]string{line, folder}]
	r.mu.Unlock()
	if ok {
		return v
	}
	v = r.judge(line, folder)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxKnown {
		r.known = map[[2]string]Verdict{}
	}
	r.known[[2]string{line, folder}] = v
	return v
}

// judge does what Judge does, for a line without an earlier verdict.
func (r *Rules) judge(line, folder string) Verdict {
	if len(r.deny) > 0 {
		if rule, why := r.refuses(line); rule != "" || why != "" {
			return Verdict{Answer: Deny, Rule: rule, Why: why}
		}
	}
	file, why := read(line)
	if why != "" {
		return Verdict{Answer: Ask, Why: why}
	}
	here, inside := cleanFolder(folder)
	if !inside {
		return Verdict{Answer: Ask, Why: "its folder is not in the workspace"}
	}
	there := r.in(here)
	var by []string
	for _, s := range file.Stmts {
		if why := there.statement(s, &by); why != "" {
			return Verdict{Answer: Ask, Why: why}
		}
	}
	switch {
	case len(by) == 0:
		return Verdict{Answer: Ask}
	case !readAlike(line, file):
		return Verdict{Answer: Ask, Why: "shells may read it differently"}
	}
	return Verdict{Answer: Allow, Rule: strings.Join(by, ", ")}
}

// read parses a line, or returns why it cannot, as a part of a sentence.
func read(line string) (*syntax.File, string) {
	if why := tooMuch(line); why != "" {
		return nil, why
	}
	if why := hidden(line); why != "" {
		return nil, why
	}
	file, err := parse(line)
	if err != nil {
		return nil, "it cannot be read as a command line"
	}
	return file, ""
}

// in returns the rules that apply in a folder.
func (r *Rules) in(folder string) *Rules {
	here := &Rules{deny: r.deny}
	for _, p := range r.allow {
		if p.folder == folder {
			here.allow = append(here.allow, p)
		}
	}
	return here
}

// plain reports whether a statement runs by itself, to its end.
func plain(s *syntax.Stmt) bool {
	return !s.Background && !s.Coprocess && s.Cmd != nil
}

// statement returns why a statement is not allowed, "" if it is, and adds the
// rules that allow its commands.
func (r *Rules) statement(s *syntax.Stmt, by *[]string) string {
	if !plain(s) {
		return "something in it runs in the background, or is no command"
	}
	for _, redirect := range s.Redirs {
		if !harmless(redirect) {
			return "it reads or writes a file by a redirection"
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt, syntax.OrStmt, syntax.Pipe:
			if why := r.statement(c.X, by); why != "" {
				return why
			}
			return r.statement(c.Y, by)
		}
		return "it joins commands in a way that rules do not read"
	case *syntax.CallExpr:
		return r.call(c, by)
	}
	return "it is more than commands one after the other"
}

// call does what statement does, for a simple command.
func (r *Rules) call(c *syntax.CallExpr, by *[]string) string {
	if len(c.Assigns) > 0 {
		return "it sets a variable"
	}
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		word, why := literal(w)
		if why != "" {
			return why
		}
		words[i] = word
	}
	if len(words) == 0 {
		return "it has an empty command"
	}
	if why := cmp.Or(neverAllowed(words[0]), tricky(words)); why != "" {
		return why
	}
	for _, one := range r.allow {
		if one.matches(words) {
			if !slices.Contains(*by, one.text) {
				*by = append(*by, one.text)
			}
			return ""
		}
	}
	return "no rule allows " + words[0]
}

// harmless reports whether a redirection only joins or discards streams.
func harmless(r *syntax.Redirect) bool {
	word, why := "", "none"
	if r.Word != nil {
		word, why = literal(r.Word)
	}
	if why != "" {
		return false
	}
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		return word == "1" || word == "2" || word == "0" || word == "-"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn:
		return word == "/dev/null"
	}
	return false
}

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

// pattern is a parsed rule: a list of words. It matches a command that begins with these words:
// "go test" matches `go test ./...`, "git * --dry-run $" matches `git push --dry-run` and nothing
// longer.
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
