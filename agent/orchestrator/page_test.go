package orchestrator

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named returns the names in the first cells of the tables below a heading of a page, sorted.
func named(t *testing.T, page, heading string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var names []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			names = append(names, name[1])
		}
	}
	slices.Sort(names)
	return names
}

// The page on agent files has every member and every group of tools, and the one on specialists
// every specialist.
func TestPages(t *testing.T) {
	groups := append(slices.Collect(maps.Keys(kinds)), serverPrefix+"SERVER", serverPrefix+"SERVER__get_*")
	for _, c := range []struct {
		page, heading string
		want          []string
	}{
		{"reference/agent-files.md", "Members", slices.Collect(maps.Keys(fields))},
		{"reference/agent-files.md", "Groups of tools", groups},
		{"specialists.md", "Which specialists there are", slices.Clone(builtInOrder)},
	} {
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, named(t, c.page, c.heading)); diff != "" {
			t.Errorf("docs/%s, %s (-want +got):\n%s", c.page, c.heading, diff)
		}
	}
}

// The agent files on the pages are read without a notice.
func TestAgentFilesOnPages(t *testing.T) {
	for page, want := range map[string]int{"reference/agent-files.md": 1, "specialists.md": 2} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile("(?s)\n```\n(---\n.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(found) != want {
			t.Errorf("docs/%s has %d agent files, want %d: does this test still look in the right place?", page, len(found), want)
		}
		for _, m := range found {
			if _, notices := NewRegistry(known, nil, []File{agentFile("example", m[1])}); len(notices) > 0 {
				t.Errorf("docs/%s: %q", page, notices)
			}
		}
	}
}
