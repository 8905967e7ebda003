package placeholder

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// forms are the forms by their names in the cases of testdata.
var forms = map[string]Form{"whole": Whole, "part": Part, "rows": Rows}

// TestResolve plays the cases in testdata: a file of sections, "old PATH" with the text for the
// cases after it, then for each "FORM: name" the new text and "restored" with the required result,
// "same" if it is accepted unchanged, or "refused" with parts of the refusal, one per line.
func TestResolve(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	counts := map[string]int{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var path, old, title, text string
		var form Form
		for _, f := range archive.Files {
			kind, rest, _ := strings.Cut(f.Name, " ")
			switch kind {
			case "old":
				path, old = rest, unescaped(f.Data)
			case "whole:", "part:", "rows:":
				form, title, text = forms[strings.TrimSuffix(kind, ":")], fmt.Sprintf("%s: %s", filepath.Base(name), rest), unescaped(f.Data)
			case "same", "restored", "refused":
				counts[kind]++
				got, restored, err := Resolve(path, old, text, form)
				switch {
				case kind == "refused":
					r, ok := errors.AsType[*Refusal](err)
					if !ok {
						t.Errorf("%s: it is not refused: %q, %v, %v", title, got, restored, err)
						continue
					}
					for part := range strings.Lines(string(f.Data)) {
						if part = strings.TrimSuffix(part, "\n"); !strings.Contains(r.Error(), part) {
							t.Errorf("%s: the refusal does not say %q:\n%s", title, part, r)
						}
					}
				case err != nil:
					t.Errorf("%s: %v", title, err)
				case kind == "same" && (got != text || len(restored) > 0):
					t.Errorf("%s: it was changed to\n%s", title, got)
				case kind == "restored" && (got != unescaped(f.Data) || len(restored) == 0):
					t.Errorf("%s: it came to\n%s\nwant\n%s", title, got, unescaped(f.Data))
				}
			default:
				t.Fatalf("%s: what is the section %q?", name, f.Name)
			}
		}
	}
	t.Log(counts)
}

// unescaped returns the text that a section stands for: "␍" is a carriage return, and "∎" an end
// without a line end.
func unescaped(data []byte) string {
	return strings.NewReplacer("∎\n", "", "␍", "\r").Replace(string(data))
}

func TestRefusalListsAFew(t *testing.T) {
	text := strings.Repeat("// ... existing code ...\nx\n", 9)
	_, _, err := Resolve("a.go", "a\nb\n", text, Whole)
	if err == nil || !strings.Contains(err.Error(), "Line 1 of the new text (`// ... existing code ...`)") ||
		!strings.Contains(err.Error(), "line 3 (`// ... existing code ...`)") || !strings.Contains(err.Error(), "3 more") {
		t.Error(err)
	}
}

func TestRefusalQuotesWhatCanBeSeen(t *testing.T) {
	if got := quoted("// a\u202eb " + strings.Repeat("é", 50)); strings.Contains(got, "\u202e") || len(got) > maxQuoted+20 || !utf8.ValidString(got) {
		t.Error(got)
	}
}
