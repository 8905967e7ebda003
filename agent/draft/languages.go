package draft

import (
	"encoding/xml"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// parseGo parses a Go file. It leaves what depends on the version of Go to the compiler.
func parseGo(text string) problem {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok {
		return problem{}
	}
	for _, e := range list {
		if !strings.Contains(e.Msg, "must have no type parameters") {
			// A line directive changes e.Pos.Line, but not the offset.
			return wrong(edits.LineOf(text, min(e.Pos.Offset, len(text)))+1, e.Msg)
		}
	}
	return problem{}
}

// jsonExtensions are the extensions of JSON files, besides .json. JSON5 and JSON Lines are other
// languages.
var jsonExtensions = set(".json", ".jsonc", ".geojson", ".topojson", ".webmanifest", ".ipynb", ".har", ".code-workspace", ".code-snippets", ".avsc")

// jsonNames are the names of JSON files without such an extension.
var jsonNames = set("composer.lock", "pipfile.lock", "flake.lock", ".swcrc", ".jshintrc", ".arcconfig")

func isJSON(name, ext string) bool { return jsonExtensions[ext] || jsonNames[name] }

// jsonLanguage returns how to check a JSON file: comments and trailing commas are valid in files
// known to allow them, and in one that had them before.
func jsonLanguage(file, before string) language {
	if takesComments(strings.ToLower(file)) || !blank(before) && contained(parseStrictJSON, before).found {
		return language{parseJSON, isTemplate}
	}
	return language{parseStrictJSON, isTemplate}
}

// takesComments reports whether the programs that read a file, whose name is in lower case,
// accept comments in it.
func takesComments(file string) bool {
	dir, name := path.Split(file)
	switch path.Ext(name) {
	case ".jsonc", ".code-workspace", ".code-snippets":
		return true
	}
	if commentNames[name] {
		return true
	}
	for _, prefix := range []string{"tsconfig", "jsconfig", "appsettings", "tslint", "api-extractor"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for folder := range strings.SplitSeq(dir, "/") {
		switch folder {
		case ".vscode", ".devcontainer", ".zed", "rush":
			return true
		}
	}
	return strings.HasSuffix(name, "-color-theme.json") || strings.HasSuffix(name, "language-configuration.json")
}

// commentNames are JSON files in which their programs accept comments.
var commentNames = set(".eslintrc.json", "devcontainer.json", ".devcontainer.json", ".swcrc", ".jshintrc", "biome.json",
	"deno.json", "turbo.json", "nx.json", "project.json", "angular.json", "rush.json", "pyrightconfig.json", "cspell.json", ".cspell.json", "typedoc.json",
	"global.json", "launchsettings.json", "local.settings.json", "host.json", ".luarc.json", ".markdownlint.json", ".stylelintrc.json", "babel.config.json", ".babelrc.json",
	"wrangler.json", "renovate.json", "omnisharp.json", "tsdoc-metadata.json")

// parseStrictJSON parses JSON without comments and trailing commas. It accepts two members of
// one name, and halves of surrogate pairs, since only the program that reads the file can judge
// them.
func parseStrictJSON(text string) problem {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := d.SkipValue()
	if err == nil {
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return problem{}
		} else if err == nil {
			return wrong(lineAt(text, int(d.InputOffset())), "there is more after the end of the value")
		}
	}
	e, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return wrong(lineAt(text, len(text)), endsEarly)
	}
	at := min(int(e.ByteOffset), len(text))
	rest := text[at:]
	relaxed := parseJSON(text)
	switch {
	case relaxed.found:
		return relaxed
	case strings.HasPrefix(rest, "/"):
		return wrong(lineAt(text, at), "a comment, which JSON does not have")
	default:
		return wrong(lineAt(text, at), "a trailing comma, which JSON does not have")
	}
}

const endsEarly = "the text ends early"

// lineAt returns the line, from 1, of a byte of a text.
func lineAt(text string, offset int) int { return edits.LineOf(text, min(offset, len(text))) + 1 }

