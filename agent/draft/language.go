package draft

import (
	"path"
	"strings"
)

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
