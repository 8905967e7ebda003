package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redline/internal/pagetest"
)

// The page on the command line is made from the output of --help.
func TestCommandLinePage(t *testing.T) {
	var list, all strings.Builder
	for _, cmd := range everyCommand(testRoot()) {
		fmt.Fprintf(&list, "| [`%s`](#%s) | %s |\n", cmd.CommandPath(), strings.ReplaceAll(cmd.CommandPath(), " ", "-"), inCode(cmd.Short))
		writeCommand(&all, cmd)
	}
	pagetest.Part(t, "docs/reference/cli.md", "list", "| command | does |\n| --- | --- |\n"+list.String(), *update)
	pagetest.Part(t, "docs/reference/cli.md", "commands", all.String(), *update)

	var statuses strings.Builder
	for _, s := range exitStatuses {
		fmt.Fprintf(&statuses, "| %d | %s |\n", s.code, s.text)
	}
	pagetest.Part(t, "docs/reference/cli.md", "statuses", "| status | meaning |\n| --- | --- |\n"+statuses.String(), *update)
}

// The page on events shows the last line of --json from the same source.
func TestRunResultPage(t *testing.T) {
	members := pagetest.Members(t, "cmd/redline", "runResult", map[string]string{
		"state.Plan": "[plan](state.md#a-plan)", "state.PlanSummary": "[specialists](state.md#what-specialists-did)",
		"callResult": "[result](#the-result-of-a-call)", "plan.Refused": "[refused call](state.md#a-refused-call)",
	})
	pagetest.Part(t, "docs/reference/events.md", "result", pagetest.Table(members), *update)
	pagetest.Part(t, "docs/reference/events.md", "callresult", pagetest.Table(pagetest.Members(t, "cmd/redline", "callResult", nil)), *update)
}

// JSON that leaves the program has one form of names. The three others are those of the contract that
// scripts hold Redline to.
func TestMembersAreInCamelCase(t *testing.T) {
	pages, err := filepath.Glob("../../docs/reference/*.md")
	if err != nil {
		t.Fatal(err)
	}
	members := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for table := range strings.SplitSeq(string(text), "| member | type | meaning |\n") {
			table, _, _ = strings.Cut(table, "\n\n")
			for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)\\??` \\| .* \\|$").FindAllStringSubmatch(table, -1) {
				if members++; strings.Contains(row[1], "_") && !slices.Contains([]string{"execution_results", "steps_executed", "max_steps"}, row[1]) {
					t.Errorf("%s has the member %s", page, row[1])
				}
			}
		}
	}
	if members < 200 {
		t.Errorf("found only %d members: does this test still look in the right place?", members)
	}
}

// The page on records shows the check of the audit log from the same source.
func TestVerifiedPage(t *testing.T) {
	pagetest.Part(t, "docs/reference/records.md", "verified", pagetest.Table(pagetest.Members(t, "cmd/redline", "verified", nil)), *update)
}

// The output of --help for each command is enough to use it.
func TestEveryCommandIsExplained(t *testing.T) {
	commands := everyCommand(testRoot())
	if len(commands) < 24 {
		t.Fatalf("found only %d commands", len(commands))
	}
	for _, cmd := range commands {
		switch {
		case cmd.Short == "" || strings.HasSuffix(cmd.Short, "."):
			t.Errorf("%s: its short text is %q, want a sentence without its stop", cmd.CommandPath(), cmd.Short)
		case !strings.HasSuffix(cmd.Long, ".") && cmd.HasParent():
			t.Errorf("%s: its long text is %q, want sentences", cmd.CommandPath(), cmd.Long)
		case !strings.Contains(cmd.Example, cmd.CommandPath()):
			t.Errorf("%s has no example of itself: %q", cmd.CommandPath(), cmd.Example)
		}
		for line := range strings.Lines(cmd.Long) {
			if len([]rune(line)) > 90 {
				t.Errorf("%s: a line of its long text is longer than a terminal: %s", cmd.CommandPath(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, usage := pflag.UnquoteUsage(f); f.Name != "help" && (usage == "" || name == "string" || name == "stringArray" || name == "int" || name == "float") {
				t.Errorf("%s --%s: %q does not name what it takes (%s)", cmd.CommandPath(), f.Name, usage, name)
			}
		})
	}
}

func testRoot() *cobra.Command {
	return newRoot(streams{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)})
}

// everyCommand returns the commands under cmd, without cmd itself and what cobra adds.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" && !sub.Hidden {
			all = append(append(all, sub), everyCommand(sub)...)
		}
	}
	return all
}

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n```\n%s\n```\n\n%s\n\n", cmd.CommandPath(), cmd.UseLine(), inCode(cmd.Long))
	if rows := flagRows(cmd.LocalNonPersistentFlags()) + flagRows(cmd.PersistentFlags()); rows != "" {
		fmt.Fprintf(b, "| flag | default | meaning |\n| --- | --- | --- |\n%s\n", rows)
	}
	var also []string
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { also = append(also, "`--"+f.Name+"`") })
	if len(also) > 0 {
		group := cmd.Parent().CommandPath()
		fmt.Fprintf(b, "Also %s, as of [`%s`](#%s).\n\n", strings.Join(also, " and "), group, strings.ReplaceAll(group, " ", "-"))
	}
	var example strings.Builder
	for line := range strings.Lines(cmd.Example) {
		example.WriteString(strings.TrimPrefix(line, "  "))
	}
	fmt.Fprintf(b, "```\n%s\n```\n\n", strings.TrimRight(example.String(), "\n"))
}

// flagRows returns the rows of a table of flags.
func flagRows(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		takes, meaning := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if takes != "" {
			name += " " + strings.ToUpper(takes)
		}
		value := ""
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
			value = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, value, inCode(meaning))
	})
	return b.String()
}

var (
	pageName   = regexp.MustCompile(`docs/(reference/)?([a-z-]+\.md)`)
	codeInText = regexp.MustCompile(`(?:^|[ (\n])(?:redline (?:plans |audit |trials )?[a-z]+(?: --[a-z-]+)*(?: [A-Z]{2,}\b)?|--[a-z-]+(?: [A-Z]+)?|(?:limits|editor|trials)\.[a-z_]+|[A-Z]+_[A-Z_]+|\{.+?\})`)
)

// inCode turns a text of the help into Markdown: pages become links, and text to type becomes code.
func inCode(text string) string {
	text = codeInText.ReplaceAllStringFunc(text, func(found string) string {
		word := strings.TrimLeft(found, " (\n")
		return strings.TrimSuffix(found, word) + "`" + word + "`"
	})
	return pageName.ReplaceAllStringFunc(text, func(name string) string {
		to, reference := strings.CutPrefix(name, "docs/reference/")
		if !reference {
			to = "../" + strings.TrimPrefix(name, "docs/")
		}
		return "[" + path.Base(to) + "](" + to + ")"
	})
}
