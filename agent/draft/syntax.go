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
	"redline/internal/phrase"
)

// Limits of what is checked and reported, in bytes.
const (
	maxText    = 1 << 20 // longer texts are not checked
	maxProblem = 200     // of a problem
)

// language is a kind of file that can be checked.
type language struct {
	// parse returns the first problem of a text, the zero problem if it parses. A problem
	// without a message means that the text cannot be judged.
	parse func(text string) problem

	// template reports whether a text that does not parse may be the template of one that does.
	template func(text string) bool
}

// problem says why a text does not parse.
type problem struct {
	found   bool
	line    int    // from 1; 0 if it is not known
	message string // without the line; "" if it is not known whether the text is wrong
}

// wrong returns a problem.
func wrong(line int, message string) problem {
	return problem{found: true, line: line, message: message}
}

// unknown is the result for a text that cannot be judged: for instance, it is too deeply nested.
var unknown = problem{found: true}

// Check returns why the text after does not parse, in one line without the file's name ("line 12:
// expected ';', found 'else'"), or "" if it parses or that is not known. The kind of file follows
// from path, the file's path after the edit, with slashes. before is the text that the edit began
// with, "" for a new file: after an edit of a text that did not parse, Check returns "".
//
// Check knows Go, JSON, TOML, XML and YAML. It says nothing where it cannot be sure, as in a template.
// It limits the input of the parsers, since a text can be hostile.
func Check(path, before, after string) string {
	if len(before) > maxText || len(after) > maxText || before == after || blank(before) && blank(after) {
		return ""
	}
	before, _ = edits.CutBOM(before)
	after, _ = edits.CutBOM(after)
	lang, ok := languageOf(path, before, after)
	if !ok {
		return ""
	}
	now := contained(lang.parse, after)
	if now.message == "" || lang.template(after) {
		return ""
	}
	if blank(before) {
		if deliberate(path) {
			return ""
		}
	} else if contained(lang.parse, before).found {
		return ""
	}
	return now.String()
}

// contained returns parse(text), and unknown if the parser panics, since then the parser is
// probably wrong.
func contained(parse func(string) problem, text string) (p problem) {
	defer func() {
		if recover() != nil {
			p = unknown
		}
	}()
	return parse(text)
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// String returns the problem in one line.
func (p problem) String() string {
	text := phrase.ClipBytes(edits.Visible(phrase.OneLine(strings.ToValidUTF8(p.message, "\ufffd"))), maxProblem)
	if p.line > 0 {
		text = "line " + strconv.Itoa(p.line) + ": " + text
	}
	return text
}

// languageOf returns how to check a file, by its path and, where a name has several uses, by its
// texts.
func languageOf(file, before, after string) (language, bool) {
	name := strings.ToLower(path.Base(file))
	switch ext := path.Ext(name); {
	case ext == ".go":
		return language{parseGo, isGoTemplate}, true
	case isJSON(name, ext):
		return jsonLanguage(file, before), true
	case ext == ".toml", tomlNames[name]:
		return language{parseTOML, isTemplate}, true
	case ext == ".yaml", ext == ".yml":
		return language{parseYAML, isYAMLTemplate}, true
	case xmlExtensions[ext], maybeXMLExtensions[ext] && (looksLikeXML(before) || blank(before) && looksLikeXML(after)):
		return language{parseXML, isTemplate}, true
	}
	return language{}, false
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// tomlNames are the files without the extension .toml that are TOML.
var tomlNames = set("cargo.lock", "poetry.lock", "uv.lock", "pipfile", "gopkg.lock")

// xmlExtensions are the extensions of files that are always XML. HTML is not among them.
var xmlExtensions = set(".xml", ".xsd", ".xsl", ".xslt", ".svg", ".csproj", ".vbproj", ".fsproj", ".vcxproj", ".wsdl",
	".nuspec", ".resx", ".xaml", ".axaml", ".storyboard", ".xib", ".xliff", ".slnx", ".pom", ".rng")

// maybeXMLExtensions are the extensions of files that are often XML.
var maybeXMLExtensions = set(".plist", ".props", ".targets", ".config", ".rss", ".atom", ".kml", ".gpx", ".xlf", ".ui", ".qrc", ".proj", ".manifest", ".runsettings")

// looksLikeXML reports whether a text begins as XML does.
func looksLikeXML(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "<")
}

// deliberate reports whether a new file may be wrong on purpose, as test inputs often are. One
// that parsed before should still parse.
func deliberate(file string) bool {
	dir, base := path.Split(strings.ToLower(file))
	for folder := range strings.SplitSeq(dir, "/") {
		if dataFolders[folder] {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(base, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if wrongNames[word] {
			return true
		}
	}
	return false
}

// dataFolders are folders with the data of tests.
var dataFolders = set("testdata", "test-data", "test_data", "fixtures", "fixture", "__fixtures__", "corpus")

// wrongNames are words in the names of files that are meant to be wrong.
var wrongNames = set("invalid", "broken", "malformed", "corrupt", "corrupted", "bad", "truncated", "unparsable", "unparseable")

// Templates are files that become Go, JSON and so on once a program has filled them in. Most have
// extensions of their own and are not checked; others are known by their marks, outside of quoted
// strings: there a mark is an ordinary text.

var (
	quoted = lazyregexp.New(`"(?:[^"\\\n]|\\[^\n])*"`)

	// marks are those of Jinja, Helm, Handlebars, ERB and the like, PHP, and sed (@NAME@).
	marks = lazyregexp.New(`\{\{[^{}"\n]*\}\}|\{%[^\n]*%\}|<%|<\?(?:php|=)|@[A-Z][A-Z0-9_]*@|\$\{[A-Za-z_][\w.]*\}|\{\{#|\{\{/`)

	// goMarks are those of text/template. A composite literal cannot contain any of them.
	goMarks = lazyregexp.New(`\{\{-?\s*(?:\.[A-Za-z]|/\*|\$|(?:if|range|end|with|template|block|define|else)\b|cookiecutter)|\{%|<%`)

	// yamlMarks are marks where a key, an item or a value begins. There a YAML file does not have
	// them; "${{" does not count, and is common in the workflows of GitHub.
	yamlMarks = lazyregexp.New(`(?m)^\s*(?:-\s+)*(?:[^\s#"'][^"'\n]*:\s+)?(?:\{\{|\{%|\{#|<%|@[A-Z][A-Z0-9_]*@)`)
)

func isTemplate(text string) bool {
	return marks().MatchString(quoted().ReplaceAllLiteralString(text, `""`))
}

func isGoTemplate(text string) bool { return goMarks().MatchString(text) }

func isYAMLTemplate(text string) bool { return yamlMarks().MatchString(text) }

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
