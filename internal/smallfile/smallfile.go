// Package smallfile reads files that should be small but may have any size.
package smallfile

import (
	"errors"
	"io"
	"os"
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
