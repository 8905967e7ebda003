package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/share"
	"redline/internal/smallfile"
)

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
			document, err := a.Export(cmd.Context(), n)
			if err != nil {
				return err
			}
			data, err := document.Encode(f.json)
			if err != nil {
				return err
			}
			_, err = con.out.Write(data)
			return err
		})
	}
	return cmd
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
	p, err := a.Import(ctx, name, data)
	if err != nil {
		return err
	}
	if con.quiet {
		con.print(positions.Plan(&p))
		return status(exitWaiting)
	}
	if err := showRevision(ctx, a, con, &p); err != nil {
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
