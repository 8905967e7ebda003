package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"redline/internal/smallfile"
)

// Custom has the files NAME.md of one kind by which users adapt Redline: in a folder of their
// own, beside the settings, and in one of the repository, such as .redline/templates.
type Custom struct {
	Workspace *Workspace
	Dir       string // the user's own folder, "" for none
	Folder    string // the repository's, in .redline
	Limit     int64  // in bytes: of a longer file one more is read
}

// CustomFile is one of these files.
type CustomFile struct {
	Name  string // without .md
	Path  string // the user reads this
	Yours bool   // in the user's own folder
}

// List returns the files, the user's own first, each sorted by name. A folder that cannot be read has
// none.
func (c Custom) List() (files []CustomFile) {
	add := func(name, path string, yours bool) {
		if base, ok := strings.CutSuffix(name, ".md"); ok {
			files = append(files, CustomFile{base, path, yours})
		}
	}
	if c.Dir != "" {
		entries, _ := os.ReadDir(c.Dir)
		for _, e := range entries {
			add(e.Name(), filepath.Join(c.Dir, e.Name()), true)
		}
	}
	names, _ := c.Workspace.Own().Names(c.Folder)
	for _, name := range names {
		add(name, ownDir+"/"+c.Folder+"/"+name, false)
	}
	return files
}

// Read returns the text of a file.
func (c Custom) Read(f CustomFile) (string, error) {
	if f.Yours {
		return smallfile.Read(f.Path, c.Limit)
	}
	data, err := c.Workspace.Own().Read(c.Folder + "/" + f.Name + ".md")
	return string(data), err
}
