package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHugePlans plays stories with thousands of calls in one reply: the preview has
// everything that an action would run.
func TestHugePlans(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes very large plans: run without -short")
	}
	for name, c := range map[string]struct {
		edits    int
		commands []string
		script   string
	}{
		"edits and a command": {2100, []string{"touch made"}, `
chat figures
message 'plan 1 is ready: 1 file, +2100 −2100, 1 command.'
page plans/0001-r1.md '- [x] edit a.txt, 2100 of 2100'
page plans/0001-r1.md '- [x] Command 1\n  $$$sh\n  touch made\n  $$$\n'
page plans/0001-r1.md '+row 2100'
action a.txt 0 'run $touch made$ and approve plan 1: figures (1 file, +2100 −2100)'
save a.txt
command 1 o2101 succeeded
state 1 completed
`},
		"commands": {0, numbered("true", 2100), `
chat figures
message 'plan 1 is ready: 2100 commands (true 1, …)'
page plans/0001-r1.md '- [x] Command 2100\n  $$$sh\n  true 2100\n  $$$\n'
open .redline/plans/0001-r1.md
actions .redline/plans/0001-r1.md 0 offered
action .redline/plans/0001-r1.md 0 'run $true 1$ and 2099 more, and approve plan 1: figures'
command 1 o1 succeeded
`},
		"a command of 100 KB": {0, []string{"true " + strings.Repeat("x", 100<<10) + "; touch made"}, `
chat figures
message 'plan 1 is ready: 1 command (true xxx'
page plans/0001-r1.md 'xxx; touch made\n  $$$\n'
open .redline/plans/0001-r1.md
action .redline/plans/0001-r1.md 0 'run $true xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…$ (command o1 of plan 1)'
command 1 o1 succeeded
contains made ''
`},
	} {
		t.Run(name, func(t *testing.T) {
			var story, file strings.Builder
			story.WriteString("-- model --\n")
			for i := range c.edits {
				fmt.Fprintf(&file, "line %d\n", i+1)
				fmt.Fprintf(&story, "call: edit_file {\"path\":\"a.txt\",\"old_string\":\"line %d\\n\",\"new_string\":\"row %d\\n\"}\n", i+1, i+1)
			}
			for _, line := range c.commands {
				quoted, err := json.Marshal(line)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&story, "call: run_command {\"command\":%s}\n", quoted)
			}
			fmt.Fprintf(&story, "---\ntext: Done.\n-- ws/a.txt --\n%s-- script --%s", file.String(), strings.ReplaceAll(c.script, "$", "`"))
			story.WriteString("-- offered --\n" + offeredForMany)
			at := filepath.Join(t.TempDir(), "story.txtar")
			if err := os.WriteFile(at, []byte(story.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			playScenario(t, at)
		})
	}
}

// offeredForMany are the actions on a plan of 2,100 commands; only the first commands are
// offered one by one.
const offeredForMany = "refactor.redline: Redline: run `true 1` and 2099 more, and approve plan 1: figures\n" +
	"refactor.redline: Redline: run `true 1` (command o1 of plan 1)\n" +
	"refactor.redline: Redline: reject command o1 of plan 1\n" +
	"refactor.redline: Redline: run `true 2` (command o2 of plan 1)\n" +
	"refactor.redline: Redline: reject command o2 of plan 1\n" +
	"refactor.redline: Redline: run `true 3` (command o3 of plan 1)\n" +
	"refactor.redline: Redline: reject command o3 of plan 1\n" +
	"refactor.redline: Redline: run `true 4` (command o4 of plan 1)\n" +
	"refactor.redline: Redline: reject command o4 of plan 1\n" +
	"refactor.redline: Redline: run `true 5` (command o5 of plan 1)\n" +
	"refactor.redline: Redline: reject command o5 of plan 1\n" +
	`refactor.redline: Redline: reject plan 1 (2100 commands)
refactor.redline: Redline: rework plan 1
refactor.redline: Redline: show plan 1
`

// numbered returns n lines with a word and a number, from 1.
func numbered(word string, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("%s %d", word, i+1)
	}
	return lines
}
