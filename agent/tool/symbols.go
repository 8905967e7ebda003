package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"redline/internal/phrase"
	"redline/workspace"
)

// maxServerWait is how long a call waits for a language server, which may have to load the project
// first.
const maxServerWait = 45 * time.Second

// symbolParams are the arguments that name a symbol.
func symbolParams(more ...param) params {
	return append(params{
		pathParam,
		{name: "symbol", kind: stringKind, required: true, also: []string{"name", "symbol_name", "identifier", "old_name"}},
		{name: "line", kind: integerKind, also: []string{"line_number", "start_line"}, about: "A line with it."},
	}, more...)
}

var references = define(Tool{
	Name:     "references",
	language: true,
	params:   symbolParams(),
	run: func(ctx context.Context, env *Env, c call) Result {
		return located(ctx, env, c, "uses of", func(ctx context.Context, texts workspace.Overlay, at Place) ([]Location, error) {
			return env.Languages.References(ctx, texts, at)
		})
	},
})

var definition = define(Tool{
	Name:     "definition",
	language: true,
	params:   symbolParams(),
	run: func(ctx context.Context, env *Env, c call) Result {
		return located(ctx, env, c, "the definition of", func(ctx context.Context, texts workspace.Overlay, at Place) ([]Location, error) {
			return env.Languages.Definition(ctx, texts, at)
		})
	},
})

// located answers a call with places that a language server finds for its symbol. which says what
// these are.
func located(ctx context.Context, env *Env, c call, which string, find func(context.Context, workspace.Overlay, Place) ([]Location, error)) Result {
	ctx, cancel := context.WithTimeout(ctx, maxServerWait)
	defer cancel()
	what := strings.TrimSpace(c.tool + " " + spaced(phrase.ClipBytes(c.text("symbol"), 60)) + " in " + shown(phrase.ClipBytes(c.text("path"), 200)))
	at, err := symbolPlace(ctx, env, c)
	if err != nil {
		return failure(what, err)
	}
	found, err := find(ctx, env.Draft.Overlay(), at)
	if err != nil {
		return failure(what, unanswered(ctx, err))
	}
	hits, hidden := env.hitsOf(found)
	r := Result{Summary: what + ": " + phrase.Count(len(hits), "line")}
	if len(hits) == 0 {
		r.Text = fmt.Sprintf("the language server knows no %s this", which)
	} else {
		r.Text = hitRows(workspace.Matches{Hits: hits, Files: filesOf(hits), Lines: len(hits)}, maxListing, "there is no room to show them")
	}
	if hidden > 0 {
		r.Text += fmt.Sprintf("\n… %s in files that are not shown", phrase.Count(hidden, "more line"))
	}
	return r
}

// unanswered explains to a model why a language server did not answer.
func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("the language server did not answer in time; use search, or try again later")
	}
	return fmt.Errorf("%w; use search instead", err)
}

// hitsOf returns the lines of locations, each once, ordered by path and line, as far as they may be
// shown, and how many others there are.
func (env *Env) hitsOf(found []Location) (hits []workspace.Hit, hidden int) {
	texts := map[string][]string{}
	lineOf := func(l Location) string {
		if l.Text != "" || l.Outside {
			return spaced(strings.TrimRight(l.Text, "\r\n"))
		}
		all, known := texts[l.Path]
		if !known {
			text, _, err := env.Draft.Read(l.Path)
			if err == nil {
				all = strings.Split(text, "\n")
			}
			texts[l.Path] = all
		}
		if l.Line < 0 || l.Line >= len(all) {
			return ""
		}
		return strings.TrimSuffix(all[l.Line], "\r")
	}
	for _, l := range found {
		if !l.Outside && env.keeps(l.Path) != nil {
			hidden++
			continue
		}
		hits = append(hits, workspace.Hit{Path: l.Path, Line: l.Line + 1, Text: phrase.ClipBytes(lineOf(l), 400)})
	}
	slices.SortStableFunc(hits, func(a, b workspace.Hit) int {
		if by := strings.Compare(a.Path, b.Path); by != 0 {
			return by
		}
		return a.Line - b.Line
	})
	return slices.CompactFunc(hits, func(a, b workspace.Hit) bool { return a.Path == b.Path && a.Line == b.Line }), hidden
}

