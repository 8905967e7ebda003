package lsp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// placeholder matches the variable parts of a title on the page on commands.
var placeholder = regexp.MustCompile(`\bN\b|\bk running turns\b|\boK\b|\bFILE\b|…`)

// standsFor returns the expression for such a part.
func standsFor(name string) string {
	switch name {
	case "N":
		return `\d+`
	case "k running turns":
		return `\d+ running turns`
	case "oK":
		return `o\d+`
	}
	return `.+`
}

// titlesOnPage returns the titles of code actions on the page on commands.
func titlesOnPage(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/reference/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Code actions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var found []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| ") {
			for _, m := range regexp.MustCompile(`\*([^*]+)\*`).FindAllStringSubmatch(line, -1) {
				found = append(found, m[1])
			}
		}
	}
	if len(found) < 20 {
		t.Fatalf("found only %q: does this test still look in the right place?", found)
	}
	return found
}

// wantOnPage checks that the page on commands has a title.
func wantOnPage(t *testing.T, title string) {
	t.Helper()
	for _, told := range titlesOnPage(t) {
		pattern := "^"
		for told != "" {
			at := placeholder.FindStringIndex(told)
			if at == nil {
				at = []int{len(told), len(told)}
			}
			pattern += regexp.QuoteMeta(told[:at[0]])
			if at[1] > at[0] {
				pattern += standsFor(told[at[0]:at[1]])
			}
			told = told[at[1]:]
		}
		if regexp.MustCompile(pattern + `( \(.*|[:;].*)?$`).MatchString(title) {
			return
		}
	}
	t.Errorf("docs/reference/commands.md does not have the code action %q", title)
}

// Every title on the page still exists.
func TestTitlesOfActionsOnThePage(t *testing.T) {
	files, err := filepath.Glob("codeaction/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "summary/summary.go")
	var source strings.Builder
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
			source.Write(text)
		}
	}
	for _, title := range titlesOnPage(t) {
		title, _ = strings.CutPrefix(title, "run … and ")
		title, _ = strings.CutPrefix(title, "approve ") // combined with its scope in the code
		title, _ = strings.CutPrefix(title, "reject ")
		title, _ = strings.CutPrefix(title, "the rest of ")
		for _, part := range placeholder.Split(title, -1) {
			if part = strings.Trim(part, " ,"); len(part) > 3 && !strings.Contains(source.String(), part) {
				t.Errorf("no code action has %q of %q", part, title)
			}
		}
	}
}
