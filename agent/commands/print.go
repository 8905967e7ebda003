package commands

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// readAlike reports whether the parsed line, printed again, equals the line up to spaces. It
// compares tokens; [scan] reads those of the line, independently of the parser. So whatever
// the parser omits, joins or splits differently from shells makes a difference.
func readAlike(line string, file *syntax.File) bool {
	tokens, ok := scan(line)
	p := &printer{}
	p.list(file.Stmts)
	return ok && !p.other && len(file.Last) == 0 && slices.Equal(tokens, p.tokens)
}

// printer prints the part of the grammar that rules can allow.
type printer struct {
	tokens []token
	other  bool // the line has syntax that rules cannot allow
}

func (p *printer) add(t token) { p.tokens = append(p.tokens, t) }

func (p *printer) list(stmts []*syntax.Stmt) {
	for i, s := range stmts {
		p.stmt(s)
		switch {
		case s.Semicolon.IsValid():
			p.add(operator(";"))
		case i < len(stmts)-1:
			p.add(operator("\n"))
		}
	}
}

func (p *printer) stmt(s *syntax.Stmt) {
	if !plain(s) || s.Disown || len(s.Comments) > 0 {
		p.other = true
		return
	}
	if s.Negated {
		p.add(operator("!"))
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		p.stmt(c.X)
		p.add(operator(c.Op.String()))
		p.stmt(c.Y)
		p.other = p.other || len(s.Redirs) > 0 || c.X.Semicolon.IsValid() || c.Y.Semicolon.IsValid()
	case *syntax.CallExpr:
		p.call(c, s.Redirs)
	default:
		p.other = true
	}
}

// call prints a simple command, with its redirections in their places.
func (p *printer) call(c *syntax.CallExpr, redirections []*syntax.Redirect) {
	if len(c.Assigns) > 0 {
		p.other = true
	}
	words := c.Args
	for len(words)+len(redirections) > 0 {
		if len(words) == 0 || len(redirections) > 0 && words[0].Pos().After(redirections[0].Pos()) {
			r := redirections[0]
			redirections = redirections[1:]
			n := ""
			if r.N != nil {
				n = r.N.Value
			}
			p.add(operator(redirectionText(n, r.Op.String(), r.Word.Lit())))
			continue
		}
		text, why := literal(words[0])
		p.other = p.other || why != ""
		p.add(token{word: true, text: text})
		words = words[1:]
	}
}
