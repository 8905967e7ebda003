package redline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redline/agent/brief"
	"redline/agent/chat"
)

// commandsPage returns the page that tells users about commands.
func commandsPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("docs/reference/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The page on commands has every slash command with its arguments, and no other.
func TestSlashCommandsAreDocumented(t *testing.T) {
	var there, told []string
	for _, m := range regexp.MustCompile("(?m)^- `(/[^`]+)`: ").FindAllStringSubmatch(chat.Help(), -1) {
		there = append(there, m[1])
	}
	_, section, _ := strings.Cut(commandsPage(t), "\n## Slash commands\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| `(/[^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		told = append(told, strings.ReplaceAll(m[1], `\|`, "|"))
	}
	slices.Sort(there)
	slices.Sort(told)
	if len(there) < 20 || !slices.Equal(told, there) {
		t.Errorf("docs/reference/commands.md has the slash commands\n%q, want\n%q", told, there)
	}
}

// The page on prompts has every prompt, and no other.
func TestPromptsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/reference/prompts.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		got = append(got, row[1])
	}
	slices.Sort(got)
	if want := brief.PromptNames(); !slices.Equal(got, want) {
		t.Errorf("docs/reference/prompts.md has %q, want %q", got, want)
	}
}

// What docs/troubleshooting.md quotes is what Redline says: words that no message
// has any more would be looked for in vain.
func TestQuotedMessagesAreSaid(t *testing.T) {
	page, err := os.ReadFile("docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, f := range goFiles(t) {
		if f.test || layerOf(f.pkg) < 0 {
			continue
		}
		if source, err := os.ReadFile(f.path); err == nil {
			said.Write(source)
		}
	}
	count := 0
	for line := range strings.Lines(string(page)) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, quoted := range regexp.MustCompile(`\*([^*]+)\*`).FindAllStringSubmatch(cell, -1) {
			for part := range strings.FieldsFuncSeq(regexp.MustCompile(`\b[Pp]lan N\b`).ReplaceAllString(quoted[1], "…"), func(r rune) bool { return r == '…' }) {
				if part = strings.TrimSpace(part); len(part) > 3 {
					count++
					if !strings.Contains(said.String(), part) {
						t.Errorf("no message has %q", part)
					}
				}
			}
		}
	}
	if count < 15 {
		t.Errorf("found only %d quoted messages: does this test still look in the right place?", count)
	}
}

// Each decision is a page of the same form that the index lists, and the code that it
// names is there.
func TestDecisions(t *testing.T) {
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(pages) < 40 {
		t.Fatalf("found %d decisions, %v", len(pages), err)
	}
	for i, name := range pages {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, base := string(source), filepath.Base(name)
		if number := fmt.Sprintf("%04d-", i+1); !strings.HasPrefix(base, number) {
			t.Errorf("%s has no number of its own, or one was left out before it: want %s", name, number)
		}
		title, rest, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		if row := fmt.Sprintf("- [%s](%s): %s\n", base[:4], base, title); !strings.Contains(string(index), row) {
			t.Errorf("docs/decisions/README.md has no line %q", row)
		}
		if !strings.Contains(rest, "\n## Context\n") || !strings.Contains(rest, "\n## Choice\n") {
			t.Errorf("%s does not say the context and the choice", name)
		}
		_, code, _ := strings.Cut(rest, "\nCode: ")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(code, -1) {
			if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}
