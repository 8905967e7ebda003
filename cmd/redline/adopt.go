package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redline/agent"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/internal/phrase"
	"redline/workspace/network"
)

// adoption is the command of redline adopt.
type adoption struct {
	line, message string
	include       []string
	network       []string
	access        network.Access // what network names
	isolation     string
}

func newAdopt(s streams) *cobra.Command {
	f := &runFlags{mode: "auto", adopts: &adoption{}}
	f.sampling.given = pflag.NewFlagSet("", pflag.ContinueOnError) // none is given
	cmd := &cobra.Command{
		Use:   "adopt [flags] -- COMMAND…",
		Short: "Run a command in a copy of the folder, and make a plan of what it changes",
		Long: `Runs any command, such as a formatter, a code generator or a codemod, in an isolated
copy of the folder that you stand in. What it changes there becomes a plan: nothing
changes in your files before you approve it, in whole or hunk by hunk. The command has
no network but what --network names, and nothing else that it writes stays.

.git, .redline and what git ignores are left out; --include carries some of it. What no
plan can have (binary and large files, links, the right to run existing files) is named:
then --approve does not apply the plan. Empty folders, and permissions other than the
right to run, do not count. The exit statuses are those of redline run --with.`,
		Example: `  redline adopt -- gofmt -w .
  redline adopt --network schema.example.org -- make generate
  redline adopt --message 'generated code' -- 'go generate ./... && gofmt -w .'`,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return usage(fmt.Errorf("say which command: redline adopt -- npx eslint --fix src"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.approve && f.planOnly {
				return usage(fmt.Errorf("give --approve or --plan-only, not both"))
			}
			for _, glob := range f.adopts.include {
				if !doublestar.ValidatePattern(glob) {
					return usage(fmt.Errorf("--include %s is not a valid glob: write it like dist/** or **/*.pb.go", glob))
				}
			}
			access, err := network.Parse(f.adopts.network)
			if err != nil {
				return usage(fmt.Errorf("--network: %w", err))
			}
			f.adopts.access = access
			if i := f.adopts.isolation; i != "" && i != trial.IsolationCopy {
				return usage(fmt.Errorf("--isolation %s is not known: write --isolation copy, or leave it out", i))
			}
			if err := f.files.open(s.in); err != nil {
				return err
			}
			f.adopts.line = shellLine(args)
			settings := map[string]string{}
			if f.adopts.isolation != "" {
				settings["trials.isolation"] = f.adopts.isolation // which a policy can forbid
			}
			return runOnce(cmd.Context(), s, f, settings, f.adopts.line)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&f.dir, "dir", ".", "work in this `folder`")
	flags.StringVar(&f.adopts.message, "message", "", "what the plan is for, a `text` (default: the command)")
	flags.StringArrayVar(&f.adopts.include, "include", nil, "carry these `files` too although git ignores them, a glob from the workspace's folder, such as dist/**")
	flags.StringSliceVar(&f.adopts.network, "network", nil, "what it reaches: `hosts` such as schema.example.org,files.example.org by a proxy, or host for all that you reach (default: none)")
	flags.StringVar(&f.adopts.isolation, "isolation", "", "`copy`: run it in a plain copy of what git does not ignore, from which it can write elsewhere and reaches what you reach; for systems without the other kind")
	flags.BoolVar(&f.approve, "approve", false, "approve the edits")
	flags.BoolVar(&f.planOnly, "plan-only", false, "leave the plan waiting (the default without a terminal)")
	flags.BoolVar(&f.json, "json", false, "print events and the result as lines of JSON (docs/reference/events.md)")
	flags.StringVar(&f.files.export, "export", "", "write the plan into this new `file`, as redline plans export does")
	return cmd
}

// run runs the command of a and waits until its changes are a plan.
func (a *adoption) run(ctx context.Context, of *agent.Agent, con *console, f *runFlags, result *runResult) (state.Turn, error) {
	in := turn.Adoption{Line: a.line, Goal: a.message, Include: a.include, With: trial.Reaching(a.access), Cwd: folderIn(f.dir, con), Client: clientName}
	if con.asks() {
		in.Many = func(ctx context.Context, files int) (bool, error) {
			answer, err := con.Ask(ctx, state.Question{
				Text: fmt.Sprintf("The command changed %s. Make a plan of them?", phrase.Count(files, "file")), Options: []string{"yes", "no"},
			})
			return answer.Choice == "yes", err
		}
	}
	con.tries = true
	result.turn = of.Turns.Adopt(in)
	return await(ctx, of, result.turn)
}

// folderIn returns the path of a folder in the workspace, "" for the workspace's own.
func folderIn(dir string, con *console) string {
	folders := con.ws.Folders()
	if len(folders) == 0 || above(dir, con.ws) == "" {
		return ""
	}
	here, err := filepath.Abs(dir)
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	root, err2 := filepath.EvalSymlinks(folders[0].Dir)
	if err != nil || err2 != nil {
		return ""
	}
	rel, err := filepath.Rel(root, here)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}
