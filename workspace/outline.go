package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// Symbol is something that a file declares.
type Symbol struct {
	Name  string
	Kind  string // as the language calls it: "func", "type", "class", "heading" …
	Line  int    // from 1
	Depth int    // 0 at the top, one more inside each enclosing symbol
}

// Outline returns what the file called name declares if it has that text, in order:
// Go by its parser, Markdown by its headings, other languages by lines that look like
// declarations (a keyword and a name), which is a help and no more. A file that
// does not parse gives what could be read of it.
func (w *Workspace) Outline(name, text string) []Symbol {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return outlineGo(text)
	case ".md", ".markdown":
		return outlineMarkdown(text)
	}
	return outlineLines(text)
}

func outlineGo(text string) []Symbol {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	var symbols []Symbol
	add := func(name, kind string, at token.Pos) {
		symbols = append(symbols, Symbol{Name: name, Kind: kind, Line: files.PositionFor(at, false).Line})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil && len(decl.Recv.List) > 0 {
				add(receiver(decl.Recv.List[0].Type)+"."+decl.Name.Name, "method", decl.Pos())
			} else {
				add(decl.Name.Name, "func", decl.Pos())
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, "type", spec.Pos())
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.Name != "_" {
							add(name.Name, decl.Tok.String(), name.Pos())
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

var heading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)

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
		if m := heading.FindStringSubmatch(line); m != nil {
			symbols = append(symbols, Symbol{Name: m[2], Kind: "heading", Line: number, Depth: len(m[1]) - 1})
		}
	}
	return symbols
}

// declaration is a line that declares something in one of many languages: some
// modifiers, a keyword, a name.
var declaration = regexp.MustCompile(`^([ \t]*)(?:(?:export|default|pub(?:\([a-z: ]+\))?|public|private|protected|internal|static|abstract|final|sealed|partial|open|override|async|unsafe|inline|data|declare|local)[ \t]+)*` +
	`(class|interface|struct|enum|trait|impl|func|fn|function|def|defp|defmodule|module|namespace|type|mod|object|protocol|extension|record|union|sub|proc)\*?[ \t]+([\p{L}_$][\p{L}\p{N}_$.:?!]*)`)

func outlineLines(text string) []Symbol {
	var symbols []Symbol
	var indents []int // of the symbols that enclose the line
	number := 0
	for line := range strings.Lines(text) {
		number++
		m := declaration.FindStringSubmatch(line[:min(len(line), maxLine)])
		if m == nil {
			continue
		}
		indent := 0
		for _, c := range m[1] {
			indent++
			if c == '\t' {
				indent += 7
			}
		}
		for len(indents) > 0 && indents[len(indents)-1] >= indent {
			indents = indents[:len(indents)-1]
		}
		symbols = append(symbols, Symbol{Name: strings.TrimRight(m[3], ":."), Kind: m[2], Line: number, Depth: len(indents)})
		indents = append(indents, indent)
	}
	return symbols
}
