package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shell starts a shell in the workspace, on a screen of the given size; env is added to the world's
// environment.
func (w *world) shell(columns, rows int, env ...string) *terminal {
	w.t.Helper()
	w.env = append(w.env, append([]string{"PS1=$ ", "ENV=", "LESS="}, env...)...)
	term := w.terminal("sh")
	term.resize(columns, rows)
	term.shows("$")
	return term
}

// command types a command line and runs it.
func (term *terminal) command(line string) {
	term.t.Helper()
	term.write(line)
	term.press("Enter")
}

// says answers the question on the screen, and waits for the text that follows.
func (term *terminal) says(answer string, then ...string) {
	term.t.Helper()
	term.command(answer)
	term.shows(then...)
}

// asked answers the question on the screen, and waits for the next one, which begins with a number.
func (term *terminal) asked(answer, number string) {
	term.t.Helper()
	term.command(answer)
	term.await("it asks "+number, func(screen string) bool {
		line := lastLine(screen)
		return strings.HasPrefix(line, number) && strings.HasSuffix(line, "]?")
	})
}

// gone waits until a text is no longer on the screen.
func (term *terminal) gone(text string) {
	term.t.Helper()
	term.await(text+" is gone", func(screen string) bool { return !strings.Contains(screen, text) })
}

const asksForSalute = "redline run 'salute instead of greeting'"

func TestEightStepsInTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	m := w.withPaced()
	term := w.shell(100, 48)

	began := time.Now()
	term.command(asksForSalute)
	term.shows("Waiting for the model")
	t.Logf("the first sign of life after %v", time.Since(began).Round(time.Millisecond))
	m.next(t)
	term.shows("I look who greets first.")
	m.next(t)
	term.shows("Reading greet.go")
	term.shot("terminal", stepRequest)
	m.next(t)
	term.shows("Waiting for the model (2 files read")
	m.next(t)
	term.shows("I look who greets first.\n", "Two files do.\n", "2 files read; 2 files, +4 −4 staged")
	m.next(t)
	term.shows("Everybody is")
	if strings.Contains(term.screen(), "saluted now") {
		t.Error("the answer is there before it has come")
	}
	m.next(t)

	term.shows("Everybody is saluted now.", "Apply plan 1: 2 files, +4 −4 [y,n,h,r,e,l,?]?")
	term.gone("Waiting for")
	term.shot("terminal", stepSee)
	term.says("h", "(1/3) Apply this hunk [y,n,a,d,j,g,/,e,q,?]?")
	term.asked("j", "(2/3)")
	term.says("j", "(3/3) Apply this hunk [y,n,a,d,j,k,g,/,s,e,q,?]?")
	term.shot("terminal", stepNavigate)
	term.says("x", "k - go back to the hunk before") // no answer
	term.asked("k", "(2/3)")
	term.asked("k", "(1/3)")
	term.asked("y", "(2/3)")
	term.says("q", "greet.go: 1 of 2 hunks applied", "Plan 1 waits for your decision. Undecided: 3 hunks")
	term.shot("terminal", stepApproveHunk)
	w.has("greet.go", strings.Replace(greeters["greet.go"], "func greet(", "func salute(", 1))
	w.has("call.go", greeters["call.go"])

	term.command("clear; redline plans reject 1 --hunk h2; redline plans show 1 | head -14")
	term.shows("line 13, +1 −1: rejected")
	term.shot("terminal", stepRejectHunk)
	term.command("clear; redline plans approve 1 | tail -3")
	term.shows("call.go: applied", "Plan 1 is completed.")
	term.shot("terminal", stepApprovePlan)
	w.has("call.go", strings.ReplaceAll(greeters["call.go"], "greet(", "salute("))
	term.command("clear; redline plans undo 1")
	term.shows("Taken back from plan 1:")
	term.shot("terminal", stepUndo)
	w.has("greet.go", greeters["greet.go"])
	w.has("call.go", greeters["call.go"])

	term.command("clear; " + asksForSalute + "; echo status $?")
	term.shows("Waiting for the model")
	term.press("C-c")
	term.shows("interrupted, and nothing was changed", "status 130")
	term.gone("Waiting for")
	term.shot("terminal", stepCancel)
}

// proposes makes the paced model propose its plan, and waits for the question.
func (term *terminal) proposes(m *paced) {
	term.t.Helper()
	term.command("clear; " + asksForSalute)
	for range 6 {
		m.next(term.t)
	}
}

