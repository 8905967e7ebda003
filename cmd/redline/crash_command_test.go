package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/lsp/lsptest"
)

// Redline is killed, as a server and as the command line, at random moments while it runs a command
// that would take minutes. The next process reports that the command has failed, or had not begun;
// no process of it still runs; and it can be decided on again.
func TestCrashWhileACommandRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows runs no commands")
	}
	wanted, seed := crashShare(t, 8)
	w := newLineWorld(t, seed)
	for w.killed() < wanted {
		w.commandRound()
	}
	t.Logf("%d kills: %v", w.killed(), w.kills)
}

// commandRound makes a plan with a command, and kills the program while it runs.
func (w *lineWorld) commandRound() {
	w.t.Helper()
	w.round++
	// A command line that no other process has.
	line := fmt.Sprintf("sleep %d.%d", 300+w.round, os.Getpid())
	if status, said := w.redline("run", "run `"+line+"`"); status != exitWaiting {
		w.t.Fatalf("asking for a command: exit status %d: %s", status, said)
	}
	p := w.newest()
	if len(p.Commands) != 1 || p.Commands[0].Command != line {
		w.t.Fatalf("plan %d has the commands %+v", p.Plan, p.Commands)
	}
	n := strconv.Itoa(p.Plan)
	if w.rng.IntN(2) == 0 {
		w.killedServer(p, line)
	} else {
		w.killedApproval(n, line)
	}
	// A process that Redline is starting shares its locks until it runs its own program, so for
	// that moment the plan counts as executing.
	for p = w.newest(); p.State == string(plan.Executing); p = w.newest() {
		if w.ctx.Err() != nil {
			w.t.Fatalf("plan %d is executing, and nobody works on it", p.Plan)
		}
	}
	if len(p.Commands) != 1 {
		w.t.Fatalf("plan %d has the commands %+v", p.Plan, p.Commands)
	}
	switch c := p.Commands[0]; {
	case c.Status == string(plan.CommandFailed) && c.Reason != "", c.Status == string(plan.CommandPending):
	default:
		w.t.Fatalf("plan %d: the command is %s (%s)", p.Plan, c.Status, c.Reason)
	}
	for w.runs(line) {
		if w.ctx.Err() != nil {
			w.t.Fatalf("%s goes on after the end of Redline", line)
		}
		time.Sleep(time.Millisecond)
	}
	if status, said := w.redline("plans", "reject", n); status != exitOK {
		w.t.Fatalf("rejecting what is left: exit status %d: %s", status, said)
	}
}

// killedApproval kills the command line while it runs the command of a plan.
func (w *lineWorld) killedApproval(n, line string) {
	w.t.Helper()
	cmd := w.command("plans", "approve", n, "--allow-commands", "--dir", w.dir)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.awaitCommand(line, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // it was killed
	w.kills["plans approve"]++
}

// killedServer kills a server while it runs the command of a plan.
func (w *lineWorld) killedServer(p *state.Plan, line string) {
	w.t.Helper()
	world := &crashWorld{t: w.t, ctx: w.ctx, dir: w.dir, state: w.state, rng: w.rng}
	world.env = []string{"REDLINE_STATE_DIR=" + w.state, "REDLINE_CONFIG=", "XDG_CONFIG_HOME=" + filepath.Join(w.state, "none"), "REDLINE_LOG="}
	server := world.startServer()
	editor, err := lsptest.Start(w.ctx, server, lsptest.HelixLike(), w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	defer editor.Kill()
	answered := make(chan struct{})
	ctx, cancel := context.WithCancel(w.ctx)
	go func() {
		defer close(answered)
		_, _ = editor.Execute(ctx, "redline.approve", map[string]any{"plan": p.Plan, "hash": p.Hash, "allowCommands": true}) // the server is killed meanwhile
	}()
	w.awaitCommand(line, server.kill)
	_ = server.cmd.Wait() // it was killed
	cancel()
	<-answered
	w.kills["serve"]++
}

// awaitCommand calls kill shortly before or after a command begins.
func (w *lineWorld) awaitCommand(line string, kill func()) {
	w.t.Helper()
	if usual := w.usual["begin"]; usual > 0 && w.rng.IntN(3) == 0 {
		time.Sleep(time.Duration(w.rng.Int64N(int64(usual))))
		kill()
		return
	}
	began := time.Now()
	for !w.runs(line) {
		if w.ctx.Err() != nil {
			kill()
			w.t.Fatalf("%s does not begin", line)
		}
		time.Sleep(time.Millisecond)
	}
	w.usual["begin"] = time.Since(began)
	time.Sleep(time.Duration(w.rng.Int64N(int64(20 * time.Millisecond))))
	kill()
}

// runs reports whether a process has the words of a command line as its arguments.
func (w *lineWorld) runs(line string) bool {
	words := []byte(strings.ReplaceAll(line, " ", "\x00") + "\x00")
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(names) == 0 { // macOS
		out, err := exec.Command("ps", "-axo", "args=").Output()
		return err == nil && slices.Contains(strings.Split(string(out), "\n"), line)
	}
	for _, name := range names {
		if args, err := os.ReadFile(name); err == nil && bytes.Equal(args, words) {
			return true
		}
	}
	return false
}

// newest returns the newest plan as the next command reports it.
func (w *lineWorld) newest() *state.Plan {
	w.t.Helper()
	raw, err := w.command("plans", "list", "--json", "--dir", w.dir).Output()
	if err != nil {
		w.t.Fatalf("listing the plans: %v", err)
	}
	var list struct{ Plans []state.Plan }
	if err := json.Unmarshal(raw, &list); err != nil || len(list.Plans) == 0 {
		w.t.Fatalf("%d plans: %v", len(list.Plans), err)
	}
	newest := &list.Plans[0]
	for i := range list.Plans {
		if list.Plans[i].Plan > newest.Plan {
			newest = &list.Plans[i]
		}
	}
	return newest
}
