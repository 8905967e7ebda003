package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"redline/agent/config"
	"redline/agent/plan"
	"redline/editors"
	"redline/internal/phrase"
	"redline/internal/smallfile"
)

func newInit(s streams) *cobra.Command {
	var write bool
	c := &cobra.Command{
		Use:   "init EDITOR",
		Short: "Write the configuration of an editor, shown first",
		Long: "Shows what connects an editor to Redline and where it goes, and writes it if you agree.\n" +
			"A file of yours is never changed: then the exit status is 4, and you copy the lines\n" +
			"yourself. A plugin that another version of Redline wrote is brought up to date, except\n" +
			"for files in it that you have changed. VS Code and its forks install the extension that\n" +
			"this program contains.\n\nThe editors are " + strings.Join(editors.Names(), ", ") + ".",
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

// initEditor shows the setup of an editor, and writes the files that are missing or of
// another version.
func initEditor(cmd *cobra.Command, s streams, name string, write bool) error {
	where, err := editorFolders()
	if err != nil {
		return err
	}
	setup, err := editors.For(name, where)
	if err != nil {
		return usage(err)
	}
	if len(setup.Extension.Programs) > 0 {
		return initExtension(cmd, s, setup, write)
	}
	d := setup.Compare(readSmall)
	showSetup(s, setup, d)
	if !d.None() && !write {
		if write, err = newConsole(s, nil).confirm(cmd.Context(), "Write this?"); err != nil {
			return err
		}
		if !write {
			fmt.Fprintln(folding(s.out), "\nNothing was written. `redline init "+name+" --write` writes it.")
		}
	}
	if write {
		if err := writeSetup(s, setup, d); err != nil {
			return err
		}
	}
	own, others := unchanged(setup, d)
	if len(own)+len(others) == 0 && (write || d.None()) {
		if setup.Extension.Name != "" {
			tellProgram(s)
		}
		tellNext(s, setup)
	}
	if write && len(others) > 0 {
		return &plan.Refusal{Kind: plan.NotAllowed, Reason: strings.Join(others, ", ") + " exists and was not changed: add the lines above to it."}
	}
	if write && len(own) > 0 {
		return &plan.Refusal{Kind: plan.NotAllowed, Reason: strings.Join(own, ", ") + " was changed since Redline wrote it and stays as it is, so the plugin may not work: remove it, and run this again."}
	}
	return nil
}

// unchanged returns the files that stay as they are although they say something else: those
// of a plugin's own folder, and others that the setup cannot do without.
func unchanged(setup editors.Setup, d editors.Difference) (own, others []string) {
	for _, f := range d.Changed {
		switch {
		case setup.Owns(f):
			own = append(own, f.Path)
		case !f.Optional:
			others = append(others, f.Path)
		}
	}
	return own, others
}

// tellNext prints how to send a first request and, if no model is connected, how to
// connect one.
func tellNext(s streams, setup editors.Setup) {
	if setup.Next == "" {
		return
	}
	out := folding(s.out)
	fmt.Fprintf(out, "\nNext: %s\n", setup.Next)
	if settings, _, err := config.Load(config.Sources{Env: os.LookupEnv}); err == nil && !settings.Asks() {
		fmt.Fprintln(out, "`redline setup` connects a model. Until then a built-in one answers, which understands a few plain instructions.")
	}
}

// showSetup prints the files of a setup, and reports those that already exist. It lists the
// files in a plugin's own folder, and prints all others in full.
func showSetup(s streams, setup editors.Setup, d editors.Difference) {
	out := folding(s.out)
	var own []editors.File
	for _, f := range setup.Files {
		if !setup.Owns(f) {
			fmt.Fprintf(s.out, "%s:\n\n%s\n", f.Path, indent(f.Text))
			continue
		}
		own = append(own, f)
	}
	if len(own) > 0 {
		fmt.Fprintf(out, "%s below %s:\n\n%s\n", phrase.Count(len(own), "file"), setup.Dir, listOwn(setup.Dir, own))
	}
	if n := len(d.Outdated) + len(d.Gone); n > 0 {
		fmt.Fprintf(out, "Another version of Redline wrote %s there that you have not changed: this version replaces or removes them.\n", phrase.Count(n, "file"))
	}
	for _, f := range d.Changed {
		if setup.Owns(f) {
			fmt.Fprintf(out, "%s was changed since Redline wrote it and stays as it is.\n", f.Path)
		} else {
			fmt.Fprintf(out, "%s exists with other content and stays as it is. Add the lines yourself.\n", f.Path)
		}
	}
	if len(setup.Files) > 0 && d.None() && len(d.Changed) == 0 {
		fmt.Fprintln(out, "It is there already: nothing to do.")
	}
	if setup.Note != "" {
		fmt.Fprintln(out, setup.Note)
	}
}

// listOwn lists the files in a plugin's own folder. Those of a folder below it have one line.
func listOwn(dir string, files []editors.File) string {
	var b strings.Builder
	for len(files) > 0 {
		name, n, text := strings.TrimPrefix(files[0].Path, dir+string(filepath.Separator)), 1, files[0].Text
		if folder := filepath.Dir(files[0].Path); folder != dir {
			for ; n < len(files) && filepath.Dir(files[n].Path) == folder; n++ {
				text += files[n].Text
			}
		}
		if n > 1 {
			name = filepath.Dir(name) + ": " + phrase.Count(n, "file")
		}
		fmt.Fprintf(&b, "  %s (%s)\n", name, lengthOf(text))
		files = files[n:]
	}
	return b.String()
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
		Program: ownProgram(),
		Env:     os.Getenv,
		Exists:  func(path string) bool { _, err := os.Stat(path); return err == nil },
	}, nil
}

// ownProgram returns the absolute name of this program, by which an editor may start it: that on
// PATH, since a package manager's update keeps it, or else its own; "" if neither is known.
func ownProgram() string {
	if name, err := exec.LookPath("redline"); err == nil {
		if name, err = filepath.Abs(name); err == nil {
			return name
		}
	}
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	return name
}

// readSmall reads an editor's configuration. Nothing but a file is opened: a pipe would wait.
func readSmall(path string) ([]byte, error) {
	text, err := smallfile.Read(path, 64<<20)
	return []byte(text), err
}

// writeSetup makes the disk agree with a setup, except for files that others have changed. It
// prints the paths of files that it writes, but only the number of files in a plugin's own folder.
func writeSetup(s streams, setup editors.Setup, d editors.Difference) error {
	own := 0
	for _, f := range d.Missing {
		if err := writeNew(f); err != nil {
			return fmt.Errorf("%s could not be written: %w", f.Path, err)
		}
		if setup.Owns(f) {
			own++
		} else {
			fmt.Fprintln(folding(s.out), "wrote", f.Path)
		}
	}
	for _, path := range d.Gone {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, f := range d.Outdated {
		if err := replace(f); err != nil {
			return fmt.Errorf("%s could not be replaced: %w", f.Path, err)
		}
	}
	var did []string
	for _, done := range []struct {
		verb string
		n    int
	}{{"wrote", own}, {"replaced", len(d.Outdated)}, {"removed", len(d.Gone)}} {
		if done.n > 0 {
			did = append(did, done.verb+" "+phrase.Count(done.n, "file"))
		}
	}
	if len(did) > 0 {
		fmt.Fprintf(folding(s.out), "%s below %s\n", strings.Join(did, ", "), setup.Dir)
	}
	return nil
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

// replace replaces a file in one step, so that an editor that starts meanwhile reads the old
// text or the new one.
func replace(f editors.File) error {
	part := f.Path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := writeNew(editors.File{Path: part, Text: f.Text}); err != nil {
		return err
	}
	return os.Rename(part, f.Path)
}

// initExtension shows which editors would install the extension, and lets them install it if
// the user agrees.
func initExtension(cmd *cobra.Command, s streams, setup editors.Setup, write bool) error {
	fmt.Fprintf(folding(s.out), "%s (%s) is the extension for VS Code. It is installed with:\n\n", setup.Extension.Name, lengthOf(string(setup.Extension.Data)))
	for _, program := range setup.Extension.Programs {
		fmt.Fprintf(s.out, "  %s --install-extension %s\n", program, setup.Extension.Name)
	}
	fmt.Fprintln(s.out)
	if !write {
		if yes, err := newConsole(s, nil).confirm(cmd.Context(), "Install it?"); err != nil {
			return err
		} else if !yes {
			fmt.Fprintln(s.out, "\nNothing was installed. `redline init vscode --write` installs it.")
			return nil
		}
	}
	if err := installExtension(cmd.Context(), s, setup.Extension); err != nil {
		return err
	}
	tellProgram(s)
	tellNext(s, setup)
	return nil
}

// tellProgram says how the extension finds this program, if it is not on PATH.
func tellProgram(s streams) {
	if _, err := exec.LookPath("redline"); err == nil {
		return
	}
	if program, err := os.Executable(); err == nil {
		fmt.Fprintf(folding(s.out), "\n`redline` is not on your PATH: in VS Code, set redline.server.path to %s\n", program)
	}
}

// installExtension runs each editor's program on a temporary copy of the extension. One that
// fails does not stop the others.
func installExtension(ctx context.Context, s streams, extension editors.Extension) error {
	dir, err := os.MkdirTemp("", "redline-extension-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, extension.Name)
	if err := os.WriteFile(file, extension.Data, 0o600); err != nil {
		return err
	}
	var failed []error
	for _, program := range extension.Programs {
		out, err := exec.CommandContext(ctx, program, "--install-extension", file).CombinedOutput()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s did not install the extension: %w: %s", program, err, strings.Join(strings.Fields(string(out)), " ")))
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		fmt.Fprintf(s.out, "%s: %s\n", program, cmp.Or(lines[len(lines)-1], "installed")) // it may have kept a newer one
	}
	return errors.Join(failed...)
}
