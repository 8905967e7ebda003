package command

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redline/internal/pagetest"
)

var update = flag.Bool("update", false, "rewrite what of the pages is made from code")

// argumentTypes maps types to their names on the page on commands.
var argumentTypes = map[string]string{
	"position.TextDocument": "document", "protocol.Range": "range", "state.Range": "[range](#a-range)", "state.Row": "[row](#a-row)",
	"json.RawMessage": "WorkspaceEdit", "apply.Omitted": "`{path, reason}`", "comparedFile": "file",
}

// The page on commands has exactly the commands that exist, with every member of their
// arguments.
func TestCommandsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(redline\\.[a-zA-Z]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		rows[row[1]] = signature(row[2])
	}
	var all strings.Builder
	for _, c := range commands() {
		members := argumentOf(t, c)
		fmt.Fprintf(&all, "#### %s\n\n%s\n", c.name, pagetest.Table(members))
		if want := optional(members); !maps.Equal(rows[c.name], want) {
			t.Errorf("docs/reference/commands.md: the row of %s has the members %v, want %v (true: optional)", c.name, rows[c.name], want)
		}
		delete(rows, c.name)
	}
	if len(rows) != 0 {
		t.Errorf("docs/reference/commands.md has rows of commands that there are not: %v", slices.Collect(maps.Keys(rows)))
	}
	pagetest.Part(t, "docs/reference/commands.md", "arguments", all.String(), *update)
	var refusals strings.Builder
	for _, kind := range pagetest.Constants(t, "agent/plan", "RefusalKind") {
		fmt.Fprintf(&refusals, "| `%s` | %s |\n", kind.Value, pagetest.Cell(kind.Doc))
	}
	pagetest.Part(t, "docs/reference/commands.md", "refusals", "| kind | meaning |\n| --- | --- |\n"+refusals.String(), *update)
	pagetest.Part(t, "docs/reference/commands.md", "shownEdit", pagetest.Table(pagetest.Members(t, "lsp/command", "shownEdit", argumentTypes)), *update)
	pagetest.Part(t, "docs/reference/commands.md", "shownComparison", pagetest.Table(pagetest.Members(t, "lsp/command", "shownComparison", argumentTypes)), *update)
	pagetest.Part(t, "docs/reference/commands.md", "comparedFile", pagetest.Table(pagetest.Members(t, "lsp/command", "comparedFile", argumentTypes)), *update)
	pagetest.Part(t, "docs/reference/state.md", "documentHunk", pagetest.Table(pagetest.Members(t, "lsp/command", "DocumentHunk", argumentTypes)), *update)
}

// argumentOf returns the members of a command's argument. If several commands share a type,
// a line of the member's comment says which commands it is for.
func argumentOf(t *testing.T, c entry) []pagetest.Member {
	t.Helper()
	shared := 0
	for _, other := range commands() {
		if other.argument == c.argument {
			shared++
		}
	}
	all := pagetest.Members(t, "lsp/command", c.argument, argumentTypes)
	if shared == 1 {
		return all
	}
	var members []pagetest.Member
	for _, m := range all {
		for line := range strings.SplitSeq(m.Doc, "\n") {
			names, meaning, ok := strings.Cut(line, ": ")
			if !ok {
				t.Fatalf("the comment of %s in %s has the line %q, want COMMAND: what it is there", m.Name, c.argument, line)
			}
			for name := range strings.SplitSeq(names, ", ") {
				if !slices.Contains(Names(), "redline."+name) {
					t.Errorf("the comment of %s in %s is about %q, which is no command", m.Name, c.argument, name)
				}
				if "redline."+name == c.name {
					m.Doc = meaning
					members = append(members, m)
				}
			}
		}
	}
	return members
}

// signature parses the members of an argument from a cell like {a, b?}; true means
// optional.
func signature(cell string) map[string]bool {
	members := map[string]bool{}
	_, in, _ := strings.Cut(cell, "{")
	in, _, _ = strings.Cut(in, "}")
	for name := range strings.SplitSeq(in, ",") {
		name, optional := strings.CutSuffix(strings.TrimSpace(name), "?")
		members[name] = optional
	}
	return members
}

func optional(members []pagetest.Member) map[string]bool {
	of := map[string]bool{}
	for _, m := range members {
		of[m.Name] = m.Optional
	}
	return of
}
