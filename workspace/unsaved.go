package workspace

import (
	"path/filepath"
	"slices"
)

// Unsaved returns the absolute names, without symbolic links and sorted, of the open
// documents with unsaved changes. It leaves out documents that are not files.
func (bs *buffers) Unsaved() []string {
	var names []string
	for _, b := range bs.Buffers() {
		if !b.Dirty {
			continue
		}
		if name, ok := bs.realNameOf(b); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RealName returns the absolute name, without symbolic links, of a file, which need not
// exist. Two workspaces that reach a file by different paths get the same name. It fails
// like Read.
func (rs *rootSet) RealName(path string) (string, error) {
	r, rel, err := rs.resolve(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(r.realDir(), filepath.FromSlash(rel)), nil
}

// realNameOf is RealName for an open document, which may be outside the workspace.
func (bs *buffers) realNameOf(b *Buffer) (string, bool) {
	if b.Path != "" {
		if name, err := bs.files.roots.RealName(b.Path); err == nil {
			return name, true
		}
	}
	abs, ok := dirOfURI(b.URI)
	if !ok {
		return "", false
	}
	top := filepath.VolumeName(abs) + string(filepath.Separator)
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return abs, true
	}
	if name, err := realName(top, filepath.ToSlash(rel)); err == nil {
		return name, true
	}
	return abs, true
}

// AsOnDisk reports whether an open document has the text of its file, for instance after an
// editor has reloaded it. It ignores line endings and a byte order mark.
func (bs *buffers) AsOnDisk(b *Buffer) bool {
	if b.Path == "" {
		return false
	}
	differs, _ := bs.files.compareDisk(b.Path, b.Lines.Text())
	return !differs
}
