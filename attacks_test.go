package redline_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each attack is a story: who attacks how, and what must hold, is said before
// its first part, and it checks something.
func TestAttacksAreStories(t *testing.T) {
	var files []string
	for _, folder := range []string{"testdata/scenarios", "cmd/redline/testdata/script"} {
		found, err := filepath.Glob(folder + "/inject-*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 30 {
		t.Errorf("there are %d attacks, and there must be 30", len(files))
	}
	said := map[string]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		about, script := string(archive.Comment), ""
		if strings.HasPrefix(about, "# ") { // a script of the command line
			script = about
			about, _, _ = strings.Cut(about, "\n\n")
			about = strings.Join(regexp.MustCompile("(?m)^# (.*)$").FindAllString(about, -1), "\n")
		}
		for _, f := range archive.Files {
			if f.Name == "script" {
				script = string(f.Data)
			}
		}
		if len(strings.Fields(about)) < 15 {
			t.Errorf("%s does not begin with who attacks how, and what must hold: %q", file, about)
		}
		if other := said[about]; other != "" {
			t.Errorf("%s says the same as %s", file, other)
		}
		said[about] = file
		if !regexp.MustCompile(`(?m)^(unapproved|untouched|unsent|absent|answers|state|disk|refused|reached|text|command|json|!)( |$)`).MatchString(script) {
			t.Errorf("%s checks nothing that must hold", file)
		}
	}
}
