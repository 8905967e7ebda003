package brief

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace"
)

// target is what a mention refers to.
type target struct {
	mention mention
	folder  string // a folder's path, "" for none
	parts   []part // a file, or declarations of a symbol
	more    int    // number of further declarations of the symbol
}

// part is a range of lines of a file.
type part struct {
	path        string
	what        string // the symbol that it declares, "" for the file
	first, last int    // lines from 1; 0: the whole file
}

// resolve finds what the mentions refer to: a file or folder with that name, else the only file
// whose path ends with the name, else a symbol. It finds secret files only by their full name,
// since only then has the user named them.
func (g *gatherer) resolve(mentions []mention) []target {
	if len(mentions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(g.ctx, g.limits.Symbols)
	defer cancel()
	var found []target
	for i, m := range mentions {
		if i == maxMentions {
			g.omit(Omission{What: fmt.Sprintf("%d more mentions", len(mentions)-i), Why: fmt.Sprintf("at most %d count", maxMentions), Asked: true})
			break
		}
		if t, ok := g.byName(m); ok {
			found = append(found, t)
			continue
		}
		t, why := g.bySearch(ctx, m)
		if why != "" {
			g.omit(Omission{What: m.written, Why: why, Asked: true})
			continue
		}
		found = append(found, t)
	}
	return found
}

// byName finds a file or folder by its path.
func (g *gatherer) byName(m mention) (target, bool) {
	clean, err := g.files.Clean(m.name)
	if err != nil {
		return target{}, false
	}
	if g.exists(clean) {
		return target{mention: m, parts: []part{{path: clean, first: m.first, last: m.last}}}, true
	}
	exists, isDir, err := g.files.Stat(clean)
	if err != nil || !exists || !isDir {
		return target{}, false
	}
	return target{mention: m, folder: clean}, true
}

// bySearch finds a file by the end of its path, or a symbol. why says why it found nothing.
func (g *gatherer) bySearch(ctx context.Context, m mention) (t target, why string) {
	if fileLike(m.name) {
		paths, left, err := g.files.List(ctx, "", "**/"+globEscape(strings.TrimPrefix(m.name, "./")), g.overlay, 5)
		switch {
		case err == nil && len(paths) == 1 && left == 0 && g.hidden(paths[0]):
			return target{}, paths[0] + " may hold secrets and is shown only if you name it in full"
		case err == nil && len(paths) == 1 && left == 0:
			return target{mention: m, parts: []part{{path: paths[0], first: m.first, last: m.last}}}, ""
		case err == nil && len(paths) > 1:
			return target{}, fmt.Sprintf("%d files are called so, among them %s", len(paths)+left, strings.Join(paths[:2], " and "))
		}
	}
	if symbolForm().MatchString(m.name) && m.first == 0 {
		places := g.findSymbol(ctx, m.name)
		if len(places) > 0 {
			shown := places[:min(len(places), maxPlaces)]
			return target{mention: m, parts: shown, more: len(places) - len(shown)}, ""
		}
	}
	if ctx.Err() != nil {
		return target{}, "it was not found in the time that there is to look for it"
	}
	return target{}, "no file or symbol is called so"
}

// fileLike reports whether a name may be the end of a file's path.
func fileLike(name string) bool {
	base := path.Base(name)
	return strings.Contains(name, "/") || strings.Contains(base, ".") || strings.EqualFold(base, "Makefile") || strings.EqualFold(base, "Dockerfile")
}

// globEscape returns a glob that matches only name.
func globEscape(name string) string {
	return strings.NewReplacer(`\`, "/", "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(name)
}

// showMentions adds the targets of the mentions, each in an equal share of the room without
// keep.
func (g *gatherer) showMentions(found []target, keep int) {
	parts := 0
	for _, t := range found {
		parts += max(1, len(t.parts))
	}
	for _, t := range found {
		if t.folder != "" {
			g.showFolder(t, max(0, g.room-keep)/parts)
			parts--
		}
		for _, p := range t.parts {
			g.showPart(t.mention, p, max(0, g.room-keep)/parts)
			parts--
		}
		if t.more > 0 {
			g.omit(Omission{What: t.mention.written, Why: fmt.Sprintf("%d more places declare it", t.more), Asked: true})
		}
	}
}

// showFolder adds the list of the files of a folder.
func (g *gatherer) showFolder(t target, room int) {
	paths, left, err := g.files.List(g.ctx, t.folder, "", g.overlay, 200)
	if err != nil {
		g.omit(Omission{What: t.mention.written, Why: err.Error(), Asked: true})
		return
	}
	for i, p := range paths {
		paths[i] = shown(p)
	}
	text, lines, whole := g.fit(strings.Join(paths, "\n"), room)
	if lines > 0 {
		g.add("mentioned: the files below "+shown(t.folder)+":", text)
	}
	if !whole || left > 0 || len(paths) == 0 {
		why := fmt.Sprintf("%d of its %d files are not listed; use list_files", len(paths)-lines+left, len(paths)+left)
		if len(paths) == 0 {
			why = "there is no file in it that is shown"
			if n, _, err := g.files.Ignored(g.ctx, t.folder); err == nil && n > 0 {
				why = "Git ignores all that is in it; name a file to have it shown"
			}
		}
		g.omit(Omission{What: t.mention.written, Why: why, Asked: true, Room: !whole})
	}
}

// showPart adds a file, or the mentioned lines of it.
func (g *gatherer) showPart(m mention, p part, room int) {
	refuse := func(why string, roomy bool) {
		g.omit(Omission{What: m.written, Why: why, Asked: true, Room: roomy})
	}
	text, exists, err := g.draft.Read(p.path)
	switch {
	case err != nil:
		refuse(err.Error(), false)
		return
	case !exists:
		refuse(p.path+" does not exist any more", false)
		return
	}
	lines := slices.Collect(strings.Lines(text))
	first, last := max(p.first, 1), len(lines)
	if p.first > 0 {
		last = min(max(p.last, p.first), len(lines))
	}
	if first > len(lines) && p.first > 0 {
		refuse(fmt.Sprintf("%s has only %d lines", p.path, len(lines)), false)
		return
	}
	body, taken, whole := g.fit(strings.Join(lines[first-1:last], ""), room)
	label := "mentioned: " + shown(p.path)
	if p.what != "" {
		label += ", " + shown(p.what)
	}
	if taken > 0 && (first > 1 || first+taken-1 < len(lines)) {
		label += fmt.Sprintf(", lines %d-%d of %d", first, first+taken-1, len(lines))
	}
	switch {
	case len(lines) == 0:
		g.add(label+" (empty)", "")
	case taken > 0:
		g.add(label+":", body)
	}
	if !whole {
		refuse(fmt.Sprintf("lines %d-%d of %s have no room; use read_file", first+taken, last, p.path), true)
	}
}

// byPlace orders places by path and line.
func byPlace(a, b part) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.first, b.first))
}

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
	slices.SortStableFunc(places, byPlace)
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

// maxMentions is how many mentions of a message count.
const maxMentions = 20

// mention is a name after an @ in the user's own words.
type mention struct {
	written     string // as written, with the @
	name        string // of a file, a folder or a symbol
	first, last int    // lines from 1; 0 for none
}

// mentionsIn returns the mentions in a text, each once, in order. An @ counts only at the start
// of a word and outside of code (backticks), so that neither an address nor an annotation is a
// mention. A name with spaces is quoted: @"a file.txt".
func mentionsIn(text string) []mention {
	var found []mention
	known := map[string]bool{}
	for _, piece := range withoutCode(text) {
		before := ' '
		for i := 0; i < len(piece); {
			r, size := utf8.DecodeRuneInString(piece[i:])
			if r == '@' && (unicode.IsSpace(before) || strings.ContainsRune("([{,;:", before)) {
				written, name := nameAt(piece[i:])
				if name != "" && !known[written] {
					known[written] = true
					found = append(found, newMention(written, name))
				}
				size = max(size, len(written))
				r = 'x' // no word begins right after a name
			}
			before = r
			i += size
		}
	}
	return found
}

// nameAt returns the mention at the start of text, and the name in it.
func nameAt(text string) (written, name string) {
	rest := text[1:]
	if strings.HasPrefix(rest, `"`) {
		quoted, _, ok := strings.Cut(rest[1:], `"`)
		if !ok || strings.ContainsAny(quoted, "\r\n") {
			return "@", ""
		}
		return text[:len(quoted)+3], quoted
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'“”‘’`<>()[]{},;|*@", r)
	})
	if end < 0 {
		end = len(rest)
	}
	name = strings.TrimRight(rest[:end], ".:!?")
	return text[:1+len(name)], name
}

