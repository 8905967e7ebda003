package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
