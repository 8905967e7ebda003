package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/trace"
	"redline/edits"
)

func newTrace(s streams) *cobra.Command {
	f := &workspaceFlags{}
	cmd := &cobra.Command{
		Use:   "trace [TURN|N]",
		Short: "Show what the agent did in a turn, step by step",
		Long: `Shows what the agent did, step by step: the route of a turn, the requests to models,
the calls of tools and their results.

Without an argument it is the last turn of the workspace. A number is a plan's:
all turns that made or changed it. Turns are called t1, t2 … in each session;
such a name means the newest turn that has it, and the longer one in brackets
(0a1b2c3d-t1) means exactly one turn. docs/records.md says what a trace holds.`,
		Example: `  redline trace
  redline trace 3
  redline trace t2 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(fmt.Errorf("redline trace takes one turn or plan, but %q was given too: run it once for each", args[1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.with(s, func(a *agent.Agent, con *console) error {
				list, err := a.Traces.List(cmd.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				for i := range list {
					switch {
					case f.json:
						con.print(traceLine{"trace", &list[i]})
					default:
						if i > 0 {
							fmt.Fprintln(con.out)
						}
						fmt.Fprint(con.out, edits.Visible(list[i].Text()))
					}
				}
				return nil
			})
		},
	}
	f.define(cmd.Flags())
	return cmd
}

// traceLine is one trace as a line of --json.
type traceLine struct {
	Kind string `json:"kind"` // trace
	*trace.Trace
}

// tellStep prints a step of a trace when it happens.
func (c *console) tellStep(s *trace.Step) {
	fmt.Fprintf(c.err, "· %s\n", edits.Visible(s.Line()))
	if s.Detail != "" {
		fmt.Fprintln(c.err, "  "+strings.ReplaceAll(edits.Visible(s.Detail), "\n", "\n  "))
	}
}

// tellCall prints a step of a trace in words, for people: a tool call with its result, or
// a request with its reply.
func (c *console) tellCall(s *trace.Step) {
	text := ""
	switch s.Kind {
	case trace.ToolDone, trace.SpecialistToolDone:
		_, what, several := strings.Cut(s.Summary, " ")
		if !several || !strings.HasPrefix(s.Name, strings.Fields(s.Summary)[0]) {
			what = strings.TrimPrefix(s.Summary, "command ")
		}
		text = strings.TrimSpace(s.Name + " " + what)
	case trace.Reply:
		text = s.Name + " answered"
		for _, more := range []string{s.Error, s.Spent()} {
			if more != "" {
				text += ", " + more
			}
		}
	case trace.Route:
		text = strings.TrimSpace("route " + s.Route + " " + s.Summary)
	case trace.Tool, trace.SpecialistTool, trace.Request, trace.Staged, trace.Notice, trace.PlannerResponse:
		return // the result says it, or it is printed anyway
	default:
		text = strings.Join(strings.Fields(s.Line()), " ")
	}
	fmt.Fprintf(c.err, "· %s\n", oneLine(text))
}
