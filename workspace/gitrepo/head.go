package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
)

// Branch returns the name of the branch that is checked out; "" if there is none, or if it cannot be
// told without Git.
func (r Repository) Branch() string {
	name := filepath.Join(r.dir, "HEAD")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	branch, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "ref: refs/heads/")
	if !ok || branch == ".invalid" { // as it says where refs are in tables
		return ""
	}
	return branch
}
