package brief_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/brief"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheUsersOwnPromptGoesFirst(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "ask.md", "Answer in verse.\r\n\n")
	s := brief.Prompts{Dir: dir}
	if text, err := s.Text("ask"); err != nil || text != "Answer in verse.\n" {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := s.Text("system"); err != nil || text != brief.BuiltInPrompt("system") {
		t.Errorf("got %q, %v", text, err)
	}
	for _, none := range []brief.Prompts{{}, {Dir: filepath.Join(dir, "none")}} {
		if text, err := none.Text("ask"); err != nil || text != brief.BuiltInPrompt("ask") {
			t.Errorf("got %q, %v", text, err)
		}
		if names, problems := none.Own(); names != nil || problems != nil {
			t.Errorf("got %q, %q", names, problems)
		}
	}
}

func TestAPromptThatCannotBeUsed(t *testing.T) {
	for text, want := range map[string]string{
		" \n":                        "it is empty",
		"\xff":                       "it is no UTF-8",
		strings.Repeat("x", 300_000): "it has more than 262144 bytes",
	} {
		dir := t.TempDir()
		write(t, dir, "ask.md", text)
		got, err := brief.Prompts{Dir: dir}.Text("ask")
		if err == nil || !strings.HasSuffix(err.Error(), "so the built-in one is: "+want) || got != brief.BuiltInPrompt("ask") {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "ask.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (brief.Prompts{Dir: dir}).Text("ask"); err == nil || !strings.HasSuffix(err.Error(), "it is no file") {
		t.Errorf("a folder: %v", err)
	}
}

func TestWhatIsInTheFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "ask.md", "Answer.")
	write(t, dir, "text.md", "")
	write(t, dir, "systm.md", "You are.")
	write(t, dir, "notes.txt", "mine")
	names, problems := brief.Prompts{Dir: dir}.Own()
	if !slices.Equal(names, []string{"ask"}) || len(problems) != 2 ||
		!strings.HasSuffix(problems[0], "systm.md is no prompt that Redline has, did you mean system.md?") || !strings.HasSuffix(problems[1], "it is empty") {
		t.Errorf("got %q, %q", names, problems)
	}
}

// The planning prompt is paid for with each request of a plan.
func TestThePlanningPromptIsShort(t *testing.T) {
	if tokens := len(brief.BuiltInPrompt("plan")) / 4; tokens > 250 {
		t.Errorf("it has about %d tokens", tokens)
	}
}
