package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/share"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/smallfile"
)

func newPlansStage(s streams, f *workspaceFlags) *cobra.Command {
	var remove, restore, order []string
	var clear bool
	var cmd *cobra.Command
	cmd = newPlanVerb(s, f, "stage N", "List a plan's operations, take some out, put them back or in another order",
		func(ctx context.Context, a *agent.Agent, con *console, n int, more []string) error {
			st := decide.Staging{Plan: n, Remove: remove, Restore: restore, Order: order, Clear: clear}
			given := 0
			for _, list := range []struct {
				flag string
				ids  *[]string
			}{{"remove", &st.Remove}, {"restore", &st.Restore}, {"order", &st.Order}} {
				if cmd.Flags().Changed(list.flag) {
					given++
					empty := len(*list.ids) == 0
					if *list.ids, more = slices.Concat(*list.ids, more), nil; empty || slices.ContainsFunc(*list.ids, func(id string) bool { return strings.TrimSpace(id) == "" }) {
						return usage(fmt.Errorf("an operation's name is empty: redline plans stage %d lists the operations", n))
					}
				}
			}
			switch {
			case len(more) > 0:
				return usage(fmt.Errorf("say what to do with %s: --remove takes operations out, --restore puts them back, --order puts them in another order", more[0]))
			case given > 1, given == 1 && clear:
				return usage(fmt.Errorf("give only one of --remove, --restore, --order and --clear"))
			}
			p, err := a.Stage(ctx, st)
			if err != nil || con.quiet {
				return err
			}
			con.tellStaged(&p, len(st.Remove)+len(st.Restore)+len(st.Order) > 0 || st.Clear)
			return nil
		})
	cmd.Use = "stage N [--remove OP… | --restore OP… | --order OP,OP,… | --clear]"
	cmd.Long = `Without a flag, lists the operations of a plan: the step of each, its status, and what
must come before it. Taking operations out, putting them back or in another order
makes a further revision; nothing in the workspace changes.

--order rearranges the operations that it names; the others stay where they are.`
	cmd.Example = `  redline plans stage 1
  redline plans stage 1 --remove o2
  redline plans stage 1 --restore o2
  redline plans stage 1 --order o3,o1`
	cmd.Args = naming("stage N")
	flags := cmd.Flags()
	flags.StringSliceVar(&remove, "remove", nil, "take these `operations` out, as o2")
	flags.StringSliceVar(&restore, "restore", nil, "put these `operations` back that were taken out, as o2")
	flags.StringSliceVar(&order, "order", nil, "put these `operations` in this order, as o3,o1")
	flags.BoolVar(&clear, "clear", false, "take all operations out")
	return cmd
}

// tellStaged prints the operations of a plan, and its new revision if the command made
// one.
func (c *console) tellStaged(p *state.Plan, changed bool) {
	if changed {
		r := p.Revisions[len(p.Revisions)-1]
		fmt.Fprintf(c.out, "Plan %d is at revision %d now: %s.\n", p.Plan, p.Revision, edits.Visible(r.Note))
	}
	if len(p.Operations) == 0 {
		fmt.Fprintf(c.out, "Nothing is staged in plan %d: redline plans reject %d closes it.\n", p.Plan, p.Plan)
		tellTakenOut(c, p)
		return
	}
	table := newTable(c.out)
	for i := range p.Operations {
		o := &p.Operations[i]
		after := ""
		if len(o.DependsOn) > 0 {
			after = "after " + strings.Join(o.DependsOn, ", ")
		}
		fmt.Fprintln(table, strings.TrimRight(strings.Join([]string{o.ID, o.Step, oneLine(operationName(p, o)), words(o.Status), after}, "\t"), "\t"))
	}
	table.Flush()
	tellTakenOut(c, p)
	if p.SuggestedOrder != nil {
		fmt.Fprintf(c.out, "Suggested order: %s\n", strings.Join(p.SuggestedOrder, ","))
	}
}

// tellTakenOut prints the removed operations that can be put back.
func tellTakenOut(c *console, p *state.Plan) {
	for i := range p.TakenOut {
		o := &p.TakenOut[i]
		fmt.Fprintf(c.out, "Taken out: %s, %s; redline plans stage %d --restore %s puts it back.\n", o.ID, oneLine(operationName(p, o)), p.Plan, o.ID)
	}
}