// keeps returns why a tool must not show or change a file that a language server names, nil if it
// may.
func (env *Env) keeps(path string) error {
	clean, err := env.Workspace.Clean(path)
	if err == nil && clean != path {
		err = fmt.Errorf("%s is not a path of the workspace", shown(phrase.ClipBytes(path, 200)))
	}
	if err == nil {
		err = env.Workspace.OffLimits(path)
	}
	if err == nil {
		err = secret(env, path)
	}
	return err
}

// filesOf counts the hits of each file.
func filesOf(hits []workspace.Hit) (files []workspace.FileMatches) {
	for _, h := range hits {
		if n := len(files); n > 0 && files[n-1].Path == h.Path {
			files[n-1].Lines++
		} else {
			files = append(files, workspace.FileMatches{Path: h.Path, Lines: 1})
		}
	}
	return files
}

// maxTold is how many occurrences of a name the language server is asked about, to find out whether
// they mean the same.
const maxTold = 20

// symbolPlace returns the place of the symbol that a call names: of the only occurrence of its name
// on the line or in the file, of its declaration if the file has one, or of any if all mean the same.
// The error tells the model what there is.
func symbolPlace(ctx context.Context, env *Env, c call) (Place, error) {
	path, index, err := opened(env, c.text("path"))
	if err != nil {
		return Place{}, err
	}
	if env.Languages == nil || !env.Languages.Answers(path) {
		return Place{}, fmt.Errorf("no language server answers for %s; use search instead", shown(path))
	}
	name := lastName(c.text("symbol"))
	if name == "" {
		return Place{}, errors.New(`the argument "symbol" must be a name`)
	}
	all := occurrences(index.Text(), path, name)
	if len(all) == 0 {
		return Place{}, fmt.Errorf("%s has no symbol %s; search finds the files that have it", shown(path), name)
	}
	some := all
	if c.has("line") {
		if some = onLine(all, c.int("line")-1); len(some) == 0 {
			return Place{}, fmt.Errorf("line %d of %s does not have %s; it is on %s", c.int("line"), shown(path), name, lineNumbers(all))
		}
	} else if declared := env.declared(path, index.Text(), c.text("symbol"), all); len(declared) == 1 {
		return declared[0], nil
	}
	lines := strings.Split(index.Text(), "\n")
	some = written(some, lines, c.text("symbol"), name)
	if len(some) == 1 {
		return some[0], nil
	}
	if at, ok := env.same(ctx, some); ok {
		return at, nil
	}
	var rows []string
	for _, at := range slices.CompactFunc(slices.Clone(some), func(a, b Place) bool { return a.Line == b.Line }) {
		rows = append(rows, fmt.Sprintf("%d: %s", at.Line+1, phrase.ClipBytes(spaced(strings.TrimSuffix(lines[at.Line], "\r")), 200)))
	}
	if len(rows) == 1 {
		return Place{}, fmt.Errorf("line %d of %s has several symbols called %s; give a line that has one only, or as symbol more of the line, such as %s(", some[0].Line+1, shown(path), name, name)
	}
	return Place{}, fmt.Errorf("%s has %s on several lines, which do not all mean the same; give one of them as line:\n%s", shown(path), name, within(4000, rows, 0, " lines"))
}

