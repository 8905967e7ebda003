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

// keywords begin a declaration in some language: a name follows.
var keywords = setOf(`class interface struct enum trait impl func fn fun function def defp defmacro defmodule module
	namespace type mod object protocol extension record union sub proc package contract library message service rpc`)

// modifiers may stand before a keyword.
var modifiers = setOf(`export default pub public private protected internal static abstract final sealed partial open
	override async unsafe inline data declare local const extern virtual suspend operator infix tailrec case companion
	implicit mutating nonisolated readonly constexpr typedef value annotation external required convenience fileprivate`)

// containers are the kinds of symbols that contain methods.
var containers = setOf(`class interface struct enum trait impl object extension record protocol namespace contract library`)

// statements are words that look like a name or a type before a parenthesis.
var statements = setOf(`if for while switch catch return function with super await new typeof do else throw import using
	lock yield delete sizeof case goto assert and or not in foreach until unless when synchronized elif elsif`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// declared is the declaration on a line.
type declared struct{ kind, name string }

// outlineLines returns the symbols of a text in a language without a parser here.
// Indentation shows the nesting.
func outlineLines(lang *language, text string) []Symbol {
	var symbols []Symbol
	var around []frame
	code := newMask(lang, text)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = code.next(line)
		if len(line) > maxLine {
			line = line[:maxLine]
		}
		body := strings.TrimLeft(line, " \t")
		if body == "" {
			continue
		}
		indent := width(line[:len(line)-len(body)])
		inside := around
		for len(inside) > 0 && inside[len(inside)-1].indent >= indent {
			inside = inside[:len(inside)-1]
		}
		d, ok := lang.declares(line, body, inside)
		if !ok {
			continue
		}
		symbols = append(symbols, Symbol{Name: d.name, Kind: d.kind, Line: number, Depth: len(inside)})
		around = append(inside, frame{declared: d, indent: indent})
	}
	return symbols
}

// frame is a symbol that may enclose the following lines.
type frame struct {
	declared
	indent int
}

// width returns the number of columns of an indentation.
func width(blanks string) int {
	n := 0
	for i := range len(blanks) {
		n++
		if blanks[i] == '\t' {
			n += 7
		}
	}
	return n
}

// byKeyword reads a declaration that consists of modifiers, a keyword and a name.
func byKeyword(body string) (d declared, rest string, ok bool) {
	for {
		word := wordAt(body)
		if word == "" {
			return declared{}, "", false
		}
		after := body[len(word):]
		if keywords[word] {
			after = strings.TrimPrefix(after, "*")
			name := strings.TrimLeft(after, " \t")
			if len(name) == len(after) {
				return declared{}, "", false
			}
			n := nameLength(name)
			d = declared{word, strings.TrimRight(name[:n], ":.")}
			return d, name[n:], d.name != ""
		}
		if !modifiers[word] {
			return declared{}, "", false
		}
		if inner, found := strings.CutPrefix(after, "("); found && word == "pub" {
			if _, after, found = strings.Cut(inner, ")"); !found {
				return declared{}, "", false
			}
		}
		body = strings.TrimLeft(after, " \t")
	}
}

// wordAt returns the ASCII letters at the start of text, unless the name continues after
// them.
func wordAt(text string) string {
	n := 0
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z') {
		n++
	}
	if n < len(text) && (text[n] == '_' || text[n] == '$' || text[n] >= '0' && text[n] <= '9' || text[n] >= 0x80) {
		return ""
	}
	return text[:n]
}

// nameLength returns the length in bytes of the name at the start of text, which may have
// several parts (self.run, std::vec, valid?).
func nameLength(text string) int {
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '$', r >= 0x80:
		case i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune(".:?!", r)):
		default:
			return i
		}
	}
	return len(text)
}

// mask blanks out comments and strings of several lines. A start without an end does not
// count.
type mask struct {
	lang   *language
	until  string         // the end of the block that the next line begins in; "" outside of blocks
	ends   map[string]int // for each block end, the last line that contains it, from 1
	number int            // of the last line
}

func newMask(lang *language, text string) *mask {
	m := &mask{lang: lang, ends: map[string]int{}}
	for _, b := range lang.blocks {
		if last := strings.LastIndex(text, b[1]); last >= 0 {
			m.ends[b[1]] = strings.Count(text[:last], "\n") + 1
		}
	}
	return m
}

// next returns the code of the next line, without its end.
func (m *mask) next(line string) string {
	m.number++
	line = strings.TrimRight(line, "\r\n")
	if m.until == "" && !strings.ContainsAny(line, m.lang.special()) {
		return line
	}
	code := []byte(line)
	for i := 0; i < len(line); {
		n, blank := m.step(line[i:])
		if blank {
			for j := i; j < i+n; j++ {
				code[j] = ' '
			}
		}
		i += n
	}
	return strings.TrimRight(string(code), " \t")
}

// step returns the number of bytes at the start of rest that belong together, and whether
// to blank them out.
func (m *mask) step(rest string) (n int, blank bool) {
	if m.until != "" {
		end := strings.Index(rest, m.until)
		if end < 0 {
			return len(rest), true
		}
		n, m.until = end+len(m.until), ""
		return n, true
	}
	for _, c := range m.lang.comments {
		if strings.HasPrefix(rest, c) {
			return len(rest), true
		}
	}
	for _, b := range m.lang.blocks {
		if !strings.HasPrefix(rest, b[0]) {
			continue
		}
		if end := strings.Index(rest[len(b[0]):], b[1]); end >= 0 {
			return len(b[0]) + end + len(b[1]), true
		}
		if m.ends[b[1]] > m.number {
			m.until = b[1]
			return len(rest), true
		}
	}
	if strings.IndexByte(m.lang.quotes, rest[0]) >= 0 {
		if end := textEnd(rest); end > 0 {
			return end, false
		}
	}
	return 1, false
}

// maxQuoted is how far to look for the end of a quoted string, in bytes: a line may be a
// megabyte of quotes.
const maxQuoted = 4096

// textEnd returns the index of the end of the quoted string at the start of rest, or 0 if
// it does not end on its line, like an apostrophe.
func textEnd(rest string) int {
	for i := 1; i < min(len(rest), maxQuoted); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return i + 1
		}
	}
	return 0
}
