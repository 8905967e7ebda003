package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"redline/edits"
	"redline/internal/phrase"
)

// Unusable is the error for a settings file or a policy that cannot be read as a whole. It may
// deny a command, or name who may be asked, and nobody knows: so nothing is run and nothing is
// sent until it is fixed.
type Unusable struct {
	file   string
	policy bool
	why    error // a part of a sentence; begins with the line if there is one
}

func (u *Unusable) Error() string {
	if u.policy {
		return fmt.Sprintf("the policy in %s cannot be applied: %s. Ask who administers this machine to fix it", u.file, u.why)
	}
	return fmt.Sprintf("your settings in %s cannot be read: %s; Redline runs nothing and sends nothing until you fix it", u.file, u.why)
}

var errTooLarge = fmt.Errorf("it is not a file of at most %d bytes", maxFileSize)

// read reads a settings file. Its errors are parts of a sentence. A path through a file, as with
// HOME=/dev/null, names no file either.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return nil, errTooLarge
	}
	data, err := os.ReadFile(path)
	return data, withoutPath(err)
}

// mark is the byte order mark that some editors write before UTF-8 text. TOML knows none.
const mark = "\ufeff"

// parse reads TOML, after a byte order mark if there is one. Its errors are parts of a sentence.
func parse(data []byte) (tables map[string]any, err error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("line 1 is not TOML (the file is UTF-16; save it as UTF-8)")
	}
	err = toml.Unmarshal(bytes.TrimPrefix(data, []byte(mark)), &tables)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ := at.Position()
		why := edits.Visible(strings.TrimPrefix(at.Error(), "toml: ")) // it may quote a key, and a repository could bring that
		return nil, fmt.Errorf("line %d is not TOML (%s)", row, phrase.Clip(why, 200))
	}
	return tables, err
}

// withoutPath returns the reason of a file error without the path.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
