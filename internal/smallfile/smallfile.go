// Package smallfile reads files that should be small but may have any size, and replaces files in
// one step.
package smallfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Read returns the text of a regular file, at most limit+1 bytes of it: the caller refuses
// a text longer than limit.
func Read(path string, limit int64) (string, error) {
	info, err := os.Stat(path) // before opening: opening a pipe would wait
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	return string(data), err
}

// Replace writes a file, of mode 0600, in one step: a reader finds the old text or the new
// one. before, unless it is nil, is called with the new file before that gets its name. A process
// that is killed meanwhile leaves a file whose name begins with that of path.
func Replace(path string, data []byte, before func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if before != nil {
		err = errors.Join(err, before(f))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
