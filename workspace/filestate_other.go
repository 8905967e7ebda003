//go:build !linux

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// FileState is which file a name was at one time, and in which state.
type FileState struct{ info fs.FileInfo }

// StateOf returns the state of a file or folder by its absolute name. It follows no link.
func StateOf(name string) (FileState, error) {
	info, err := os.Lstat(name)
	return FileState{info}, err
}

// IsDir reports whether it is a folder.
func (s FileState) IsDir() bool { return s.info.IsDir() }

// SameFile reports whether both are the same file, in whichever states.
func (s FileState) SameFile(other FileState) bool { return os.SameFile(s.info, other.info) }

// Size returns how many bytes the file has.
func (s FileState) Size() int64 { return s.info.Size() }

// Same reports whether both are the same file in the same state.
func (s FileState) Same(other FileState) bool {
	a, b := s.info, other.info
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime()) && changeTime(a) == changeTime(b)
}

// Modified returns when the content changed.
func (s FileState) Modified() time.Time { return s.info.ModTime() }

// Changed returns when the content or its attributes changed, which no program can set. It is 1970 if the
// system does not report it.
func (s FileState) Changed() time.Time { return time.Unix(0, changeTime(s.info)) }

// ListFolder returns the names in the folder at an absolute name, in no order, and what they are. Names that
// are removed meanwhile are left out.
func ListFolder(dir string) (names []string, states []FileState, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			names, states = append(names, e.Name()), append(states, FileState{info})
		}
	}
	return names, states, err
}

// readNames returns the names in the folder at an absolute name, in no order, those that it could read if it
// fails.
func readNames(dir string) (folderText, error) {
	entries, err := os.ReadDir(dir)
	var names, kinds []byte
	for _, e := range entries {
		kind := otherFile
		switch {
		case e.Type().IsRegular():
			kind = regularFile
		case e.IsDir():
			kind = aFolder
		case e.Type()&fs.ModeSymlink != 0:
			kind = aLink
		}
		names, kinds = append(append(names, e.Name()...), 0), append(kinds, byte(kind))
	}
	return folderText{string(names), string(kinds)}, err
}

// append appends the state to data.
func (s FileState) append(data []byte) []byte {
	return fmt.Appendf(data, "%d %d %d %d ", s.info.Size(), s.info.Mode(), s.info.ModTime().UnixNano(), changeTime(s.info))
}

// state returns the state that a stamp has seen. ok is false if there was nothing.
func (s Stamp) state() (state FileState, ok bool) { return FileState{s.info}, s.info != nil }

// String returns a text that differs for other states.
func (s FileState) String() string { return fmt.Sprintf("%x", s.append(nil)) }
