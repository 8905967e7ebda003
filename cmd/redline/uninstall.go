package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent/config"
	"redline/agent/store"
	"redline/editors"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/leftover"
	"redline/workspace/warm"
)

func newUninstall(s streams) *cobra.Command {
	var yes, all bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what Redline has written on this machine, shown first",
		Long: `Shows what Redline has written on this machine, and removes it if you agree: plans and
their history, previews in your workspaces, and what "redline init" wrote for editors.
What you have made stays: settings, agents, templates and chats, unless you give --all.`,
		Example: "  redline uninstall\n  redline uninstall --all --yes",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := newSetupAnyway(nil)
			if err != nil {
				return err
			}
			defer set.store.Close()
			return uninstall(cmd.Context(), s, set, all, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove it without asking")
	cmd.Flags().BoolVar(&all, "all", false, "remove your settings, agents, templates and chats too")
	return cmd
}

// leftThing is a file or folder that Redline or its user wrote.
type leftThing struct {
	path, what string
	remove     func() error // nil if it stays
}

// uninstall lists what Redline left behind, and removes it if the user agrees.
func uninstall(ctx context.Context, s streams, set *setup, all, yes bool) error {
	things, err := leftThings(ctx, set, all)
	if err != nil {
		return err
	}
	var going, staying []leftThing
	for _, thing := range things {
		if thing.remove != nil {
			going = append(going, thing)
		} else {
			staying = append(staying, thing)
		}
	}
	showThings(s, "This would be removed:", going)
	showThings(s, "This stays:", staying)
	if len(going) == 0 {
		fmt.Fprintln(s.out, "There is nothing of Redline to remove.")
		return nil
	}
	if !yes {
		fmt.Fprintln(s.out, "Close your editors first: a Redline that still runs there writes these files again.")
		if yes, err = newConsole(s, nil).confirm(ctx, "This cannot be undone. Remove it?"); err != nil {
			return err
		}
		if !yes {
			fmt.Fprintln(s.out, "\nNothing was removed. `redline uninstall --yes` removes it.")
			return nil
		}
	}
	set.store.Close()
	leftover.Sweep(set.settings.StateDir) // it lists temporary files elsewhere
	var failed []error
	for _, thing := range going {
		if err := thing.remove(); err != nil {
			failed = append(failed, fmt.Errorf("%s could not be removed: %w", thing.path, err))
			continue
		}
		if _, err := os.Lstat(thing.path); err == nil {
			fmt.Fprintf(s.out, "removed Redline's files from %s; the rest is yours and stays\n", thing.path)
			continue
		}
		fmt.Fprintln(s.out, "removed", thing.path)
	}
	if program, err := os.Executable(); err == nil {
		fmt.Fprintf(s.out, "The program itself is %s: remove it as you installed it.\n", program)
	}
	return errors.Join(failed...)
}

func showThings(s streams, heading string, things []leftThing) {
	if len(things) == 0 {
		return
	}
	fmt.Fprintln(s.out, heading)
	for _, thing := range things {
		fmt.Fprintf(s.out, "  %s\n      %s\n", thing.path, thing.what)
	}
	fmt.Fprintln(s.out)
}

// leftThings finds what Redline and its user wrote. The state directory comes last: it
// lists the workspaces, so an interrupted removal can be repeated.
func leftThings(ctx context.Context, set *setup, all bool) ([]leftThing, error) {
	var things []leftThing
	waiting := 0
	if _, err := os.Stat(filepath.Join(set.settings.StateDir, store.FileName)); err == nil {
		names, open, err := set.store.Workspaces(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			waiting += open[name]
			things = append(things, ofWorkspace(name, all)...)
		}
	}
	where, err := editorFolders()
	if err != nil {
		return nil, err
	}
	for _, w := range editors.Find(where, readSmall) {
		thing := leftThing{path: w.Path, what: "as `redline init " + w.Editor + "` wrote it"}
		if w.Whole {
			thing.remove = func() error { return w.Remove(where.Home) }
		} else {
			thing.what = "has lines about Redline among yours: remove them yourself"
		}
		things = append(things, thing)
	}
	things = append(things, ofSettings(set.settings, all)...)
	return append(things, ofState(set.settings.StateDir, waiting)...), nil
}

// ofWorkspace finds Redline's files in a workspace.
func ofWorkspace(dir string, all bool) []leftThing {
	left := workspace.LeftIn(dir)
	var things []leftThing
	own := filepath.Join(dir, ".redline")
	if left.Previews > 0 || left.Chat && all {
		what := phrase.Count(left.Previews, "preview")
		if left.Chat && all {
			what += ", and your chat"
		}
		things = append(things, leftThing{own, what, func() error { return workspace.RemoveOwn(dir, all) }})
	}
	if left.Chat && !all {
		things = append(things, leftThing{path: filepath.Join(own, "chat.md"), what: "your chat"})
	}
	return things
}

// ofSettings finds the settings file and the user's files beside it.
func ofSettings(settings config.Settings, all bool) []leftThing {
	var things []leftThing
	for _, one := range []struct{ path, what string }{
		{settings.File, "your settings"},
		{settings.AgentsDir(), "your agents"},
		{settings.TemplatesDir(), "your templates"},
		{settings.PromptsDir(), "your prompts"},
	} {
		info, err := os.Lstat(one.path)
		if err != nil {
			continue
		}
		link := info.Mode()&fs.ModeSymlink != 0
		if file := one.path == settings.File; file && !info.Mode().IsRegular() && !link || !file && !info.IsDir() && !link {
			continue // REDLINE_CONFIG may name /dev/null, for no settings
		}
		thing := leftThing{path: one.path, what: one.what}
		folder := filepath.Dir(one.path)
		switch {
		case one.path != settings.File && !isOwn(folder):
			thing.what += ", beside the settings that REDLINE_CONFIG names, where other programs may have files too: remove them yourself"
		case all:
			thing.remove = func() error {
				err := removeNotes(one.path)
				removeEmpty(folder)
				return err
			}
		}
		things = append(things, thing)
	}
	return things
}

// removeNotes removes a file, or a link, or a folder of Markdown files. What else is in the folder
// stays, and the folder with it.
func removeNotes(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return os.Remove(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	var failed []error
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() {
			failed = append(failed, os.Remove(filepath.Join(path, e.Name())))
		}
	}
	_ = os.Remove(path) // fails if the folder is not empty
	return errors.Join(failed...)
}

// ofState finds the state directory. Files in it that are not Redline's stay.
func ofState(dir string, waiting int) []leftThing {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil
	}
	what := "plans and their history, traces, the audit log"
	if _, err := os.Stat(filepath.Join(dir, warm.Folder)); err == nil {
		what += ", what trials have built"
	}
	what += ": " + sizeOf(dir)
	if waiting > 0 {
		what += "; " + phrase.Count(waiting, "plan") + " there " + map[bool]string{true: "waits", false: "wait"}[waiting == 1] + " for your decision"
	}
	return []leftThing{{dir, what, func() error {
		var failed []error
		for _, e := range entries {
			if store.Owns(e.Name()) {
				failed = append(failed, leftover.RemoveAll(filepath.Join(dir, e.Name()))) // what a trial has built may be read-only
			}
		}
		removeEmpty(dir)
		return errors.Join(failed...)
	}}}
}

// removeEmpty removes an empty folder that is Redline's.
func removeEmpty(dir string) {
	if isOwn(dir) {
		_ = os.Remove(dir) // os.Remove fails if the folder is not empty
	}
}

// isOwn reports whether a folder is Redline's alone, by its name.
func isOwn(dir string) bool { return strings.EqualFold(filepath.Base(dir), "redline") }

func sizeOf(dir string) string {
	var bytes int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