// maxBrackets is how many brackets may open in a JSON file with comments. Its parser is
// recursive, and a stack overflow would end the process.
const maxBrackets = 50_000

// parseJSON parses JSON with comments and trailing commas.
func parseJSON(text string) problem {
	if strings.Count(text, "{")+strings.Count(text, "[") > maxBrackets {
		return unknown
	}
	_, err := hujson.Parse([]byte(text + "\n")) // a comment in the last line needs the line end
	if err == nil {
		return problem{}
	}
	place, message, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: line "), ": ")
	number, _, _ := strings.Cut(place, ",")
	line, convErr := strconv.Atoi(number)
	if convErr != nil {
		return wrong(0, err.Error())
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return wrong(lineAt(text, len(text)), endsEarly)
	}
	return wrong(line, message)
}

// Limits of a TOML file. The parser compares each key with the others of its table, so it takes
// time by the square of their number: at these limits up to a second.
const (
	maxTables = 5_000  // lines that begin with a bracket
	maxKeys   = 15_000 // equals signs
)

// parseTOML parses a TOML file of version 1.0 or 1.1.
func parseTOML(text string) problem {
	if strings.Count(text, "=") > maxKeys || tables(text) > maxTables {
		return unknown
	}
	var into map[string]any
	err := toml.Unmarshal([]byte(text), &into)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return wrong(line, strings.TrimPrefix(e.Error(), "toml: "))
	} else if err != nil {
		return wrong(0, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return problem{}
}

// tables returns how many lines may begin a table.
func tables(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "[") {
			n++
		}
	}
	return n
}

// The declaration <?xml version="1.0"?>, and a reference to an entity: &nbsp;.
var (
	xmlDeclaration = lazyregexp.New(`^\s*<\?xml\s[^>]*\?>`)
	entity         = lazyregexp.New(`&[\pL_:][\pL\d_:.-]*;`)
)

// parseXML parses an XML file: tags must match. Entities are right if the file names a document
// type, which may declare them; the version and the encoding that it declares do not count, since
// the text was read already.
func parseXML(text string) problem {
	text = xmlDeclaration().ReplaceAllStringFunc(text, blanked)
	if strings.Contains(text, "<!DOCTYPE") {
		text = entity().ReplaceAllStringFunc(text, blanked)
	}
	d := xml.NewDecoder(strings.NewReader(strings.ToValidUTF8(text, "?")))
	var open []element
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, element{token.Name.Local, line})
		case xml.EndElement:
			open = open[:max(len(open)-1, 0)]
		}
		if errors.Is(err, io.EOF) {
			return problem{}
		}
		if e, ok := errors.AsType[*xml.SyntaxError](err); ok {
			if e.Msg == "unexpected EOF" && len(open) > 0 {
				last := open[len(open)-1]
				return wrong(e.Line, fmt.Sprintf("the text ends before </%s>, the end of the element of line %d", last.name, last.line))
			}
			return wrong(e.Line, e.Msg)
		} else if err != nil {
			return unknown
		}
	}
}

// element is an element that is not closed yet.
type element struct {
	name string
	line int // of its start, from 1
}

// blanked replaces each byte of a text with a space, except for line ends.
func blanked(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, text)
}

// parseYAML parses all documents of a YAML file. It reads nodes, so that it does not judge tags
// and duplicate keys, which the program that reads the file may accept, and does not expand
// aliases.
func parseYAML(text string) problem {
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err != nil {
		return unknown
	}
	for {
		var node yaml.Node
		err := loader.Load(&node)
		if errors.Is(err, io.EOF) {
			return problem{}
		}
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			return yamlProblem(e)
		} else if err != nil {
			return unknown
		}
	}
}

func yamlProblem(e *yaml.LoadError) problem {
	message := e.Message
	if strings.HasPrefix(message, "exceeded max depth") {
		return unknown
	}
	if e.ContextMsg != "" {
		message += " " + e.ContextMsg
		if from := e.ContextMark.Line; from > 0 && from != e.Mark.Line {
			message += " that begins in line " + strconv.Itoa(from)
		}
	}
	return wrong(e.Mark.Line, message)
}
