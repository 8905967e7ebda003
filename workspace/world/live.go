package world

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Live changes files in the folders of a world while a command runs in it. An overlay does not show
// reliably what changes below it later, so whoever lets a command run for long makes the host's
// changes in the world too.
//
// What runs in the world may have put links, FIFOs or other folders in the way: Live follows no
// link out of a folder, opens nothing that exists, and removes nothing but files and links. Its
// methods are for one goroutine at a time.
type Live struct {
	folders []liveFolder
	hidden  []string
	written int // numbers temporary files
}

type liveFolder struct {
	dir  string
	root *os.Root
}

// OpenLive opens the folders of the world that this process is in, before anything else runs there.
// The error is a part of a sentence.
func OpenLive(w World) (*Live, error) {
	l := &Live{hidden: w.Hidden}
	for _, dir := range w.Folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("its folder %s cannot be opened: %w", dir, err)
		}
		l.folders = append(l.folders, liveFolder{filepath.Clean(dir), root})
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != filepath.Clean(dir) {
			l.folders = append(l.folders, liveFolder{real, root})
		}
	}
	return l, nil
}

// Change makes a change. One of a hidden file, or of one in a hidden folder, is skipped. A file that
// is there already keeps its permissions. The error is a part of a sentence; the file is then as it
// was, or gone if it was to go.
func (l *Live) Change(c Change) error {
	if err := l.change(c); err != nil {
		return fmt.Errorf("%s cannot be changed: %w", c.Path, err)
	}
	return nil
}

func (l *Live) change(c Change) error {
	for _, hidden := range l.hidden {
		if isIn(c.Path, hidden) {
			return nil
		}
	}
	root, name, err := l.find(c.Path)
	if err != nil || c.Same {
		return err
	}
	if c.Gone {
		return removeFile(root, name)
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	mode := cmp.Or(c.Mode, 0o644)
	switch info, err := root.Lstat(name); {
	case err == nil && info.IsDir():
		return errors.New("a folder is there")
	case err == nil && info.Mode().IsRegular():
		mode = info.Mode().Perm()
	}
	l.written++
	temp := filepath.Join(filepath.Dir(name), ".redline-live-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(l.written))
	if err := writeFile(root, temp, c, mode); err != nil {
		return errors.Join(err, removeFile(root, temp))
	}
	if err := root.Rename(temp, name); err != nil {
		return errors.Join(err, removeFile(root, temp))
	}
	return nil
}

// find returns the folder that holds a file, and its name there.
func (l *Live) find(path string) (*os.Root, string, error) {
	for _, f := range l.folders {
		if name, ok := strings.CutPrefix(path, f.dir+string(filepath.Separator)); ok && filepath.IsLocal(name) {
			return f.root, name, nil
		}
	}
	return nil, "", errors.New("it is in no folder of the world")
}

// writeFile writes a new file.
func writeFile(root *os.Root, name string, c Change, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(c.Text)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil && !c.Time.IsZero() {
		err = root.Chtimes(name, c.Time, c.Time)
	}
	return err
}

// removeFile removes a file or link, if there is one.
func removeFile(root *os.Root, name string) error {
	switch info, err := root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("a folder is there")
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
