package tool_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// nearMissCases returns the edits that the corpus of package match refuses. Their intent
// is not recorded: the model takes the first place that a refusal names, and only whether
// the call is accepted counts.
func nearMissCases(t *testing.T) []mendCase {
	var out []mendCase
	for _, archive := range archives(t, "../../edits/match/testdata/nearmiss/*.txtar") {
		var text, old, new, name string
		all := false
		for _, f := range archive.Files {
			data := writtenOut.Replace(string(f.Data))
			switch word, rest, _ := strings.Cut(f.Name, ": "); {
			case f.Name == "text":
				text = data
			case word == "old" || word == "old of all":
				name, old, all = rest, data, word != "old"
			case f.Name == "new":
				new = data
			case strings.HasPrefix(f.Name, "refused, "):
				reason := strings.Fields(f.Name)[1]
				form := func(s said) corpusCall {
					call := sayings[0].call(s)
					if !strings.HasSuffix(old, "\n") {
						call = sayings[1].call(s)
					}
					call.args["replace_all"] = all
					return call
				}
				out = append(out, mendCase{
					kind: "near misses, refused: " + reason, name: name, files: map[string]string{"a": text}, call: form,
					believed: said{path: "a", old: linesIn(old), new: linesIn(new)},
				})
			}
		}
	}
	return out
}

// linesIn returns the lines of a text without their line ends.
func linesIn(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// archives parses the files of a corpus.
func archives(t *testing.T, pattern string) []*txtar.Archive {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	var out []*txtar.Archive
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archive.Comment = []byte(filepath.Base(name))
		out = append(out, archive)
	}
	return out
}

// patchMend is a patch that the corpus of package patch refuses.
type patchMend struct {
	kind, name, patch string
	files             map[string]string
}

// patchMends returns all patches that the corpus refuses.
func patchMends(t *testing.T) []patchMend {
	var out []patchMend
	for _, pattern := range []string{"*.txtar", "*/*.txtar"} {
		for _, archive := range archives(t, "../../edits/patch/testdata/"+pattern) {
			name := string(archive.Comment)
			files, patch := map[string]string{}, ""
			unescape := writtenOut
			if pattern != "*.txtar" {
				unescape = strings.NewReplacer("\\r\n", "\r\n", "\\s\n", " \n", "\\c\n", "")
			}
			for _, f := range archive.Files {
				data := unescape.Replace(string(f.Data))
				switch {
				case strings.HasPrefix(f.Name, "in/"), strings.HasPrefix(f.Name, "text "):
					_, path, _ := strings.Cut(strings.Replace(f.Name, "in/", "in ", 1), " ")
					files[path] = data
				case f.Name == "patch" || strings.HasPrefix(f.Name, "patch: "):
					name, patch = string(archive.Comment)+" "+strings.TrimPrefix(f.Name, "patch"), data
				case f.Name == "refused":
					out = append(out, patchMend{kind: "patches of the corpus, refused", name: name, patch: patch, files: maps.Clone(files)})
				}
			}
		}
	}
	return out
}
