package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redline/agent"
	"redline/workspace"
)

// workspaceFlags are the flags shared by the commands on a workspace.
type workspaceFlags struct {
	dir  string
	json bool
}

func (f *workspaceFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "dir", ".", "work in this `folder`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
}

// group makes cmd a command that only groups its subcommands, which share the flags.
func (f *workspaceFlags) group(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.DisableFlagsInUseLine, cmd.SuggestionsMinimumDistance = true, 2
	cmd.Args, cmd.RunE = noArgs, help
	f.define(cmd.PersistentFlags())
	cmd.AddCommand(verbs...)
	return cmd
}

// open returns the workspace of the folder, and the setup for a command on it. The caller
// must close the setup's store.
func (f *workspaceFlags) open(s streams) (*setup, *workspace.Workspace, error) {
	set, err := newSetup(nil)
	if err != nil {
		return nil, nil, err
	}
	set.warn(s)
	ws, err := set.workspaceIn(f.dir)
	set.warnPassed(s)
	return set, ws, err
}

// with runs f with the agent of the workspace.
func (f *workspaceFlags) with(s streams, run func(*agent.Agent, *console) error) error {
	s = watched(s)
	defer s.line.Close()
	set, ws, err := f.open(s)
	if err != nil {
		return err
	}
	return f.on(set, ws, s, run)
}

// on is like with, for an open workspace. It closes the store.
func (f *workspaceFlags) on(set *setup, ws *workspace.Workspace, s streams, run func(*agent.Agent, *console) error) error {
	defer set.store.Close()
	con := newConsole(s, ws)
	a := set.agent(ws, con)
	defer a.Close()
	con.quiet = f.json
	con.seen = seenIn(set.settings.StateDir, a.Session.Key())
	con.goLive()
	return run(a, con)
}
