package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"redline/internal/lazyregexp"
)

// Symbol is something that a file declares.
type Symbol struct {
	Name  string
	Kind  string // as the language calls it: "func", "type", "class", "heading" …
	Line  int    // from 1
	End   int    // the last line that belongs to it, from 1; a guess unless a parser says
	Depth int    // 0 at the top, one more inside each enclosing symbol
}

// Outline returns what the file called name declares if it has that text, in order:
// Go by its parser, Markdown by its headings, other languages by lines that look like
// declarations, outside of comments and texts, which is a help and no more. A file
// that does not parse gives what could be read of it.
func (w *Workspace) Outline(name, text string) []Symbol {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return outlineGo(text)
	case ".md", ".markdown":
		return ended(outlineMarkdown(text), text)
	}
	return ended(outlineLines(languageOf(name), text), text)
}

// ended gives the symbols their last lines: the one before the next symbol that
// is not inside, without blank ones.
func ended(symbols []Symbol, text string) []Symbol {
	var filled []int // for each line, the last one up to it that is not blank
	number, last := 0, 0
	for line := range strings.Lines(text) {
		number++
		if strings.TrimSpace(line) != "" {
			last = number
		}
		filled = append(filled, last)
	}
	next := []Symbol{} // those after the one looked at that may end it, the nearest last
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

// receiver returns the name of the type that a method belongs to.
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
	fence := ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		inner := strings.TrimLeft(line, " ")
		if fence != "" {
			if strings.HasPrefix(inner, fence) && strings.Trim(inner, fence[:1]+" \t") == "" {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(inner, "```") || strings.HasPrefix(inner, "~~~") {
			fence = inner[:len(inner)-len(strings.TrimLeft(inner, inner[:1]))]
			continue
		}
		if m := heading().FindStringSubmatch(line); m != nil {
			symbols = append(symbols, Symbol{Name: m[2], Kind: "heading", Line: number, Depth: len(m[1]) - 1})
		}
	}
	return symbols
}
