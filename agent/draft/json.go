package draft

import (
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"redline/edits"
)

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
