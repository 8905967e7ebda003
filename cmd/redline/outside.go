package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/outside"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

// newOutside makes redline outside.
func newOutside(s streams) *cobra.Command {
	f := &workspaceFlags{}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the agents that are configured or installed",
		Long: `Lists the outside agents of your settings, and those that need no settings and are
installed: the program, what network it has, and what it still needs. A program in the
workspace itself does not count. With --json it prints {"agents":[{"name","program",
"acp","network","state","keep","env","default","needs"}]}.`,
		Example: `  redline outside list
  redline outside list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			set, ws, err := f.open(s)
			if err != nil {
				return err
			}
			defer set.store.Close()
			con := newConsole(s, ws)
			agents := agentRows(set, ws)
			if f.json {
				con.print(map[string]any{"agents": agents})
				return nil
			}
			return printAgents(con, agents)
		},
	}
	verb := func(use, short string, allowed bool) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: func(_ *cobra.Command, args []string) error {
				if len(args) != 1 {
					return usage(fmt.Errorf("say which agent: redline outside list names them"))
				}
				return nil
			},
			RunE: func(cmd *cobra.Command, args []string) error {
				return f.with(s, func(a *agent.Agent, con *console) error {
					words, err := "", error(nil)
					if allowed {
						words, err = a.Turns.Outsiders.Allow(cmd.Context(), args[0])
					} else {
						err = a.Turns.Outsiders.Forbid(cmd.Context(), args[0])
					}
					switch {
					case err != nil:
						return err
					case con.quiet:
						con.print(map[string]any{"name": args[0], "allowed": allowed})
					case allowed:
						fmt.Fprintf(con.out, "Allowed: %s\n", edits.Visible(words))
					default:
						fmt.Fprintf(con.out, "%s does not work in this workspace, unless you allow it again.\n", edits.Visible(args[0]))
					}
					return nil
				})
			},
		}
	}
	return f.group(&cobra.Command{
		Use:   "outside",
		Short: "List and allow other agents that can work in a copy of the workspace",
		Long: `An outside agent is a program of yours, such as codex or claude, that does the work of
a request in a copy of the workspace. What it changes there becomes a plan. You allow
an agent once in each workspace; a change of its program, its network or its state
needs that again.`,
		Example: `  redline outside list
  redline outside allow codex
  redline run --with codex 'fix the failing test'`,
	}, list,
		explained(verb("allow NAME", "Allow an agent in this workspace", true), `Allows an outside agent in this workspace, with the program, network and state that it
has now, and prints what it may reach. With --json it prints {"name","allowed"}.`, `  redline outside allow codex`),
		explained(verb("forbid NAME", "Take back what you have allowed an agent", false), `Takes back all that an outside agent was allowed in this workspace: you are asked again.`, `  redline outside forbid codex`),
	)
}

// agentRow is an outside agent of redline outside list.
type agentRow struct {
	Name    string   `json:"name"`
	Program string   `json:"program,omitempty"` // without links
	ACP     bool     `json:"acp"`
	Network []string `json:"network"`
	State   []string `json:"state"`
	Keep    []string `json:"keep"`
	Env     []string `json:"env"`
	Default bool     `json:"default"`
	Needs   string   `json:"needs,omitempty"` // what is missing

	words string
}

// agentRows returns the agents of the settings, and the presets whose programs are installed.
func agentRows(set *setup, ws *workspace.Workspace) []agentRow {
	rows := []agentRow{}
	for i := range set.settings.Outside.Agents {
		a := &set.settings.Outside.Agents[i]
		usual := a.Name == set.settings.Outside.Default
		p, err := a.Find(os.Getenv("PATH"), foldersOf(ws))
		if err != nil && a.Preset && !usual {
			continue
		}
		row := agentRow{
			Name: a.Name, Program: p.Real, ACP: p.ACP, Network: append([]string{}, a.Network...), State: append([]string{}, a.State...),
			Keep: append([]string{}, a.Keep...), Env: append([]string{}, a.Env...), Default: usual, words: a.NetworkWords(),
		}
		if err != nil {
			row.Needs = err.Error()
		} else {
			row.Needs = a.Unsigned(os.LookupEnv)
		}
		rows = append(rows, row)
	}
	return rows
}

// foldersOf returns the folders of a workspace.
func foldersOf(ws *workspace.Workspace) (dirs []string) {
	for _, f := range ws.Folders() {
		dirs = append(dirs, f.Dir)
	}
	return dirs
}

func printAgents(con *console, agents []agentRow) error {
	if len(agents) == 0 {
		var names []string
		for _, a := range outside.Presets() {
			names = append(names, a.Name)
		}
		fmt.Fprintf(folding(con.out), "No outside agent is configured, and none of %s is installed.\n", phrase.And(names))
		return nil
	}
	out := folding(con.out)
	for _, a := range agents {
		name := a.Name
		if a.Default {
			name += " (default)"
		}
		fmt.Fprintln(con.out, name)
		if a.Program != "" {
			fmt.Fprintf(con.out, "  %s\n", edits.VisibleLine(a.Program))
		}
		fmt.Fprintf(out, "  reaches %s\n", a.words)
		if a.Needs != "" {
			fmt.Fprintf(out, "  %s\n", edits.VisibleLine(a.Needs))
		}
	}
	return nil
}
