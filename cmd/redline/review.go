package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
	"redline/web"
)

// reviewFlags are the flags of redline review.
type reviewFlags struct {
	workspaceFlags
	port   int
	noOpen bool
	wait   bool
}

func newReview(s streams) *cobra.Command {
	f := &reviewFlags{}
	cmd := &cobra.Command{
		Use:               "review [N]",
		Short:             "Review a plan on a page in your browser",
		ValidArgsFunction: completesFirst(planNumbers),
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) > 1 {
				return usage(errors.New("name one plan: redline review [N]"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 0
			if len(args) > 0 {
				var err error
				if n, err = planNumber(args[0]); err != nil {
					return err
				}
			}
			if f.port < 0 || f.port > 65535 {
				return usage(errors.New("--port must be a number up to 65535 (0: one that is free)"))
			}
			return f.serve(cmd.Context(), s, n)
		},
	}
	f.define(cmd.Flags())
	cmd.Flags().IntVar(&f.port, "port", 0, "serve the page at this `port` (default: one that is free)")
	cmd.Flags().BoolVar(&f.noOpen, "no-open", false, "open no browser")
	cmd.Flags().BoolVar(&f.wait, "wait", false, "print what was decided on standard output, for scripts")
	return explained(cmd, `Shows a plan on a page in your browser: all its changes, where you approve and reject
them, and send that as one decision. Without N it is the plan that waits for you.
The page is served to this machine only, and ends when the plan is decided, or when you
end it and all has run that you have approved. From another machine, forward a port as
in the last example, open http://127.0.0.1:8123/ there and type the printed code. The
exit status is that of redline plans approve.`, `  redline review
  redline review 3 --wait
  ssh -L 8123:127.0.0.1:8123 host redline review --port 8123 --no-open`)
}

// editorWithin is how long an editor that has the workspace open has to take a decision up; 0: the page's own
// limit. Tests change it.
var editorWithin time.Duration

// serve serves the page until the plan is decided, or the user ends it.
func (f *reviewFlags) serve(ctx context.Context, s streams, n int) error {
	s = watched(s)
	defer s.line.Close()
	set, ws, err := f.open(s)
	if err != nil {
		return err
	}
	return f.on(set, ws, s, func(a *agent.Agent, con *console) error {
		con.quiet = true // the page shows what happens
		if n, err = waitingPlan(ctx, a, n); err != nil {
			return err
		}
		o := pageOptions(a, n)
		o.TakeWithin = editorWithin
		o.Port, o.Forbidden, o.Seen, o.Note = f.port, set.settings.Forbidden(), con.seen.revision, con.seen.note
		server, err := web.Start(o)
		if err != nil {
			return err
		}
		defer server.Close()
		remove := f.invite(s, server, n)
		defer remove()
		go server.Watch(ctx)
		select {
		case <-server.Ended():
		case <-ctx.Done():
			return ctx.Err()
		}
		err = server.Settle(ctx, func() {
			fmt.Fprintln(folding(s.err), "The review has ended. Waiting for what you have approved or asked for: Ctrl+C stops it.")
		})
		if err != nil {
			return err
		}
		return f.tell(context.WithoutCancel(ctx), a, con, server, n)
	})
}

// pageOptions returns what each page of a plan needs.
func pageOptions(a *agent.Agent, n int) web.Options {
	return web.Options{Agent: a, Plan: n, Version: version, Ranges: func(p *state.Plan) any { return positions.Plan(p) }}
}

// writePage writes the page of a plan as one file. Only the user can read it.
func writePage(ctx context.Context, a *agent.Agent, con *console, n int, file string, outputs bool) error {
	o := pageOptions(a, n)
	o.Outputs = outputs
	page, err := web.Page(ctx, o)
	if err != nil {
		return err
	}
	if err := writePrivate(file, page); err != nil {
		return plan.Refuse(plan.Invalid, "The page cannot be written: %s.", err)
	}
	if !con.quiet {
		fmt.Fprintf(folding(con.out), "Plan %d is in %s.\n", n, oneLine(file))
	}
	return nil
}

// writePrivate writes a file that only the user can read, also where there was one that others could.
func writePrivate(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := errors.Join(f.Chmod(0o600), f.Truncate(0)); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// invite prints where the page is, and opens it in the user's browser. remove deletes what that
// needed.
func (f *reviewFlags) invite(s streams, server *web.Server, n int) (remove func()) {
	out := folding(s.err)
	_, port, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(server.Address(), "http://"), "/"), ":")
	fmt.Fprintf(out, "Plan %d is at %s\nOn another machine: ssh -L %s:127.0.0.1:%s THIS-HOST there, open the same address, type the code %s\n",
		n, server.Address(), port, port, server.Code())
	if f.noOpen {
		return func() {}
	}
	door, remove, err := server.Door()
	if err == nil {
		err = openBrowser(door)
	}
	if err != nil {
		fmt.Fprintf(out, "No browser could be opened (%s): open the address, and type the code.\n", err)
	}
	if remove == nil {
		return func() {}
	}
	return remove
}

// openBrowser opens a file in the user's browser: $BROWSER, or what the system opens pages with. It
// does not wait until the browser ends.
func openBrowser(file string) error {
	var cmd *exec.Cmd
	switch {
	case os.Getenv("BROWSER") != "":
		cmd = exec.Command(os.Getenv("BROWSER"), file)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", file)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", file)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return errors.New("there is no screen here")
	default:
		cmd = exec.Command("xdg-open", file)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// waitingPlan returns the number of the plan to review: n, or else the one that waits.
func waitingPlan(ctx context.Context, a *agent.Agent, n int) (int, error) {
	if n > 0 {
		p, err := a.Board.PlanState(ctx, n)
		if err == nil && !plan.State(p.State).Open() {
			err = plan.Refuse(plan.WrongState, "Plan %d is %s: nothing of it waits for a decision.", n, words(p.State))
		}
		return n, err
	}
	all, err := a.State(ctx, false)
	if err != nil {
		return 0, err
	}
	var open []int
	for _, p := range all.Plans {
		if plan.State(p.State).Open() {
			open = append(open, p.Plan)
		}
	}
	switch len(open) {
	case 0:
		return 0, plan.Refuse(plan.WrongState, "No plan waits for a decision: redline plans list shows all.")
	case 1:
		return open[0], nil
	}
	return 0, usage(fmt.Errorf("%s wait: name one, as in redline review %d", phrase.Count(len(open), "plan"), open[len(open)-1]))
}

// tell prints what was decided. The exit status is that of the plan.
func (f *reviewFlags) tell(ctx context.Context, a *agent.Agent, con *console, server *web.Server, n int) error {
	until, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	p, err := a.Board.PlanState(until, n)
	if err != nil {
		return err
	}
	switch {
	case f.json:
		con.print(positions.Plan(&p))
	case f.wait:
		tellState(con, &p)
	default:
		fmt.Fprintf(folding(con.err), "Plan %d %s.\n", n, plan.State(p.State).Predicate())
	}
	failed := server.Failed()
	switch {
	case p.State == string(plan.Completed): // whatever failed before
		failed = nil
	case failed != nil && commandFailed(&p):
		failed = commandError{failed}
	}
	return cmp.Or(failed, waiting(&p))
}
