package chat_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
)

// newLibrary returns a library with templates of a repository and of the user's own.
func newLibrary(t *testing.T, repository, own map[string]string) *chat.Templates {
	t.Helper()
	s := sessiontest.New(t, "")
	for name, text := range repository {
		s.Write(".redline/templates/"+name, text)
	}
	l := &chat.Templates{Workspace: s.Workspace}
	if own != nil {
		l.Dir = t.TempDir()
	}
	for name, text := range own {
		if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// The user's own goes before one of the repository, and that before one that is built in; also when
// it cannot be read.
func TestWhichTemplateCounts(t *testing.T) {
	l := newLibrary(t, map[string]string{"fix.md": "theirs", "review.md": "theirs", "doc.md": "---\ndescription: writes\n---\n{{file}}", "large.md": "x", "no-template.txt": "x"},
		map[string]string{"fix.md": "mine", "large.md": strings.Repeat("x", chat.MaxTemplate+1)})
	if got := l.Names(); !slices.Equal(got, []string{"commit", "doc", "document", "fix", "large", "review", "test"}) {
		t.Errorf("the names are %q", got)
	}
	for name, want := range map[string]struct {
		from chat.TemplateOrigin
		text string
	}{"fix": {chat.Own, "mine"}, "review": {chat.Repository, "theirs"}, "doc": {chat.Repository, "x.go"}, "commit": {chat.BuiltIn, ""}} {
		found, from, err := l.Find(name)
		if err != nil || from != want.from {
			t.Fatalf("%s: %v, from %v", name, err, from)
		}
		values := map[string]string{}
		if name == "doc" {
			values["file"] = "x.go"
		}
		if text, err := found.Fill(values, ""); err != nil || want.text != "" && text != want.text {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if _, _, err := l.Find("large"); err == nil || !strings.Contains(err.Error(), "64 KiB") {
		t.Errorf("of one that is too large: %v", err)
	}
	list := l.List()
	for _, want := range []string{"- `/template doc file=…`: writes\n", "- `/template fix` (your own)", "- `large`: The template large has more than", "- `/template review`\n",
		"- `/template commit since=… text`: write the commit message for what you changed (built in)"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q:\n%s", want, list)
		}
	}
	if strings.Contains(list, ".redline/templates/NAME.md") {
		t.Errorf("the list says how to write one, which the user knows:\n%s", list)
	}
}

// The built-in ones can be sent as they are, and with words of the user's own. Those that only look
// are in the mode that cannot change anything.
func TestBuiltInTemplates(t *testing.T) {
	l := newLibrary(t, nil, nil)
	for _, c := range []struct{ name, mode, begins, with string }{
		{"commit", "ask", "Write the commit message for what I have changed since the last commit.", "since"},
		{"document", "", "Write the documentation of the code at the place that this message comes from.", "what"},
		{"fix", "", "Fix this problem: what is wrong at the place that this message comes from\n", ""},
		{"review", "ask", "Review what I have changed since the last commit.", "since"},
		{"test", "", "Add tests for the code at the place that this message comes from.", "what"},
	} {
		found, from, err := l.Find(c.name)
		if err != nil || from != chat.BuiltIn || found.Mode != c.mode || found.Description == "" {
			t.Fatalf("%s: %+v, %v, %v", c.name, found, from, err)
		}
		if text, err := found.Fill(nil, ""); err != nil || !strings.HasPrefix(text, c.begins) {
			t.Errorf("%s is %q, %v", c.name, text, err)
		}
		values := map[string]string{}
		if c.with != "" {
			values[c.with] = "VALUE"
		}
		if text, err := found.Fill(values, "In short."); err != nil || !strings.Contains(text, "In short.") || c.with != "" && !strings.Contains(text, "VALUE") {
			t.Errorf("%s with words is %q, %v", c.name, text, err)
		}
	}
	if got := l.Names(); !slices.Equal(got, []string{"commit", "document", "fix", "review", "test"}) {
		t.Errorf("the names are %q", got)
	}
	if list := l.List(); !strings.HasSuffix(list, "\n\nWrite one of your own as .redline/templates/NAME.md, with {{name}} where a value goes.") {
		t.Errorf("the list is\n%s", list)
	}
}

func TestTemplatesThatThereAreNot(t *testing.T) {
	l := newLibrary(t, map[string]string{"move.md": "x"}, nil)
	for name, want := range map[string]string{
		"reveiw": "did you mean review", "movee": "did you mean move", "zzzzzzzz": "there are commit, document, fix, move, review, test",
		"../../secret": "there are commit", "builtin/fix": "there are commit",
	} {
		_, _, err := l.Find(name)
		if r, ok := plan.RefusalOf(err); !ok || r.Kind != plan.Invalid || !strings.Contains(r.Reason, want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
