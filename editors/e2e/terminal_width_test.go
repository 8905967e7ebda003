package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// What each command prints breaks between words at the width of the terminal, and never at its edge.
func TestTerminalWidths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	term := w.shell(80, 50, "PAGER=cat")
	term.command(`redline run --plan-only 'replace "greet(" with "salute("' | tail -1; redline run --plan-only 'run go test ./... -run TestGreetingsOfTheWholeWorld -count 1 -v' | tail -1`)
	term.shows("Plan 2 waits for you")
	commands := []string{
		"plans approve 1 --file call.go", "plans undo 1", "run --plan-only 'replace \"world\" with \"all\"'",
		"doctor", "plans list", "plans show 1", "plans show 2", "plans stage 1", "plans stage 2", "outside list", "stats", "trace 1", "trials", "conversations", "model",
		"--help", "run --help", "plans --help", "plans approve --help", "plans adopt --help", "setup --help", "init --help", "outside --help", "trials --help", "doctor --help", "stats --help", "serve --help", "nothing",
	}
	for _, columns := range []int{40, 60, 80} {
		if columns == 80 { // what they write has longer lines
			commands = append(commands, "init nvim </dev/null", "init nvim --write", "init helix --write", "init emacs --write", "init helix")
		}
		for i, command := range commands {
			t.Logf("%d columns: redline %s", columns, command)
			term.resize(columns, 50)
			resized := fmt.Sprintf("until stty size | grep -q ' %d$'; do sleep 0.1; done; ", columns) // tmux resizes a moment later
			term.command(resized + "clear; tput reset; " + fmt.Sprintf("redline %s; echo end''of %d.%d", command, columns, i))
			term.shows(fmt.Sprintf("endof %d.%d", columns, i))
			out, err := term.tty.(tmux).command("capture-pane", "-p", "-J", "-S", "-").Output() // with the lines that tmux has broken joined
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(string(out), "\n") {
				line = strings.TrimSpace(line)
				if words := strings.Contains(line, " "); words && runewidth.StringWidth(line) > columns && !strings.Contains(line, "stty size") {
					t.Errorf("%d columns, redline %s: the terminal breaks %q", columns, command, line)
				}
			}
		}
	}
}
