package redline_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/wordstest"
)

var update = flag.Bool("update", false, "write testdata/strings.txt")

// read are the places with texts that users read.
var read = []string{"cmd/*.go", "lsp/*.go", "agent/*.go", "workspace/*.go", "edits/*.go", "internal/*.go", "editors/*.go",
	"editors/vscode/package.json", "editors/vscode/src/*.ts", "editors/vscode/webview/*.ts", "web/*.go", "web/page/src/*.ts", "editors/nvim/*.lua", "editors/emacs/*.el"}

// unread are the folders and files whose texts no user reads, and why. Packages whose name ends in
// "test" are left out too.
var unread = map[string]string{
	"agent/brief/prompts.go":           "the model reads it",
	"agent/tool":                       "the model reads it",
	"agent/view/report_changes.go":     "the model reads it",
	"agent/view/report_earlier.go":     "the model reads it",
	"agent/view/report_rejections.go":  "the model reads it",
	"agent/view/report_status.go":      "the model reads it",
	"edits/placeholder/placeholder.go": "it reads what models write",
	"edits/placeholder/code.go":        "it has names",
	"agent/chat/goeson.go":             "it reads what users write",
	"editors/forks.go":                 "it has names",
	"editors/e2e":                      "it drives editors in tests",
	"internal/release":                 "it is for those who make a release",
	"internal/film":                    "it makes the picture of the README",
	"internal/ramtemp":                 "it is for tests",
}

// userTexts returns the texts of the project that a user can read.
func userTexts(t *testing.T) []wordstest.Text {
	t.Helper()
	var texts []wordstest.Text
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasSuffix(d.Name(), "test") || unread[name] != ""):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go") || unread[name] != "" || !isRead(name):
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found, err := wordstest.Of(name, source)
		texts = append(texts, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func isRead(name string) bool {
	for _, pattern := range read {
		folder, suffix, _ := strings.Cut(pattern, "*")
		if strings.HasPrefix(name, folder) && strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// testdata/strings.txt lists each text that a user can read: who reviews a change sees
// there each sentence that is new.
func TestTextsAreListed(t *testing.T) {
	const name = "testdata/strings.txt"
	got := strings.Join(wordstest.Lines(userTexts(t)), "\n") + "\n"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s is not what the sources say; go test . -run '^TestTextsAreListed$' -update writes it (-list +sources):\n%s", name, diff)
	}
}

// avoided are ways to say something that a reader has to work out, and what to say instead.
var avoided = []struct{ form, instead string }{
	{`\b(is|are|was|were|be|been) told\b( [^a]|[^ ]|$)`, "say who learns it, or that it is known: not that somebody is told"},
	{`\btold that\b`, "say it, not that it was told"},
	{`\bwhat (came|comes|became|becomes) of\b`, "the result"},
	{`\bmend(s|ed|ing)?\b`, "fix"},
	{`\b(go|goes|went|going) on\b`, "continue"},
	{`\bblanks\b|\ba blank([^ ]| [^l]|$)`, "spaces"},
	{`\w\(s\)`, "the number with its noun, singular or plural: phrase.Count"},
	{`\b(it|who|which|nobody) has it\b`, "name what it has"},
	{`\bcannot be had\b`, "cannot be read"},
	{`\b(is|are) to be (done|had|said|told|different)\b`, "do it, say it"},
	{`\bwhat [^.:;]*\bcomes? to\b`, "the result"},
	{`\bis (failed|executing|reviewing)\b`, "has failed, is being carried out, waits for your decision"},
	{`\bgone without\b`, "left out"},
	{`\byes/no\b`, "[y,n]"},
}

// kept are texts with an avoided form that have to stay, and why.
var kept = map[string]string{
	", going on if it fails":         "pages of plans that were written earlier have it, and must still be read",
	"the plan goes on, because of …": "pages of plans that were written earlier have it, and must still be read",
}

// No text for users has a form that readers stumble over.
func TestTextsArePlain(t *testing.T) {
	used := map[string]bool{}
	texts := userTexts(t)
	for _, rule := range avoided {
		form := regexp.MustCompile("(?i)" + rule.form)
		for _, text := range texts {
			switch {
			case !form.MatchString(text.Text):
			case kept[text.Text] != "":
				used[text.Text] = true
			default:
				t.Errorf("%s\n\thas %q: %s", text, form.FindString(text.Text), rule.instead)
			}
		}
	}
	for text := range kept {
		if !used[text] {
			t.Errorf("nothing says %q any more: take it out of the exceptions", text)
		}
	}
}
