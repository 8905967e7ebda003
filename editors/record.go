package editors

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordName is the file in a plugin's own folder that says which files `redline init` wrote
// there. Each line has the SHA-256 and the name of a file, as sha256sum writes it.
const recordName = "written-by-redline-init.sha256"

// recorded returns the setup with the record of its own files, which comes last.
func (s Setup) recorded() Setup {
	var text strings.Builder
	for _, f := range s.Files {
		if s.Owns(f) {
			name, _ := filepath.Rel(s.Dir, f.Path) // it is below
			text.WriteString(sum([]byte(f.Text)) + "  " + filepath.ToSlash(name) + "\n")
		}
	}
	s.Files = append(s.Files, File{Path: filepath.Join(s.Dir, recordName), Text: text.String()})
	return s
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// Difference is how a setup differs from what is on the disk.
type Difference struct {
	Missing  []File   // are not there
	Outdated []File   // are there as an earlier version wrote them: they can be replaced
	Changed  []File   // are there with another text: they must be left alone
	Gone     []string // paths of files that an earlier version wrote, and this one has no more
}

// None reports whether nothing is to be written or removed.
func (d Difference) None() bool { return len(d.Missing)+len(d.Outdated)+len(d.Gone) == 0 }

// Compare compares a setup with the disk. read reads a file.
func (s Setup) Compare(read func(path string) ([]byte, error)) Difference {
	var d Difference
	earlier := s.earlier(read)
	for _, f := range s.Files {
		text, err := read(f.Path)
		was := earlier[f.Path]
		delete(earlier, f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.Missing = append(d.Missing, f)
		case err == nil && string(text) == f.Text:
		case err == nil && (sum(text) == was || s.isRecord(f)):
			d.Outdated = append(d.Outdated, f)
		default:
			d.Changed = append(d.Changed, f)
		}
	}
	for path, was := range earlier {
		if text, err := read(path); err == nil && sum(text) == was {
			d.Gone = append(d.Gone, path)
		}
	}
	slices.Sort(d.Gone)
	return d
}

func (s Setup) isRecord(f File) bool { return s.Owns(f) && filepath.Base(f.Path) == recordName }

// earlier reads the record of an earlier version: the sum of each file, by its path.
func (s Setup) earlier(read func(path string) ([]byte, error)) map[string]string {
	sums := map[string]string{}
	if s.Dir == "" {
		return sums
	}
	text, err := read(filepath.Join(s.Dir, recordName))
	if err != nil {
		return sums
	}
	for line := range strings.Lines(string(text)) {
		was, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if name = filepath.FromSlash(name); ok && filepath.IsLocal(name) {
			sums[filepath.Join(s.Dir, name)] = was
		}
	}
	return sums
}

// Written is what `redline init` has written for an editor.
type Written struct {
	Editor string
	Path   string // absolute; of a file, or of a folder that is Redline's alone
	Whole  bool   // it can be removed; else the file holds more than what init wrote
}

// Find looks for what [For] has written: a file with just that text, or the folder of a plugin
// in whatever version. A file that has more in it, and mentions Redline, is not Whole. read
// reads a file.
func Find(where Folders, read func(path string) ([]byte, error)) []Written {
	var found []Written
	for _, name := range Names() {
		setup, err := For(name, where)
		if err != nil {
			continue
		}
		if setup.Dir != "" {
			if info, err := os.Lstat(setup.Dir); err == nil && info.IsDir() {
				found = append(found, Written{name, setup.Dir, true})
			}
		}
		for _, f := range setup.Files {
			if setup.Dir != "" && strings.HasPrefix(f.Path, setup.Dir+string(filepath.Separator)) {
				continue
			}
			text, err := read(f.Path)
			switch {
			case err != nil:
			case string(text) == f.Text:
				found = append(found, Written{name, f.Path, true})
			case strings.Contains(string(text), "redline"):
				found = append(found, Written{name, f.Path, false})
			}
		}
	}
	return found
}

// Remove removes what [Find] has found whole, and folders that are empty then, up to but not
// including stop.
func (w Written) Remove(stop string) error {
	if err := os.RemoveAll(w.Path); err != nil {
		return err
	}
	for dir := filepath.Dir(w.Path); strings.HasPrefix(dir, stop+string(filepath.Separator)); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 || os.Remove(dir) != nil {
			return nil
		}
	}
	return nil
}
