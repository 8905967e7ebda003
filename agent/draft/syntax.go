package draft

import (
	"path"
	"strconv"
	"strings"

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