// Hunks that are close together are split; one that is edited is shown again and applied only then;
// everything is applied at once, at the end.
func TestTerminalByHunk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	m := w.withPaced()
	editor := filepath.Join(w.home, "editor")
	w.write(editor, "#!/bin/sh\nsed -i.old -e 's/^+\\(.*\\)salute/+\\1welcome/' \"$1\"\n")
	if err := os.Chmod(editor, 0o700); err != nil {
		t.Fatal(err)
	}
	term := w.shell(100, 60, "EDITOR="+editor)
	term.proposes(m)
	term.shows("Apply plan 1")
	term.asked("h", "(1/3)")
	term.asked("n", "(2/3)")
	term.asked("y", "(3/3)")
	term.says("s", "Split into 2 hunks.", "(3/4)")
	term.asked("y", "(4/4)")
	term.says("s", "This hunk cannot be split")
	term.says("e", "Plan 1 is revision 2 now.")
	term.await("the edited hunk is shown, and asked about", func(screen string) bool {
		_, after, _ := strings.Cut(screen, "is revision 2 now.")
		return holds(after, "welcome(", "Apply this hunk")
	})
	w.has("call.go", greeters["call.go"])
	term.says("a", "call.go: applied", "greet.go: 1 of 2 hunks applied, 1 rejected", "Plan 1 is completed.")
	w.has("greet.go", strings.Replace(greeters["greet.go"], `greet("world")`, `salute("world")`, 1))
	got, err := os.ReadFile(filepath.Join(w.dir, "call.go"))
	if err != nil || !strings.Contains(string(got), `two := welcome("two")`) {
		t.Errorf("call.go holds %q, %v", got, err)
	}
}

// Ctrl-C at the question leaves the plan pending, and a message says how to continue.
func TestTerminalInterruptedQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	m := w.withPaced()
	term := w.shell(100, 48)
	term.proposes(m)
	term.shows("Apply plan 1")
	term.asked("h", "(1/3)")
	term.asked("y", "(2/3)")
	term.press("C-c")
	term.shows("Plan 1 waits for you: redline plans approve 1", "interrupted, and nothing was changed")
	w.has("greet.go", greeters["greet.go"])
	term.await("the shell asks", func(screen string) bool { return lastLine(screen) == "$" }) // it drops what is typed before
	term.command("clear; redline plans show 1 | head -2")
	term.shows("awaiting approval, revision 1")
}

// Output longer than the screen is paged; NO_COLOR keeps the marks and removes the colours.
func TestTerminalPager(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("less"); err != nil {
		t.Skip("less is not here: install it with your package manager")
	}
	for _, tt := range []struct {
		name, env     string
		paged, colour bool
	}{
		{"less", "A=b", true, true},
		{"no colour", "NO_COLOR=1", true, false},
		{"none", "PAGER=cat", false, true},
		{"dumb", "TERM=dumb", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, greeters)
			m := w.withPaced()
			term := w.shell(100, 24)
			term.command("export " + tt.env)
			term.proposes(m)
			if tt.paged {
				term.await("the pager waits", func(screen string) bool {
					return strings.HasSuffix(strings.TrimRight(screen, "\n "), "\n:") && strings.Contains(screen, "Plan 1, revision 1")
				})
				term.press("q")
			}
			term.shows("Apply plan 1")
			out, err := term.tty.(tmux).command("capture-pane", "-e", "-p").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(out), "\x1b[31m"); got != tt.colour {
				t.Errorf("colours: %v, want %v", got, tt.colour)
			}
			term.says("n", "Plan 1 is cancelled.")
			w.has("greet.go", greeters["greet.go"])
		})
	}
}

// While a terminal becomes narrower, the status never overwrites printed text.
func TestTerminalNarrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	m := w.withPaced()
	term := w.shell(60, 30, "PAGER=cat")
	term.command("clear; " + asksForSalute)
	m.next(t)
	m.next(t)
	m.next(t)
	term.shows("Waiting for the model (2 files read")
	for _, columns := range []int{40, 24, 50} {
		term.resize(columns, 30)
		term.await("the status is the last line, and what was said is there", func(screen string) bool {
			return strings.HasPrefix(term.scrolled()+screen, "I look who") && strings.Contains(lastLine(screen), "Waiting")
		})
	}
	term.resize(40, 30)
	m.next(t)
	m.next(t)
	m.next(t)
	term.shows("Apply plan 1: 2 files")
	term.says("l", "Plan 1 waits for you")
}

// While an endpoint accepts a request and never answers, the status shows a sign of life all the
// time.
func TestTerminalSilentEndpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	w.withPaced()
	term := w.shell(100, 30)
	began := time.Now()
	term.command(asksForSalute)
	term.shows("Waiting for the model…")
	t.Logf("the first sign of life after %v", time.Since(began).Round(time.Millisecond))
	term.shows("Waiting for the model (2 s)…")
	term.press("C-c")
	term.shows("interrupted")
}

