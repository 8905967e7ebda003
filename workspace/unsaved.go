package workspace

import (
	"path/filepath"
	"slices"
)

// Unsaved returns the open documents that are changed since they were read from
// or saved to disk, sorted: absolute names with no symbolic link in them. What
// is no file has none.
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

// RealName returns the absolute name of a file, which need not exist, with no
// symbolic link in it. Two workspaces that reach it on different ways have the
// same one. It fails like Read.
func (rs *rootSet) RealName(path string) (string, error) {
	r, rel, err := rs.resolve(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(r.realDir(), filepath.FromSlash(rel)), nil
}

// realNameOf is RealName for an open document, which may be outside of the
// workspace.
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

// AsOnDisk tells whether an open document has the text of its file, as when an
// editor has read it again. Line ends and a byte order mark do not count.
func (bs *buffers) AsOnDisk(b *Buffer) bool {
	if b.Path == "" {
		return false
	}
	differs, _ := bs.files.compareDisk(b.Path, b.Lines.Text())
	return !differs
}
