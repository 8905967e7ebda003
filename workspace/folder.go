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
	f.Name = strings.ToValidUTF8(f.Name, "_") // paths begin with it, and are UTF-8
	return f
}

// MaxFolders is how many folders a workspace can have. Further ones are left out: each costs time
// in every search.
const MaxFolders = 1000

// addRoots returns roots with the roots of folders added, under unique names. A folder that is in
// roots already, has no directory or is one too many changes nothing.
func (rs *rootSet) addRoots(roots []*root, folders []Folder) []*root {
	dirs, names := map[string]bool{}, map[string]bool{}
	for _, r := range roots {
		dirs[r.Dir], names[r.Name] = true, true
	}
	next := map[string]int{} // the number that makes a name unique
	all := slices.Clone(roots)
	for _, f := range folders {
		if f = f.normalised(); f.Dir == "" || dirs[f.Dir] || len(all) >= MaxFolders {
			continue
		}
		name := f.Name
		for names[f.Name] {
			next[name] = max(next[name], 1) + 1
			f.Name = fmt.Sprintf("%s-%d", name, next[name])
		}
		dirs[f.Dir], names[f.Name] = true, true
		all = append(all, &root{Folder: f, access: rs.access})
	}
	return all
}
