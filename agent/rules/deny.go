package rules

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"redline/internal/lazyregexp"
)

// maxInner is how deeply a line may be given to a shell within a line, and maxLooks how
// many words are looked at: runners can be nested so that there are as many readings as
// one likes.
const (
	maxInner = 8
	maxLooks = 100_000
)

// refusal is why a line is refused: by a rule, or because it cannot be known what it
// runs. The first one found stays; a rule goes before a reason.
type refusal struct{ rule, why string }

// denier looks for what a user's rules deny, in one line and what that gives to
// other shells.
type denier struct {
	deny   []pattern
	source string // the line
	depth  int    // of shells within shells
	sure   bool   // the line is surely run: it counts too if that cannot be read
	shared *shared
	found  *refusal
}

// shared is what all deniers of one line have in common.
type shared struct {
	looks int             // words that were looked at
	seen  map[string]bool // lines that were looked at
}

// refuses returns the rule that denies a command anywhere in the line: also in what is
// substituted, in blocks and functions, and behind programs that run what they are
// given. If none does and it cannot be known for sure which commands the line runs, it
// returns why, as a part of a sentence.
func (r *Rules) refuses(line string) (rule, why string) {
	d := &denier{deny: r.deny, sure: true, shared: &shared{seen: map[string]bool{}}, found: &refusal{}}
	d.line(line)
	return d.found.rule, d.found.why
}

func (d *denier) because(why string) {
	if d.found.why == "" {
		d.found.why = why
	}
}

// done reports whether nothing more is to be found.
func (d *denier) done() bool { return d.found.rule != "" || d.shared.looks > maxLooks }

// line looks at a line that a shell is given.
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
	// Bash is sh on some systems, and takes more for grammar than POSIX says.
	other, err := parseAs(syntax.LangBash, line)
	if err != nil {
		d.because("not every shell can read it")
		return
	}
	d.look(other)
}

// inner is line for one that a program in the line is given.
func (d *denier) inner(line string) {
	below := *d
	below.depth++
	below.line(line)
}

// bareEscape matches an escaped line end with no space before the backslash.
var bareEscape = lazyregexp.New(`(?:^|[^ \t])\\\n`)

// harmlessComment is a comment that says the same to every shell, also to one that
// does not take it for a comment.
var harmlessComment = lazyregexp.New("^[^\\\\'\"`$;&|()<>{}\n]*$")

// ambiguous says why shells may read a line differently where the parser does not show
// it: escaped line ends and comments. "" if they read it alike.
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

// look looks at what was parsed.
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

// stmt looks at the redirections of a statement.
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
	}
}

// plainDelimiter is the word of a here-document whose end all shells see alike.
var plainDelimiter = lazyregexp.New(`^(?:[A-Za-z_][A-Za-z0-9_]*|'[A-Za-z0-9_ ]+'|"[A-Za-z0-9_ ]+"|\\[A-Za-z_][A-Za-z0-9_]*)$`)

// written returns a part of the line as it is written there.
func (d *denier) written(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(d.source) {
		return ""
	}
	return d.source[from:to]
}

// startsShell reports whether a shell, or a program that reads commands, is started
// anywhere in n.
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

// special are variables that change which programs run, or hold commands. A name
// before = may have a prefix of these.
var special = lazyregexp.New(`^(?:PATH|ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|CDPATH|FPATH|ZDOTDIR|EXECIGNORE|BASH.*|LD_.*|DYLD_.*)$`)

// sets looks at the name of a variable that is set.
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
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if p.Param != nil {
			d.sets(p.Param.Value)
		}
	case syntax.OtherParamOps:
		d.because("not every shell can read it")
	}
}

// subscript is what shells read a part of again where they expect a number or the
// name of a variable.
var subscript = lazyregexp.New("(?s)\\[.*(?:\\$|`)")

// text looks at a word for what is run although it is quoted: Bash runs $(…) in the
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
			if strings.IndexByte(p.Value, 0x85) >= 0 || strings.IndexByte(p.Value, 0xa0) >= 0 { // to the bash of macOS
				d.because("it has characters that some shells treat as spaces")
			}
			quoted = strings.ReplaceAll(p.Value, `\`, "")
		}
		if subscript().MatchString(quoted) && strings.ContainsAny(quoted, "(`") && strings.ContainsAny(quoted, "$`") {
			d.because("it has a name with brackets in which shells run commands")
		}
	}
}
