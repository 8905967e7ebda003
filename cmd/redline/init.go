package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"redline/agent/config"
	"redline/agent/editor"
	"redline/agent/refusal"
	"redline/editors"
	"redline/internal/phrase"
)

func newInit(s streams) *cobra.Command {
	var write bool
	c := &cobra.Command{
		Use:   "init EDITOR",
		Short: "Write the configuration of an editor, shown first",
		Long: "Shows what connects an editor to Redline and where it goes, and writes it if you agree.\n" +
			"A file that exists is never changed: then the exit status is 4, and you copy the lines\n" +
			"yourself. VS Code and its forks install the extension that this program contains.\n" +
			"The editors are " + strings.Join(editors.Names(), ", ") + ".",
		Example:   "  redline init nvim\n  redline init helix --write",
		ValidArgs: editors.Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("redline init takes the name of one editor: %s", strings.Join(editors.Names(), ", ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return initEditor(cmd, s, args[0], write) },
	}
	c.Flags().BoolVar(&write, "write", false, "write it without asking")
	return c
}

// initEditor shows the setup of an editor, and writes the files that are missing.
func initEditor(cmd *cobra.Command, s streams, name string, write bool) error {
	where, err := editorFolders()
	if err != nil {
		return err
	}
	setup, err := editors.For(name, where)
	if err != nil {
		return usage(err)
	}
	var missing []editors.File
	var other []string // exist and say something else
	var failed []string
	for _, f := range setup.Files {
		text, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, f)
		case err == nil && string(text) == f.Text:
		default:
			other = append(other, f.Path)
			if !f.Optional {
				failed = append(failed, f.Path)
			}
		}
	}
	if len(setup.Extension.Programs) > 0 {
		return initExtension(cmd, s, setup, write)
	}
	showSetup(s, setup, missing, other)
	if len(missing) > 0 && !write {
		con := newConsole(s, nil)
		answer, err := con.Ask(cmd.Context(), editor.Question{Text: "Write this?", Options: []string{"yes", "no"}})
		if err != nil {
			return err
		}
		if write = answer.Choice == "yes"; !write {
			fmt.Fprintln(s.out, "\nNothing was written. `redline init "+name+" --write` writes it.")
		}
	}
	if write {
		if err := writeSetup(s, setup, missing); err != nil {
			return err
		}
	}
	if len(failed) == 0 && (write || len(missing) == 0) {
		if setup.Extension.Name != "" {
			tellProgram(s)
		}
		tellNext(s, setup)
	}
	if len(failed) > 0 && write {
		return &refusal.Error{Kind: refusal.NotAllowed, Reason: strings.Join(failed, ", ") + " exists and was not changed: add the lines above to it."}
	}
	return nil
}

// writeSetup writes missing files and prints their paths, but only the number of files in
// a plugin's own folder.
func writeSetup(s streams, setup editors.Setup, missing []editors.File) error {
	own := 0
	for _, f := range missing {
		if err := writeNew(f); err != nil {
			return fmt.Errorf("%s could not be written: %w", f.Path, err)
		}
		if setup.Owns(f) {
			own++
		} else {
			fmt.Fprintln(s.out, "wrote", f.Path)
		}
	}
	if own > 0 {
		fmt.Fprintf(s.out, "wrote %s below %s\n", phrase.Count(own, "file"), setup.Dir)
	}
	return nil
}

// tellNext prints how to send a first request and, if no model is connected, how to
// connect one.
func tellNext(s streams, setup editors.Setup) {
	if setup.Next == "" {
		return
	}
	fmt.Fprintf(s.out, "\nNext: %s\n", setup.Next)
	if settings, _, err := config.Load(config.Sources{Env: os.LookupEnv}); err == nil && !settings.Asks() {
		fmt.Fprintln(s.out, "`redline setup` connects a model. Until then a built-in one answers, which understands a few plain instructions.")
	}
}

// showSetup prints the files of a setup, and reports those that already exist. It prints
// only the names of files in a plugin's own folder, and all others in full.
func showSetup(s streams, setup editors.Setup, missing []editors.File, other []string) {
	var own []string
	for _, f := range setup.Files {
		if !setup.Owns(f) {
			fmt.Fprintf(s.out, "%s:\n\n%s\n", f.Path, indent(f.Text))
			continue
		}
		own = append(own, fmt.Sprintf("  %s (%s)\n", strings.TrimPrefix(f.Path, setup.Dir+string(filepath.Separator)), lengthOf(f.Text)))
	}
	if len(own) > 0 {
		fmt.Fprintf(s.out, "%s below %s:\n\n%s\n", phrase.Count(len(own), "file"), setup.Dir, strings.Join(own, ""))
	}
	for _, path := range other {
		fmt.Fprintf(s.out, "%s exists with other content and stays as it is. Add the lines yourself.\n", path)
	}
	if len(setup.Files) > 0 && len(missing) == 0 && len(other) == 0 {
		fmt.Fprintln(s.out, "It is there already: nothing to do.")
	}
	if setup.Note != "" {
		fmt.Fprintln(s.out, setup.Note)
	}
}

// lengthOf returns how long a text is in lines, or in kilobytes if it is binary.
func lengthOf(text string) string {
	if !utf8.ValidString(text) {
		return fmt.Sprintf("%d KB", (len(text)+1023)/1024)
	}
	return phrase.Count(strings.Count(text, "\n"), "line")
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// writeNew writes a file, and fails if it exists.
func writeNew(f editors.File) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = out.WriteString(f.Text)
	return errors.Join(err, out.Close())
}

// editorFolders returns the configuration folders of editors. Most editors follow the XDG
// Base Directory Specification on every system; package editors handles the exceptions.
func editorFolders() (editors.Folders, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return editors.Folders{}, fmt.Errorf("your home folder is not known (%w): set HOME", err)
	}
	folder := func(variable string, rest ...string) string {
		if dir := os.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(append([]string{home}, rest...)...)
	}
	return editors.Folders{
		System: runtime.GOOS, Home: home,
		Config: folder("XDG_CONFIG_HOME", ".config"), Data: folder("XDG_DATA_HOME", ".local", "share"),
		Roaming: folder("APPDATA", "AppData", "Roaming"), Local: folder("LOCALAPPDATA", "AppData", "Local"),
		Env:    os.Getenv,
		Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
	}, nil
}
