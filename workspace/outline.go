package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// Symbol is a declaration in a file.
type Symbol struct {
	Name  string
	Kind  string // the language's own word: "func", "type", "class", "heading" …
	Line  int    // from 1
	End   int    // the last line of the declaration, from 1; a guess unless a parser found it
	Depth int    // 0 at the top, one more inside each enclosing symbol
}

// Outline returns the declarations of a file with the given name and text, in order. It
// reads Go with its parser, Markdown by its headings, and other languages by lines that
// look like declarations outside of comments and strings, which is approximate. For a file
// that does not parse it returns what could be read.
func (w *Workspace) Outline(name, text string) []Symbol {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return outlineGo(text)
	case ".md", ".markdown":
		return ended(outlineMarkdown(text), text)
	}
	return ended(outlineLines(languageOf(name), text), text)
}

// ended sets the last lines of the symbols: the last non-blank line before the next symbol
// that is not inside.
func ended(symbols []Symbol, text string) []Symbol {
	var filled []int // for each line, the last non-blank one up to it
	number, last := 0, 0
	for line := range strings.Lines(text) {
		number++
		if strings.TrimSpace(line) != "" {
			last = number
		}
		filled = append(filled, last)
	}
	next := []Symbol{} // later symbols that may end this one, the nearest last
	for i := len(symbols) - 1; i >= 0; i-- {
		s := &symbols[i]
		for len(next) > 0 && next[len(next)-1].Depth > s.Depth {
			next = next[:len(next)-1]
		}
		s.End = len(filled)
		if len(next) > 0 {
			s.End = next[len(next)-1].Line - 1
		}
		s.End = max(s.Line, filled[max(s.End, 1)-1])
		next = append(next, *s)
	}
	return symbols
}

func outlineGo(text string) []Symbol {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	var symbols []Symbol
	add := func(name, kind string, node ast.Node) {
		first, last := files.PositionFor(node.Pos(), false).Line, files.PositionFor(node.End(), false).Line
		symbols = append(symbols, Symbol{Name: name, Kind: kind, Line: first, End: max(first, last)})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil && len(decl.Recv.List) > 0 {
				add(receiver(decl.Recv.List[0].Type)+"."+decl.Name.Name, "method", decl)
			} else {
				add(decl.Name.Name, "func", decl)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, "type", spec)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.Name != "_" {
							add(name.Name, decl.Tok.String(), name)
							symbols[len(symbols)-1].End = files.PositionFor(spec.End(), false).Line
						}
					}
				}
			}
		}
	}
	return symbols
}

// receiver returns the name of a method's receiver type.
func receiver(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return receiver(expr.X)
	case *ast.ParenExpr:
		return receiver(expr.X)
	case *ast.IndexExpr:
		return receiver(expr.X)
	case *ast.IndexListExpr:
		return receiver(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return "?"
}

var heading = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)

func outlineMarkdown(text string) []Symbol {
	var symbols []Symbol
	var code fence.Reader
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if code.Next(fence.Body(line)) {
			continue
		}
		if m := heading().FindStringSubmatch(line); m != nil {
			symbols = append(symbols, Symbol{Name: m[2], Kind: "heading", Line: number, Depth: len(m[1]) - 1})
		}
	}
	return symbols
}