// At a terminal redline alone asks again and again, in one conversation. Ctrl-C ends a turn, not the
// program; Tab completes; what was typed once is found again by another one; the terminal is as it was
// afterwards.
func TestTerminalTalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	term := w.shell(100, 40)
	term.command("redline")
	term.shows("Say what should change.", "redline>")
	term.command(`replace "greet(" with "salute("`)
	term.shows("Apply plan 1: 2 files, +4 −4 [y,n,h,r,e,l,?]?")
	term.says(`r replace "salute(" with "welcome("`, "Plan 1, revision 2")
	term.awaitPrompt("Apply plan 1: 2 files, +4 −4 [y,n,h,r,e,l,?]?")
	term.says("y", "Plan 1 is completed.")
	term.awaitPrompt("redline>")
	w.has("greet.go", strings.ReplaceAll(greeters["greet.go"], "greet(", "welcome("))

	term.write("/und")
	term.press("Tab")
	term.shows("redline> /undo")
	term.press("Enter")
	term.await("the plan is taken back", func(string) bool { return w.read("greet.go") == greeters["greet.go"] })
	term.awaitPrompt("redline>")

	term.command("/new run sleep 1000")
	term.shows("Run `sleep 1000` [y,n,l,?]?")
	term.command("y")
	term.shows("Running `sleep 1000`")
	term.press("C-c")
	term.shows("interrupted: redline plans show lists what was done")
	term.awaitPrompt("redline>")
	term.write("this is dropped")
	term.shows("redline> this is dropped")
	term.press("C-c")
	term.awaitPrompt("redline>")
	term.press("C-d")
	term.awaitPrompt("$")

	term.command("clear; redline --continue")
	term.awaitPrompt("redline>")
	term.press("Up", "Up")
	term.shows("redline> /undo")
	term.press("C-c")
	term.awaitPrompt("redline>")
	term.command("exit")
	term.awaitPrompt("$")
	term.command("clear; echo modes $(stty -a | tr ' ' '\\n' | grep -cx -e icanon -e echo -e isig -e icrnl)")
	term.shows("modes 4")
}

// awaitPrompt waits until the last line of the screen is this prompt, with nothing typed after it.
func (term *terminal) awaitPrompt(prompt string) {
	term.t.Helper()
	term.await("it asks with "+prompt, func(screen string) bool { return strings.TrimSpace(lastLine(screen)) == prompt })
}

// Ctrl-C at a question leaves the plan pending, and what is typed afterwards is a request again.
func TestTerminalTalkInterruptedQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	term := w.shell(100, 40)
	term.command("redline")
	term.shows("Say what should change.", "redline>")
	for plan := range 2 {
		term.command(`/new replace "greet(" with "salute("`)
		term.awaitPrompt(fmt.Sprintf("Apply plan %d: 2 files, +4 −4 [y,n,h,r,e,l,?]?", 1+plan))
		term.press("C-c")
		term.awaitPrompt("redline>")
		w.has("greet.go", greeters["greet.go"])
		unknown := fmt.Sprintf("redline> /unknown%d after Ctrl-C", plan)
		term.command(strings.TrimPrefix(unknown, "redline> "))
		term.shows(unknown)
		term.awaitPrompt("redline>")
	}
	term.press("C-d")
	term.awaitPrompt("$")
}

// Ctrl-C right after Enter ends the turn, however early it comes.
func TestTerminalTalkInterruptedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	w.withPaced()
	term := w.shell(100, 40)
	term.command("redline")
	term.awaitPrompt("redline>")
	for turn := range 3 {
		request := fmt.Sprintf("salute %d times", turn)
		term.write(request)
		term.shows("redline> " + request)
		term.press("Enter", "C-c") // the terminal has both before the line is read
		term.await("the turn is interrupted", func(screen string) bool {
			return strings.Count(screen, "interrupted, and nothing was changed") == 1+turn && lastLine(screen) == "redline>"
		})
	}
	term.press("C-d")
	term.awaitPrompt("$")
}

// A pasted text of several lines is one request.
func TestTerminalTalkPaste(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	m := w.withPaced()
	term := w.shell(100, 40)
	term.command("redline")
	term.awaitPrompt("redline>")
	term.paste("salute:\n\tin greet.go\n\tin call.go\n")
	term.shows("redline> salute:⏎⇥in greet.go⏎⇥in call.go⏎")
	term.write("please")
	term.press("Enter")
	term.shows("Waiting for the model")
	for range 6 {
		m.next(t)
	}
	term.awaitPrompt("Apply plan 1: 2 files, +4 −4 [y,n,h,r,e,l,?]?")
	term.says("n", "Plan 1 is cancelled.")
	term.awaitPrompt("redline>")
	if got, want := <-m.asked, "salute:\n\tin greet.go\n\tin call.go\nplease"; !strings.Contains(got, want) {
		t.Errorf("the model was asked %q, want %q", got, want)
	}
	term.press("C-d")
	term.awaitPrompt("$")
}

// What is typed while a turn works does not answer its question.
func TestTerminalTalkTypedAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, greeters)
	m := w.withPaced()
	term := w.shell(100, 48)
	term.command("redline")
	term.awaitPrompt("redline>")
	term.command("salute instead of greeting")
	term.shows("Waiting for the model")
	term.command("y")
	term.shows("Waiting for the model") // the screen is asked for after the keys, so the terminal has them
	for range 6 {
		m.next(t)
	}
	term.shows("Apply plan 1: 2 files, +4 −4 [y,n,h,r,e,l,?]?")
	term.says("n", "Plan 1 is cancelled.")
	w.has("greet.go", greeters["greet.go"])
	term.awaitPrompt("redline>")
	term.press("C-d")
	term.awaitPrompt("$")
}
