package main

import (
	"cmp"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
	return f.group(&cobra.Command{
		Use:   "outside",
		Short: "List other agents that can work in a copy of the workspace",
		Long: `An outside agent is a program of yours, such as codex or claude, that does the work of
a request in a copy of the workspace. What it changes there becomes a plan.`,
		Example: `  redline outside list`,
	}, list)
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

// agentRows returns the agents of the settings, and those of the presets that are installed.
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
		} else if !a.SignedIn(os.LookupEnv) {
			row.Needs = "you may not be signed in: " + outside.SignIn(a.Name)
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
		fmt.Fprintf(con.out, "No outside agent is configured, and none of %s is installed.\n", phrase.And(names))
		return nil
	}
	table := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	for _, a := range agents {
		name := a.Name
		if a.Default {
			name += " (default)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, edits.VisibleLine(cmp.Or(a.Program, "-")), a.words, edits.VisibleLine(a.Needs))
	}
	return table.Flush()
}
