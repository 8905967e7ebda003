package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/store"
)

// completion returns the words that a shell can complete, see [cobra.Command.ValidArgsFunction].
type completion = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// completing returns the completion with the words of list that begin as the one that is typed. What
// goes wrong completes nothing: an error would stand in the line that the user types.
func completing(list func(ctx context.Context, set *setup, a *agent.Agent) []string) completion {
	return func(cmd *cobra.Command, _ []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		f := workspaceFlags{dir: "."}
		if dir := cmd.Flag("dir"); dir != nil {
			f.dir = dir.Value.String()
		}
		silent := streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
		set, ws, err := f.open(silent)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_ = f.on(set, ws, silent, func(a *agent.Agent, _ *console) error {
			found = slices.DeleteFunc(list(cmd.Context(), set, a), func(word string) bool { return !strings.HasPrefix(word, begun) })
			return nil
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completesFirst is like completing, for the first argument of a command.
func completesFirst(list func(ctx context.Context, set *setup, a *agent.Agent) []string) completion {
	first := completing(list)
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return first(cmd, args, begun)
	}
}

// completeTalk adds the completions of the flags of [runFlags.defineTalk].
func completeTalk(cmd *cobra.Command) {
	word := func(what chat.What) func(context.Context, *setup, *agent.Agent) []string {
		return func(_ context.Context, _ *setup, a *agent.Agent) []string { return a.Turns.Words(what) }
	}
	for flag, list := range map[string]func(context.Context, *setup, *agent.Agent) []string{
		"mode": word(chat.ModeName), "with": word(chat.WithName), "agent": word(chat.AgentName),
		"model": func(_ context.Context, set *setup, _ *agent.Agent) []string { return modelNames(set.settings) },
	} {
		if cmd.Flag(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, completing(list)) // fails for a flag that has one
		}
	}
}

// planNumbers returns the numbers of the plans of a workspace, the newest first, each with its state and
// goal after a tab, which shells show beside it.
func planNumbers(ctx context.Context, set *setup, a *agent.Agent) (all []string) {
	if _, err := os.Stat(filepath.Join(set.settings.StateDir, store.FileName)); err != nil {
		return nil // there are none yet, and reading them would create it
	}
	known, err := a.State(ctx, true)
	if err != nil {
		return nil
	}
	for _, p := range slices.Backward(known.Plans) {
		all = append(all, fmt.Sprintf("%d\t%s: %s", p.Plan, words(p.State), listed(p.Goal)))
	}
	return all
}

// modelNames returns the names of models in the settings.
func modelNames(s config.Settings) []string {
	names := []string{s.Config.Name, s.Models.Plan, s.Models.Edit, s.Models.Classify, s.Models.Summarise}
	names = slices.AppendSeq(names, maps.Keys(s.Prices))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}
