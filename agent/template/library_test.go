package template_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/refusal"
	"redline/agent/session/sessiontest"
	"redline/agent/template"
)

// newLibrary returns a library with templates of a repository and of the user's own.
func newLibrary(t *testing.T, repository, own map[string]string) *template.Library {
	t.Helper()
	s := sessiontest.New(t, "")
	for name, text := range repository {
		s.Write(".redline/templates/"+name, text)
	}
	l := &template.Library{Workspace: s.Workspace}
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

// The user's own goes before one of the repository, also when it cannot be read.
func TestTheUsersOwnGoesFirst(t *testing.T) {
	l := newLibrary(t, map[string]string{"fix.md": "theirs", "doc.md": "---\ndescription: writes\n---\n{{file}}", "large.md": "x", "no-template.txt": "x"},
		map[string]string{"fix.md": "mine", "large.md": strings.Repeat("x", template.MaxSize+1)})
	if got := l.Names(); !slices.Equal(got, []string{"doc", "fix", "large"}) {
		t.Errorf("the names are %q", got)
	}
	for name, own := range map[string]bool{"fix": true, "doc": false} {
		found, isOwn, err := l.Find(name)
		if err != nil || isOwn != own {
			t.Fatalf("%s: %v, own %v", name, err, isOwn)
		}
		if text, err := found.Fill(map[string]string{}, ""); own && (err != nil || text != "mine") {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if _, _, err := l.Find("large"); err == nil || !strings.Contains(err.Error(), "64 KiB") {
		t.Errorf("of one that is too large: %v", err)
	}
	list := l.List()
	for _, want := range []string{"- `/template doc file=…`: writes\n", "- `/template fix` (your own)", "- `large`: The template large has more than"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q:\n%s", want, list)
		}
	}
}

func TestTemplatesThatThereAreNot(t *testing.T) {
	none, some := newLibrary(t, nil, nil), newLibrary(t, map[string]string{"review.md": "x"}, nil)
	for _, c := range []struct {
		in         *template.Library
		name, want string
	}{
		{none, "fix", "nor any other"}, {some, "reveiw", "did you mean review"}, {some, "documentation", "there are review"},
		{some, "../../secret", "there are review"},
	} {
		_, _, err := c.in.Find(c.name)
		if r, ok := refusal.Of(err); !ok || r.Kind != refusal.Invalid || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if got := none.List(); !strings.Contains(got, "There are no templates") {
		t.Errorf("the list is %q", got)
	}
}
