package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/state"
	"redline/edits"
)

// talks reports whether a run without a request asks for requests, one after the other: there is a
// terminal to read and show them, and nothing was asked for that only one request can do.
func (f *runFlags) talks(s streams) bool {
	return isTerminal(s.in) && isTerminal(s.out) && !f.json && !f.approve && !f.planOnly && !f.reflect && f.files == runFiles{}
}

// talk reads requests at the terminal until the user ends it, and runs a turn for each, all in one
// conversation. settings are the settings given as flags. Ctrl-C ends a turn; the plan of a turn that
// is not decided on waits, as after a run.
func talk(ctx context.Context, s streams, f *runFlags, settings map[string]string) error {
	s = watched(s)
	defer s.line.Close()
	set, a, con, err := f.open(s, settings)
	if err != nil {
		return err
	}
	defer set.store.Close()
	defer a.Close()
	if err := f.goesOn(ctx, a, set); err != nil {
		return err
	}
	// Ctrl-C ends a turn, not the program: only another signal ends that.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)

	lines := newLines(set.settings.StateDir, func(text string) []string { return completions(a, text) })
	defer lines.close()
	con.line.Set("", "")
	fmt.Fprintf(s.out, "Redline %s in %s\nSay what should change. /help lists the commands, Ctrl-D ends.\n", version, edits.VisibleLine(con.ws.Folders()[0].Dir))
	con.requests = lines
	t := &talker{flags: f, a: a, con: con, set: set, interrupts: interrupts}
	for {
		con.line.Break()
		fmt.Fprintln(s.out)
		select {
		case <-interrupts: // it came too late for the turn
		default:
		}
		release := con.line.Hold() // a turn that was interrupted may still have something to say
		request, err := lines.read(ctx, "redline> ")
		release()
		switch {
		case errors.Is(err, errLineDropped):
			continue
		case errors.Is(err, io.EOF), ctx.Err() != nil:
			fmt.Fprintln(s.out)
			t.bye()
			return nil
		case err != nil:
			return fmt.Errorf("the terminal cannot be read (%w): ask with redline run REQUEST", err)
		case slices.Contains([]string{"exit", "quit", "/exit", "/quit"}, request):
			t.bye()
			return nil
		case request != "":
			if lines.interrupted() {
				fmt.Fprintln(s.err)
				report(ctx, errInterrupted, s.err)
				continue
			}
			t.turn(ctx, request)
		}
	}
}

// talker is the conversation of a terminal.
type talker struct {
	flags      *runFlags
	a          *agent.Agent
	con        *console
	set        *setup
	interrupts <-chan os.Signal
	asked      bool // the user was asked whether models may try commands
}

// turn runs the turn of a request, and carries out the user's decision. What goes wrong is printed.
func (t *talker) turn(ctx context.Context, request string) {
	ctx, end := t.until(ctx)
	defer end()
	result := runResult{MaxSteps: t.set.settings.Steps}
	var err error
	if !t.asked && t.flags.mode != "ask" && !strings.HasPrefix(request, "/") {
		t.asked = true
		err = askTrials(ctx, t.a, t.con)
	}
	if err == nil {
		err = turnAndDecide(ctx, t.a, t.con, t.flags, request, &result)
	}
	if result.talk != "" { // the flags choose for the conversation, once
		t.flags.conversation, t.flags.mode, t.flags.agent, t.flags.with = result.talk, "", "", ""
	}
	report(ctx, err, t.con.err)
}

// until returns a context that ends with the next Ctrl-C. Another one ends the program, as it does
// elsewhere: what was applied by then is kept, and the rest waits.
func (t *talker) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		for range 2 {
			select {
			case <-t.interrupts:
				if ctx.Err() != nil {
					os.Exit(exitStopped)
				}
				cancel()
			case <-over:
				return
			}
		}
	}()
	return ctx, func() { close(over); cancel() }
}

// bye says what the requests have cost.
func (t *talker) bye() {
	t.con.mu.Lock()
	u := t.con.usage
	t.con.mu.Unlock()
	if u == (state.Usage{}) {
		return
	}
	fmt.Fprintf(t.con.out, "Tokens: %s.\n", tokens(u.Prompt, u.Completion, u.Cost))
}

// completions returns what can stand in place of a request that is being typed: the request with its
// last word completed.
func completions(a *agent.Agent, text string) (all []string) {
	at, ok := chat.CompletingMessage(text)
	if !ok {
		return nil
	}
	add := func(word string) {
		if strings.HasPrefix(strings.ToLower(word), strings.ToLower(text[at.Span.Start:])) {
			all = append(all, text[:at.Span.Start]+word)
		}
	}
	switch at.What {
	case chat.CommandName:
		for _, c := range chat.Commands() {
			if c.Name != "send" {
				add("/" + c.Name + " ")
			}
		}
	case chat.PlanNumber:
		for _, p := range slices.Backward(a.Board.Snapshot().Plans) {
			add(fmt.Sprint(p.Plan.Number))
		}
	default:
		for _, word := range a.Turns.Words(at.What) {
			add(word)
		}
	}
	return all
}
