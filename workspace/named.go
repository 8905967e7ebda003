package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"unicode/utf8"
)

// namedFile is the user's list of files that hold secrets, in each folder of the workspace.
const namedFile = ownDir + "/ignore"

// everything are patterns that name every file.
var everything = parsePatterns("*", false)

// named returns the patterns of .redline/ignore. If the file is there and cannot be read, nobody
// knows what it names: then they name everything.
func (r *root) named() []pattern {
	patterns, err := r.readNamed()
	if err != nil {
		return everything
	}
	return patterns
}

// readNamed returns the patterns of .redline/ignore, none if there is no such file. The error says
// why it cannot be read, after the name of the file.
func (r *root) readNamed() ([]pattern, error) {
	dir, err := r.open()
	if err != nil {
		return nil, nil // there are no files either
	}
	info, err := dir.Lstat(namedFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("is a link")
	case !info.Mode().IsRegular():
		return nil, errors.New("is no ordinary file")
	case info.Size() > maxRules:
		return nil, fmt.Errorf("has more than %d MiB", maxRules>>20)
	}
	data, _, err := readKnown(dir, namedFile, namedFile, maxRules)
	switch {
	case errors.Is(err, fs.ErrNotExist): // removed meanwhile
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case isUTF16(data):
		return nil, errors.New("is UTF-16 text")
	case !utf8.Valid(data):
		return nil, errors.New("is not UTF-8 text")
	}
	return parsePatterns(string(data), false), nil
}

func unreadable(err error) error { return fmt.Errorf("cannot be read (%w)", cause(err)) }

// HidesAll returns why all files of a folder of the workspace count as secret, as a sentence for the
// user without its full stop; nil if none has a .redline/ignore that cannot be read.
func (w *Workspace) HidesAll() error {
	roots := w.allRoots()
	for _, r := range roots {
		_, err := r.readNamed()
		if err == nil {
			continue
		}
		name := namedFile
		if len(roots) > 1 {
			name = r.Name + "/" + name
		}
		return fmt.Errorf("%s %w, so nobody knows which files it names, and all count as secret: make it an ordinary file of UTF-8 text of at most %d MiB, or remove it", name, err, maxRules>>20)
	}
	return nil
}
