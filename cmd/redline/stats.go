package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/store"
	"redline/agent/trace"
	"redline/edits"
	"redline/internal/phrase"
)

func newStats(s streams) *cobra.Command {
	f := &workspaceFlags{}
	var all bool
	var days int
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show how plans do",
		Long: `Shows how the plans of a workspace did, with the targets beside the figures. They
stay on this machine. docs/reference/stats.md says what is counted.`,
		Example: `  redline stats
  redline stats --all --since 30`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 || days > maxDays {
				return usage(errors.New("--since is a number of days: redline stats --since 30"))
			}
			var since time.Time
			if cmd.Flags().Changed("since") {
				since = time.Now().AddDate(0, 0, -days)
			}
			return f.with(s, func(a *agent.Agent, con *console) error {
				told, err := a.Stats(cmd.Context(), all, since)
				if err != nil {
					return err
				}
				if f.json {
					con.print(told)
					return nil
				}
				return tellStats(con, told)
			})
		},
	}
	flags := cmd.Flags()
	f.define(flags)
	flags.BoolVar(&all, "all", false, "the plans of every workspace")
	flags.IntVar(&days, "since", 0, "only plans of the last so many `days`")
	return cmd
}

// maxDays is more than the age of any plan.
const maxDays = 36_500

func tellStats(con *console, s store.Stats) error {
	if s.Plans.All == 0 {
		fmt.Fprintln(con.out, "There are no plans yet.")
		return nil
	}
	table := newTable(con.out)
	row := func(name, value, of, target string, met *bool) {
		mark := ""
		if met != nil {
			mark = map[bool]string{true: "met", false: "not met"}[*met]
		}
		fmt.Fprintln(table, strings.TrimRight(strings.Join([]string{name, value, of, target, mark}, "\t"), "\t"))
	}
	plans := fmt.Sprintf("%d completed, %d cancelled, %d open", s.Plans.Completed, s.Plans.Cancelled, s.Plans.Open)
	row("plans", fmt.Sprint(s.Plans.All), plans, "", nil)
	row("completed", percent(s.Completion.Value), of(s.Completion.Of, "decided plan"), "target over 80 %", s.Completion.Met)
	row("revisions of a plan", decimal(s.Revisions.Value), of(s.Revisions.Of, "plan"), "target under 2", s.Revisions.Met)
	row("operations succeeded", percent(s.Operations.Value), of(s.Operations.Of, "operation")+" carried out", "target over 95 %", s.Operations.Met)
	took := "–"
	if s.Execution.Median != nil {
		took = fmt.Sprintf("%s, 95 %% in %s", duration(*s.Execution.Median), duration(*s.Execution.P95))
	}
	row("time to execute", took, of(s.Execution.Of, "approval"), "target under 30 s for 10 operations", s.Execution.Met)
	row("your rating", decimal(s.Rating.Value), of(s.Rating.Of, "rated plan"), "target over 4.5 of 5", s.Rating.Met)
	h := s.Hunks
	row("hunks", fmt.Sprint(h.Shown), fmt.Sprintf("%d applied unchanged, %d edited, %d rejected, %d stale, %d undone",
		h.Unchanged, h.Edited, h.Rejected, h.Stale, h.Undone), "", nil)
	var steps []string
	for _, name := range slices.Sorted(maps.Keys(s.Matching)) {
		steps = append(steps, fmt.Sprintf("%s %d", name, s.Matching[name]))
	}
	row("found by", strings.Join(steps, ", "), "", "", nil)
	row("tokens", tokens(s.Tokens.Prompt, s.Tokens.Completion, s.Tokens.Cost),
		fmt.Sprintf("of %d of %s", s.Tokens.Of, phrase.Count(s.Plans.All, "plan")), "", nil)
	if d := s.Drift; d.Of > 0 {
		row("files as predicted", percent(new(float64(d.Of-d.Differed)/float64(d.Of))), of(d.Of, "plan")+" in words",
			fmt.Sprintf("%d not expected, %d not touched", d.Unexpected, d.Untouched), nil)
	}
	f := s.Fallbacks
	row("fallbacks", fmt.Sprint(f.Planner+f.Classification+f.Prediction), fmt.Sprintf("%d by keywords, %d by rules, %d by form", f.Planner, f.Classification, f.Prediction),
		of(f.Of, "turn"), nil)
	return table.Flush()
}

func of(n int, noun string) string { return "of " + phrase.Count(n, noun) }

// tokens describes how many tokens the requests to a model used, and what they cost if
// that is known.
func tokens(sent, received int, cost float64) string {
	text := fmt.Sprintf("%d sent, %d received", sent, received)
	if cost > 0 {
		text += fmt.Sprintf(", cost %.4f", cost)
	}
	return text
}

func percent(v *float64) string { return number("%.0f %%", v, 100) }

func decimal(v *float64) string { return number("%.1f", v, 1) }

func number(format string, v *float64, times float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v*times)
}

// duration formats a number of milliseconds for people.
func duration(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

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
						fmt.Fprint(folding(con.out), edits.Visible(list[i].Text()))
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
