package commands

import (
	"cmp"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"redline/internal/lazyregexp"
)

// maxInner is how deeply shells may be nested in a line, and maxLooks how many words are
// examined: nested runners can have any number of readings.
const (
	maxInner = 8
	maxLooks = 100_000
)

// refusal is the reason to refuse a line: a rule, or doubt about what it runs. The first reason
// stays, but a rule replaces a doubt.
type refusal struct{ rule, why string }

// denier searches a line, and the lines that it gives to other shells, for commands that the
// user's rules deny.
type denier struct {
	deny   []pattern
	source string // the line
	depth  int    // depth of shells within shells
	sure   bool   // the line is certain to run, so it is also refused if it cannot be read
	shared *shared
	found  *refusal
}

// shared is the state that all deniers of one line share.
type shared struct {
	looks int             // words examined
	seen  map[string]bool // lines examined
}

// refuses returns the rule that denies a command anywhere in the line, including substitutions,
// blocks and functions, and the arguments of programs that run them. If there is none but it is
// not certain which commands the line runs, it returns the reason, as a part of a sentence.
func (r *Rules) refuses(line string) (rule, why string) {
	d := &denier{deny: r.deny, sure: true, shared: &shared{seen: map[string]bool{}}, found: &refusal{}}
	d.line(line)
	return d.found.rule, d.found.why
}

func (d *denier) because(why string) {
	d.found.why = cmp.Or(d.found.why, why)
}

// done reports whether the search can stop.
func (d *denier) done() bool { return d.found.rule != "" || d.shared.looks > maxLooks }

// line examines a line that a shell gets.
func (d *denier) line(line string) {
	if d.depth > maxInner {
		d.because("it starts shells within shells")
		return
	}
	key := fmt.Sprint(d.sure, d.depth, line)
	if d.shared.seen[key] {
		return
	}
	d.shared.seen[key] = true
	d.source = line
	file, why := read(line)
	if why != "" {
		d.because(why)
		return
	}
	if why := ambiguous(line, file); why != "" {
		d.because(why)
	}
	d.look(file)
	// On some systems sh is Bash, which has more grammar than POSIX.
	other, err := parseAs(syntax.LangBash, line)
	if err != nil {
		d.because("not every shell can read it")
		return
	}
	d.look(other)
}

// inner does what line does, for a line that a program in the line gets.
func (d *denier) inner(line string) {
	below := *d
	below.depth++
	below.line(line)
}

// bareEscape matches an escaped line end with no space before the backslash.
var bareEscape = lazyregexp.New(`(?:^|[^ \t])\\\n`)

// harmlessComment matches a comment that has no effect even in a shell that does not treat it
// as one.
var harmlessComment = lazyregexp.New("^[^\\\\'\"`$;&|()<>{}\n]*$")

// ambiguous returns why shells may read a line differently in ways that the parser does not
// show: escaped line ends and comments. It is "" if they read it alike.
func ambiguous(line string, file *syntax.File) (why string) {
	if strings.Contains(line, "\\\n") && (bareEscape().MatchString(line) || strings.Contains(line, "#") || strings.Contains(line, "<<")) {
		return "it has a line end behind a backslash that shells may read differently"
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && !harmlessComment().MatchString(c.Text) {
			why = "it has a comment that shells may read differently"
		}
		return why == ""
	})
	return why
}

// look examines a part of the syntax tree.
func (d *denier) look(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if d.done() {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			d.stmt(n)
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && startsShell(n.Y) {
				d.because("it gives a shell commands through a pipe")
			}
		case *syntax.CallExpr:
			d.call(n)
		case *syntax.DeclClause:
			for _, a := range n.Args {
				d.assign(a)
			}
		case *syntax.Assign:
			d.assign(n)
		case *syntax.WordIter:
			d.sets(n.Name.Value)
		case *syntax.ParamExp:
			d.expansion(n)
		case *syntax.Word:
			d.text(n)
		}
		return true
	})
	if d.shared.looks > maxLooks {
		d.because("it has too many commands")
	}
}

