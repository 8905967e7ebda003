package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
)

// Branch returns the name of the current branch; "" if there is none, or if finding it
// needs Git.
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
	if !ok || branch == ".invalid" { // HEAD contains this if the refs are in tables (reftable)
		return ""
	}
	return branch
}
