package wordstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// inGo returns the string literals of a Go file. Literals that are concatenated are one text.
// It leaves out imports, tags, and the arguments of the functions in unread.
func inGo(name string, source []byte) ([]Text, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	w := &goWalk{file: name}
	for _, d := range file.Decls {
		w.walk(d, "")
	}
	return w.found, nil
}

// unread are the functions whose arguments no user reads: the log, regular expressions,
// broken promises of the program, SQL.
var unread = regexp.MustCompile(`^((\w+\.)*(log|Log|logger|slog)\.(Debug|Info|Warn|Error)\w*|(regexp|lazyregexp)\.\w+|panic|(\w+\.)*(Exec|ExecContext|Query|QueryContext|QueryRow|QueryRowContext|Prepare|PrepareContext)|strings\.(Contains\w*|HasPrefix|HasSuffix|Index\w*|Cut\w*|Trim\w*|Split\w*|Count|EqualFold))$`)

type goWalk struct {
	file  string
	found []Text
}

// walk collects the texts below n; kind says what a text directly in n is given to.
func (w *goWalk) walk(n ast.Node, kind string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return n.Tag == nil
		case *ast.BasicLit:
			w.add(n, kind)
		case *ast.BinaryExpr:
			if n.Op == token.ADD && hasLiteral(n) {
				w.sum(n, kind)
				return false
			}
			if n.Op == token.EQL || n.Op == token.NEQ {
				return false
			}
		case *ast.CallExpr:
			called := exprName(n.Fun)
			if !unread.MatchString(called) {
				w.walk(n.Fun, kind)
				for _, arg := range n.Args {
					w.walk(arg, lastName(called))
				}
			}
			return false
		case *ast.KeyValueExpr:
			w.walk(n.Key, kind)
			if key, ok := n.Key.(*ast.Ident); ok {
				w.walk(n.Value, key.Name)
			} else {
				w.walk(n.Value, kind)
			}
			return false
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				w.walk(result, "return")
			}
			return false
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				w.walk(value, lastName(exprName(n.Lhs[min(i, len(n.Lhs)-1)])))
			}
			return false
		case *ast.ValueSpec:
			for i, value := range n.Values {
				w.walk(value, n.Names[min(i, len(n.Names)-1)].Name)
			}
			return false
		case *ast.CaseClause:
			for _, s := range n.Body { // the values of a case are compared, not shown
				w.walk(s, kind)
			}
			return false
		}
		return true
	})
}

func (w *goWalk) add(lit *ast.BasicLit, kind string) {
	if lit.Kind != token.STRING {
		return
	}
	if text, err := strconv.Unquote(lit.Value); err == nil {
		w.found = append(w.found, Text{w.file, orText(kind), text})
	}
}

// sum adds the text of a sum of strings, and the texts within the parts that are computed.
func (w *goWalk) sum(n ast.Expr, kind string) {
	var b strings.Builder
	var part func(e ast.Expr)
	part = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.BinaryExpr:
			if e.Op == token.ADD {
				part(e.X)
				part(e.Y)
				return
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
				b.WriteString(text)
				return
			}
		}
		b.WriteString("…")
		w.walk(e, kind)
	}
	part(n)
	w.found = append(w.found, Text{w.file, orText(kind), b.String()})
}

func hasLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (hasLiteral(e.X) || hasLiteral(e.Y))
	case *ast.BasicLit:
		return e.Kind == token.STRING
	}
	return false
}

func orText(kind string) string {
	if kind == "" {
		return "text"
	}
	return kind
}

// exprName returns the name of a function or variable: "fmt.Errorf", "s.log.Warn".
func exprName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if before := exprName(e.X); before != "" {
			return before + "." + e.Sel.Name
		}
		return e.Sel.Name
	case *ast.IndexExpr:
		return exprName(e.X)
	case *ast.StarExpr:
		return exprName(e.X)
	}
	return ""
}

func lastName(name string) string { return name[strings.LastIndex(name, ".")+1:] }
