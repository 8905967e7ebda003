package patch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"redline/edits"
	"redline/edits/patch"
)

// FuzzParse shows that any patch leads to valid edits of any text, or is refused; it
// begins with the patches of all stories and of the corpus.
func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		text := "a\nb\nc\n"
		files := txtar.Parse(data).Files
		for _, file := range files[1:] {
			if filepath.Dir(file.Name) == "in" {
				text = unescape(string(file.Data))
			}
		}
		f.Add(unescape(string(files[0].Data)), text)
	}
	for _, c := range corpus(f) {
		for _, text := range c.before {
			f.Add(c.text, text)
		}
	}
	f.Fuzz(func(t *testing.T, text, base string) {
		files, err := patch.Parse(text)
		if err == nil {
			files, err = patch.Join(files)
		}
		var refusal *patch.Refusal
		if err != nil {
			if !errors.As(err, &refusal) || err.Error() == "" {
				t.Errorf("%v is no refusal", err)
			}
			return
		}
		if len(files) == 0 {
			t.Error("there is a patch, but it does nothing")
		}
		for _, f := range files {
			if f.Path == "" || (f.NewPath != "") != (f.Kind == edits.Rename) {
				t.Errorf("%+v names no file, or not where it goes", f)
			}
			if f.Kind == edits.Create {
				continue
			}
			es, steps, err := f.Edits(base, true)
			if err != nil {
				if !errors.As(err, &refusal) || refusal.Path != f.Path || err.Error() == "" {
					t.Errorf("%v is no refusal", err)
				}
				continue
			}
			is, err := edits.Apply(base, es)
			if err != nil || len(steps) != len(es) {
				t.Errorf("%v with %q cannot be made: %v", es, steps, err)
			}
			if f.Kind == edits.Delete && is != "" {
				t.Errorf("a deletion leaves %q", is)
			}
		}
	})
}
