package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/lsp/command"
)

func (f *fixture) completed(text string) (replaces string, inserts []string) {
	f.Helper()
	raw, err := f.run(command.Complete, map[string]any{"text": text})
	if err != nil {
		f.Fatal(err)
	}
	var result command.MessageCompletions
	if err := json.Unmarshal(raw, &result); err != nil || result.Items == nil {
		f.Fatalf("%s: %v", raw, err)
	}
	for _, item := range result.Items {
		inserts = append(inserts, item.Insert)
	}
	return result.Replaces, inserts
}

func TestCompletionsOfAMessage(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{
		"a.txt": twoFruits, "sub/apples and.txt": "x\n", ".redline/agents/reader.md": "---\nmode: primary\n---\nLook.\n",
	})
	f.ask(`replace "apple" with "pear" in a.txt`)
	for text, want := range map[string][2]string{
		"see @a":                {"@a", `@a.txt @"sub/apples and.txt"`},
		"first\n\nand (@\"appl": {`@"appl`, `@"sub/apples and.txt"`},
		"ä @sub":                {"@sub", `@"sub/apples and.txt"`},
		"/app":                  {"/app", "/approve "},
		"/approve ":             {"", "1"},
		"/decide a":             {"a", "ask"},
		"/agent ":               {"", "reader none"},
		"/agent n":              {"n", "none"},
		"/mode a":               {"a", "auto ask"},
		"do it\n/se":            {"", ""}, // the line /send belongs to the chat file
		"mail me@a":             {"", ""},
	} {
		replaces, inserts := f.completed(text)
		if got := strings.Join(inserts, " "); replaces != want[0] || got != want[1] {
			t.Errorf("%q: %q becomes %s, want %q becomes %s", text, replaces, got, want[0], want[1])
		}
	}
}