// stmt examines the redirections of a statement.
func (d *denier) stmt(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		if r.N != nil && len(r.N.Value) > 1 {
			d.because("it has a redirection that shells read differently")
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if !plainDelimiter().MatchString(d.written(r.Word)) {
				d.because("it has a here-document whose end shells may see elsewhere")
			}
			if startsShell(s) {
				d.because("it gives a shell commands in a here-document")
			}
		case syntax.WordHdoc:
			d.because("not every shell can read it")
		case syntax.RdrIn, syntax.DplIn, syntax.RdrInOut:
			if c, ok := s.Cmd.(*syntax.CallExpr); ok && startsShell(c) {
				d.because("it gives a shell commands by a redirection")
			}
		}
		if r.Op == syntax.DplIn || r.Op == syntax.DplOut {
			// To Bash, the word of a command begins right after the - of >&-zap. And Bash expands
			// the name of a file after >& twice: >& '$(zap)' runs zap.
			if to := d.written(r.Word); strings.HasPrefix(to, "-") && to != "-" || !plainTarget().MatchString(to) {
				d.because("it has a redirection that shells read differently")
			}
		}
	}
}

// plainDelimiter matches a here-document delimiter that all shells read alike.
var plainDelimiter = lazyregexp.New(`^(?:[A-Za-z_][A-Za-z0-9_]*|'[A-Za-z0-9_ ]+'|"[A-Za-z0-9_ ]+"|\\[A-Za-z_][A-Za-z0-9_]*)$`)

// plainTarget matches the target of a redirection of a descriptor in which a second expansion finds
// nothing to do: "1", "-", "'a file.log'".
var plainTarget = lazyregexp.New(`^(?:[\w./+@%:,=-]*|'[\w ./+@%:,=-]*'|"[\w ./+@%:,=-]*")$`)

// written returns the source text of a part of the line.
func (d *denier) written(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(d.source) {
		return ""
	}
	return d.source[from:to]
}

// startsShell reports whether n starts a shell, or a program that reads commands, anywhere.
func startsShell(n syntax.Node) (starts bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			words := wordsOf(c)
			for i := range words {
				starts = starts || words[i].sure && isShell(words[i:])
			}
		}
		return !starts
	})
	return starts
}

// special matches variables that change which programs run, or that hold commands. A name
// before = may have a prefix of these.
var special = lazyregexp.New(`^(?:PATH|ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|CDPATH|FPATH|ZDOTDIR|EXECIGNORE|BASH.*|LD_.*|DYLD_.*)$`)

// sets examines the name of a variable that is set.
func (d *denier) sets(name string) {
	if special().MatchString(name) {
		d.because("it sets " + name + ", which changes what runs")
	}
}

func (d *denier) assign(a *syntax.Assign) {
	if a.Name != nil {
		d.sets(a.Name.Value)
	}
	if a.Index != nil || a.Array != nil {
		d.because("not every shell can read it")
	}
}

func (d *denier) expansion(p *syntax.ParamExp) {
	if p.Exp == nil {
		return
	}
	if p.Exp.Word != nil && strings.ContainsAny(d.written(p.Exp.Word), "'\"\\") {
		d.because("it has quotes in an expansion, which shells read differently")
	}
	// Bash runs the commands of ${x:->(…)}; the parser reads them as text.
	if text := d.written(p); strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		d.because("it has a process substitution in an expansion, which not every shell can read")
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if p.Param != nil {
			d.sets(p.Param.Value)
		}
	case syntax.OtherParamOps:
		d.because("not every shell can read it")
	}
}

// subscript matches text that shells evaluate again where they expect a number or the name of
// a variable.
var subscript = lazyregexp.New("(?s)\\[.*(?:\\$|`)")

// text examines a word for commands that run although it is quoted: Bash runs $(…) in the
// brackets of a variable's name, wherever that name comes from.
func (d *denier) text(w *syntax.Word) {
	for _, part := range w.Parts {
		quoted := ""
		switch p := part.(type) {
		case *syntax.SglQuoted:
			quoted = p.Value
		case *syntax.DblQuoted:
			quoted = strings.ReplaceAll(d.written(p), `\`, "")
		case *syntax.Lit:
			if strings.IndexByte(p.Value, 0x85) >= 0 || strings.IndexByte(p.Value, 0xa0) >= 0 { // spaces to the bash of macOS
				d.because("it has characters that some shells treat as spaces")
			}
			quoted = strings.ReplaceAll(p.Value, `\`, "")
		}
		if subscript().MatchString(quoted) && strings.ContainsAny(quoted, "(`") && strings.ContainsAny(quoted, "$`") {
			d.because("it has a name with brackets in which shells run commands")
		}
	}
}
