package brief

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/internal/stable"
	"redline/workspace"
)

const (
	maxPlaces   = 3    // declarations of a symbol in a brief
	maxOutlined = 200  // files that are searched for a declaration
	maxLines    = 5000 // lines with the name that are searched
)

// symbolForm matches the name of a symbol: Name, Type.Method, pkg::name, #x.
var symbolForm = lazyregexp.New(`^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*[?!]?$`)

// findSymbol returns where a symbol is declared, ordered by path and line. It outlines the
// files that have the name as a word. When ctx ends, it returns what it has found.
func (g *gatherer) findSymbol(ctx context.Context, name string) []part {
	names := parts(name)
	last := names[len(names)-1]
	found, err := g.files.Search(ctx, workspace.Query{
		Pattern: word(last), Regexp: true, Limit: maxLines,
	}, g.overlay)
	if err != nil {
		return nil
	}
	lines := map[string]map[int]bool{} // path to the lines with the name
	declared := map[string]bool{}      // paths that have a line that looks like a declaration
	var paths []string
	for _, h := range found.Hits {
		if lines[h.Path] == nil {
			lines[h.Path] = map[int]bool{}
			paths = append(paths, h.Path)
		}
		lines[h.Path][h.Line] = true
		declared[h.Path] = declared[h.Path] || declaring().MatchString(h.Text)
	}
	// If there are too many files, those that only use the name are dropped first.
	slices.SortStableFunc(paths, func(a, b string) int { return order(declared[b]) - order(declared[a]) })
	var places []part
	for _, p := range paths[:min(len(paths), maxOutlined)] {
		text, ok := g.peek(p)
		if !ok || ctx.Err() != nil {
			continue
		}
		for _, s := range qualified(g.files.Outline(p, text)) {
			if lines[p][s.Line] && declares(p, s.Name, names) && s.Kind != "heading" {
				places = append(places, part{path: p, what: s.Kind + " " + phrase.StartBytes(s.Name, 200), first: s.Line, last: s.End})
			}
		}
	}
	stable.Sort(places, byPlace)
	return places
}

// word returns a regular expression that matches a name as a word, as well as \b can. It may
// match too much; the outline decides.
func word(name string) string {
	expr := regexp.QuoteMeta(name)
	if asciiWord(name[0]) {
		expr = `\b` + expr
	}
	if asciiWord(name[len(name)-1]) {
		expr += `\b`
	}
	return expr
}

func asciiWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var declaring = lazyregexp.New(`\b(?:func|function|fn|fun|def|class|interface|struct|enum|trait|type|module|namespace|record|object|const|var|val|let)\b`)

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

// qualified puts the names of the symbols around it before each symbol's name.
func qualified(symbols []workspace.Symbol) []workspace.Symbol {
	var around []string
	for i, s := range symbols {
		around = append(around[:min(s.Depth, len(around))], s.Name)
		symbols[i].Name = strings.Join(around, ".")
	}
	return symbols
}

// declares reports whether a symbol of a file is the one with these names: the last name is its
// own, the others belong to symbols around it. One more name in front may be that of the file or
// its folder, which is how languages name packages and modules.
func declares(file, symbol string, names []string) bool {
	own := parts(symbol)
	if len(names) == len(own)+1 {
		stem, _, _ := strings.Cut(path.Base(file), ".")
		if names[0] != stem && names[0] != path.Base(path.Dir(file)) {
			return false
		}
		names = names[1:]
	}
	return len(own) >= len(names) && slices.Equal(own[len(own)-len(names):], names)
}

// parts splits a name such as Type.Method.
func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' || r == '#' })
}

// peek returns the current text of a file without adding it to the draft.
func (g *gatherer) peek(name string) (string, bool) {
	if o, ok := g.overlay[name]; ok {
		return o.Text, !o.Deleted
	}
	file, err := g.files.Read(name)
	return file.Text, err == nil && file.Exists
}
