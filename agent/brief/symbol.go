package brief

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace"
)

const (
	maxPlaces   = 3    // of a symbol that are shown
	maxOutlined = 200  // files that may declare a symbol
	maxLines    = 5000 // that hold its name and are looked at
)

// symbolForm is what a symbol may be called: Name, Type.Method, pkg::name, #x.
var symbolForm = lazyregexp.New(`^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*[?!]?$`)

// findSymbol returns where a symbol is declared, ordered by path and line: the
// files that hold its name as a word are outlined. It gives what it found when
// ctx ends.
func (g *gatherer) findSymbol(ctx context.Context, name string) []part {
	names := parts(name)
	last := names[len(names)-1]
	hits, _, err := g.files.Search(ctx, workspace.Query{
		Pattern: word(last), Regexp: true, Limit: maxLines,
	}, g.overlay)
	if err != nil {
		return nil
	}
	lines := map[string]map[int]bool{} // path → lines that hold the name
	declared := map[string]bool{}      // paths with a line that looks like a declaration
	var paths []string
	for _, h := range hits {
		if lines[h.Path] == nil {
			lines[h.Path] = map[int]bool{}
			paths = append(paths, h.Path)
		}
		lines[h.Path][h.Line] = true
		declared[h.Path] = declared[h.Path] || declaring().MatchString(h.Text)
	}
	// Of too many files those are dropped that only use the name.
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
	slices.SortFunc(places, byPlace)
	return places
}

// word is an expression for a name that is a word by itself, as far as that is
// worth telling: what declares it is found out later.
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

// qualified gives the symbols the names of those that they are in.
func qualified(symbols []workspace.Symbol) []workspace.Symbol {
	var around []string
	for i, s := range symbols {
		around = append(around[:min(s.Depth, len(around))], s.Name)
		symbols[i].Name = strings.Join(around, ".")
	}
	return symbols
}

// declares tells whether a symbol in the file path is the one that is meant: its
// name, inside those before it. One name more may be the file's or its folder's,
// as languages call packages and modules.
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

// parts are the names that a name is made of.
func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' || r == '#' })
}

// peek returns a file's text as it is now without making it part of the draft.
func (g *gatherer) peek(name string) (string, bool) {
	if o, ok := g.overlay[name]; ok {
		return o.Text, !o.Deleted
	}
	file, err := g.files.Read(name)
	return file.Text, err == nil && file.Exists
}
