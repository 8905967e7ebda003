package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent/state"
	"redline/editors"
	"redline/internal/phrase"
)

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
			fmt.Fprintln(s.out, "wrote", f.Path)
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
		fmt.Fprintf(s.out, "%s below %s\n", strings.Join(did, ", "), setup.Dir)
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
	fmt.Fprintf(s.out, "%s (%s) is the extension for VS Code. It is installed with:\n\n", setup.Extension.Name, lengthOf(string(setup.Extension.Data)))
	for _, program := range setup.Extension.Programs {
		fmt.Fprintf(s.out, "  %s --install-extension %s\n", program, setup.Extension.Name)
	}
	fmt.Fprintln(s.out)
	if !write {
		answer, err := newConsole(s, nil).Ask(cmd.Context(), state.Question{Text: "Install it?", Options: []string{"yes", "no"}})
		if err != nil {
			return err
		}
		if answer.Choice != "yes" {
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
		fmt.Fprintf(s.out, "\n`redline` is not on your PATH: in VS Code, set redline.server.path to %s\n", program)
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