// lineForm matches a name with lines: a.go:10, a.go:10-20, a.go#L10, a.go#L10-L20.
var lineForm = lazyregexp.New(`^(.+?)(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?$`)

func newMention(written, name string) mention {
	m := mention{written: written, name: name}
	if parts := lineForm().FindStringSubmatch(name); parts != nil {
		m.name = parts[1]
		m.first, _ = strconv.Atoi(parts[2])
		m.last = m.first
		if parts[3] != "" {
			m.last, _ = strconv.Atoi(parts[3])
		}
	}
	return m
}

// withoutCode returns the pieces of text outside of backticks.
func withoutCode(text string) []string {
	var pieces []string
	for text != "" {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			return append(pieces, text)
		}
		run := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		end := closing(text[start+run:], run)
		if end < 0 { // nothing closes these backticks
			pieces = append(pieces, text[:start])
			text = text[start+run:]
			continue
		}
		pieces = append(pieces, text[:start])
		text = text[start+run+end+run:]
	}
	return pieces
}

// closing returns the offset of a run of exactly n backticks in text, or -1.
func closing(text string, n int) int {
	for at := 0; ; {
		start := strings.IndexByte(text[at:], '`')
		if start < 0 {
			return -1
		}
		start += at
		run := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		if run == n {
			return start
		}
		at = start + run
	}
}
