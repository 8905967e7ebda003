//go:build amd64 || arm64

package world

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// change makes the changes, except for those of hidden files.
func (b *builder) change() error {
	for _, c := range b.Changes {
		if b.hides(c.Path) {
			continue
		}
		err := c.make()
		if err == nil && !c.Time.IsZero() && !c.Gone {
			err = os.Chtimes(c.Path, c.Time, c.Time)
		}
		if err != nil && !(c.Same && errors.Is(err, fs.ErrNotExist)) { // it was removed meanwhile
			return fmt.Errorf("%s cannot be changed: %w", c.Path, err)
		}
	}
	return nil
}

// hides reports whether a name, or what it leads to, is a hidden file or in a hidden folder.
func (b *builder) hides(name string) bool {
	real := resolved(name)
	return slices.ContainsFunc(b.Hidden, func(hidden string) bool { return isIn(name, hidden) || isIn(real, hidden) })
}

func (c Change) make() error {
	if c.Same {
		return nil
	}
	if c.Gone {
		if err := os.Remove(c.Path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return err
	}
	info, err := os.Stat(c.Path)
	mode := cmp.Or(c.Mode, 0o644)
	// An editor can change a read-only file, since it renames a new file over it; so does
	// this.
	if err == nil {
		mode = info.Mode().Perm()
		_ = os.Chmod(c.Path, mode|0o600)
	}
	if err := os.WriteFile(c.Path, c.Text, 0o600); err != nil {
		return err
	}
	return os.Chmod(c.Path, mode)
}
