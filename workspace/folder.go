package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is one folder of the workspace.
type Folder struct {
	Name string // prefix of paths if there are several folders; the workspace makes it unique
	Dir  string // absolute; derived from URI if empty
	URI  string // as the client spelled it, "" from the command line
}

// normalised derives missing fields and drops invalid ones.
func (f Folder) normalised() Folder {
	if f.Dir == "" && f.URI != "" {
		f.Dir, _ = dirOfURI(f.URI)
	}
	if f.Dir != "" {
		f.Dir = filepath.Clean(f.Dir)
	}
	if f.Name == "" || f.Name == "." || f.Name == ".." || strings.ContainsAny(f.Name, "/\\\x00") || reserved(f.Name) != "" {
		f.Name = filepath.Base(f.Dir)
	}
	if strings.ContainsAny(f.Name, "/\\") || f.Name == "." {
		f.Name = "root"
	}
	return f
}

// addRoot returns roots with the root of f added, under a unique name. A folder that is in
// roots already, or has no directory, changes nothing.
func (rs *rootSet) addRoot(roots []*root, f Folder) []*root {
	f = f.normalised()
	if f.Dir == "" || slices.ContainsFunc(roots, func(r *root) bool { return r.Dir == f.Dir }) {
		return roots
	}
	name := f.Name
	for n := 2; slices.ContainsFunc(roots, func(r *root) bool { return r.Name == f.Name }); n++ {
		f.Name = fmt.Sprintf("%s-%d", name, n)
	}
	return append(slices.Clip(roots), &root{Folder: f, access: rs.access})
}