// written returns those occurrences of a name that have all of a symbol as a model writes it, such as
// "Total(" or "basket.Total"; all if none has.
func written(all []Place, lines []string, symbol, name string) []Place {
	symbol = strings.TrimSuffix(strings.TrimSpace(symbol), ")")
	lead := strings.LastIndex(symbol, name)
	if symbol == name || lead < 0 {
		return all
	}
	var some []Place
	for _, at := range all {
		if from := at.Column - lead; from >= 0 && strings.HasPrefix(lines[at.Line][from:], symbol) {
			some = append(some, at)
		}
	}
	if len(some) == 0 {
		return all
	}
	return some
}

// declared returns those occurrences of a symbol's name that the file's outline names as its
// declaration.
func (env *Env) declared(path, text, symbol string, all []Place) (declared []Place) {
	name := lastName(symbol)
	qualified := strings.Trim(strings.NewReplacer("::", ".", "(", "", ")", "", "*", "", "#", ".").Replace(symbol), ". ")
	for _, s := range env.Workspace.Outline(path, text) {
		if lastName(s.Name) != name || qualified != name && !strings.HasSuffix("."+strings.NewReplacer("(", "", ")", "", "*", "").Replace(s.Name), "."+qualified) {
			continue
		}
		declared = append(declared, onLine(all, s.Line-1)...)
	}
	return declared
}

// same returns the first of some occurrences of a name if all that are symbols have one definition.
// Those in comments and texts have none.
func (env *Env) same(ctx context.Context, some []Place) (Place, bool) {
	if len(some) > maxTold {
		return Place{}, false
	}
	texts := env.Draft.Overlay()
	var first *Place
	var defined []Location
	for i := range some {
		found, err := env.Languages.Definition(ctx, texts, some[i])
		switch {
		case ctx.Err() != nil:
			return Place{}, false
		case err != nil || len(found) == 0:
			continue
		case first == nil:
			first, defined = &some[i], found
		case !slices.EqualFunc(defined, found, func(a, b Location) bool { return a.Place == b.Place }):
			return Place{}, false
		}
	}
	if first == nil {
		return Place{}, false
	}
	return *first, true
}

// lastName returns the name at the end of a symbol as models write it: Total of "Basket.Total",
// "(*Basket).Total", "Basket::Total" and "Total()".
func lastName(symbol string) string {
	symbol = strings.TrimSpace(symbol)
	if i := strings.IndexByte(symbol, '('); i > 0 {
		symbol = symbol[:i]
	}
	symbol = strings.TrimRightFunc(symbol, func(r rune) bool { return !inName(r) })
	return symbol[strings.LastIndexFunc(symbol, func(r rune) bool { return !inName(r) })+1:]
}

// inName reports whether a character can be in a name, in most languages.
func inName(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isName reports whether a text can be a name, in most languages.
func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && !unicode.IsDigit(first) && strings.IndexFunc(text, func(r rune) bool { return !inName(r) }) < 0
}

// occurrences returns the places of a name in a text, as a whole word.
func occurrences(text, path, name string) (all []Place) {
	line := 0
	for row := range strings.Lines(text) {
		for at := 0; ; {
			i := strings.Index(row[at:], name)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(name)
			before, _ := utf8.DecodeLastRuneInString(row[:start])
			after, _ := utf8.DecodeRuneInString(row[end:])
			if (start == 0 || !inName(before)) && (end == len(row) || !inName(after)) {
				all = append(all, Place{Path: path, Line: line, Column: start})
			}
			at = end
		}
		line++
	}
	return all
}

func onLine(all []Place, line int) (some []Place) {
	for _, at := range all {
		if at.Line == line {
			some = append(some, at)
		}
	}
	return some
}

// lineNumbers lists the lines of places, counted from 1: "lines 3, 7 and 9".
func lineNumbers(all []Place) string {
	var lines []string
	for _, at := range all {
		if n := fmt.Sprint(at.Line + 1); !slices.Contains(lines, n) {
			lines = append(lines, n)
		}
	}
	noun := "lines "
	if len(lines) == 1 {
		noun = "line "
	}
	return noun + phrase.And(phrase.FirstOf(lines, 20, "line"))
}