// operationName describes an operation in one line.
func operationName(p *state.Plan, o *state.Operation) string {
	for _, cmd := range p.Commands {
		if cmd.ID == o.ID {
			return o.Tool + plan.InFolder(cmd.Cwd) + ": " + edits.VisibleLine(cmd.Command)
		}
	}
	if o.Command != "" { // removed from the plan
		return o.Tool + ": " + edits.VisibleLine(o.Command)
	}
	if o.Path != "" {
		return o.Tool + " " + o.Path
	}
	return o.Tool + " " + strings.Join(o.Paths, ", ")
}

func newPlansRollback(s streams, f *workspaceFlags) *cobra.Command {
	return explained(newPlanVerb(s, f, "rollback N REV", "Go back to an earlier revision of a plan",
		func(ctx context.Context, a *agent.Agent, con *console, n int, args []string) error {
			rev, err := strconv.Atoi(args[0])
			if err != nil || rev < 1 || len(args) > 1 {
				return usage(fmt.Errorf("%q is not a revision's number: redline plans show %d lists them", strings.Join(args, " "), n))
			}
			p, err := a.Rollback(ctx, n, rev, "")
			if err != nil || con.quiet {
				return err
			}
			fmt.Fprintf(con.out, "Plan %d is at revision %d now, which has the content of revision %d.\n", n, p.Revision, rev)
			tellState(con, &p)
			return nil
		}), `Makes a new revision with the content of an earlier one. It needs your approval like
any other; nothing in the workspace changes.`, `  redline plans rollback 1 2`)
}

func newPlansExport(s streams, f *workspaceFlags) *cobra.Command {
	cmd := newPlanVerb(s, f, "export N", "Print a plan as a file that others can import", nil)
	cmd.Long = `Prints the plan as JSON, with all its revisions and the texts of the files that it
is about: share it only with those who may see these. docs/reference/plan-format.md
describes the format.`
	cmd.Example = "  redline plans export 7 > plan.json"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		n, err := planNumber(args[0])
		if err != nil {
			return err
		}
		return f.with(s, func(a *agent.Agent, con *console) error {
			data, err := exported(cmd.Context(), a, n, f.json)
			if err == nil {
				_, err = con.out.Write(data)
			}
			return err
		})
	}
	return cmd
}

// exported returns a plan as a file that others can import, on one line if compact is true.
func exported(ctx context.Context, a *agent.Agent, n int, compact bool) ([]byte, error) {
	document, err := a.Export(ctx, n, share.With{})
	if err != nil {
		return nil, err
	}
	return document.Encode(compact)
}

func newPlansImport(s streams, f *workspaceFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Make a new plan from an exported one",
		Long: `Makes a new plan from a file that redline plans export wrote; - is standard input.
It is not approved: review it like any other plan.`,
		Example: "  redline plans import plan.json",
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) != 1 {
				return usage(errors.New("say which file: redline plans import FILE (- is standard input)"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := readPlanFile(args[0], s.in)
			if err != nil {
				return usage(err)
			}
			return f.with(s, func(a *agent.Agent, con *console) error {
				return importPlan(cmd.Context(), a, con, args[0], data)
			})
		},
	}
}

func importPlan(ctx context.Context, a *agent.Agent, con *console, name string, data []byte) error {
	if name == "-" {
		name = "standard input"
	}
	p, news, err := a.Import(ctx, name, data, decide.From{})
	if err != nil {
		return err
	}
	if con.quiet {
		con.print(positions.Plan(&p))
		if !plan.State(p.State).Open() {
			return nil
		}
		return status(exitWaiting)
	}
	if !news.Created {
		fmt.Fprintf(con.out, "Plan %d is here already. %s\n", p.Plan, news.Sentence())
		switch {
		case news.None() && plan.State(p.State).Open():
			return status(exitWaiting)
		case news.None():
			return nil
		}
		fmt.Fprintln(con.out)
	}
	if err := showRevision(ctx, a, con, &p, ""); err != nil {
		return err
	}
	fmt.Fprintf(con.out, "\nPlan %d waits for you: redline plans approve %d, or redline plans reject %d.\n", p.Plan, p.Plan, p.Plan)
	return status(exitWaiting)
}

// readPlanFile reads a file or standard input, at most one byte more than the size limit
// of a plan: enough to detect a larger one.
func readPlanFile(name string, stdin io.Reader) ([]byte, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = io.ReadAll(io.LimitReader(stdin, share.MaxSize+1))
	} else {
		var text string
		text, err = smallfile.Read(name, share.MaxSize)
		data = []byte(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%s): name a file that redline plans export wrote", name, plainError(err))
	}
	return data, nil
}
