package trial

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"redline/edits"
	"redline/workspace"
	"redline/workspace/world"
)

// compare notes what a command has made of a file.
func (x *capture) compare(path string, e world.Entry) {
	text, bom := edits.CutBOM(string(e.Text))
	if x.plain != nil {
		text = x.plain.Out(text)
	}
	base, ok := x.base(path)
	if !ok {
		return
	}
	same := base.Exists && base.Text == text && base.BOM == bom
	mode := fs.FileMode(e.Mode)
	if was := x.modeBefore(base); base.Exists && (was^mode)&0o100 != 0 {
		x.refuse(path, fmt.Sprintf("its permissions were changed to %04o", mode))
	}
	switch {
	case same:
		return
	case base.Exists && base.BOM != bom:
		x.refuse(path, "its byte order mark was added or removed")
		return
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		x.refuse(path, "it is no UTF-8 text")
		return
	case isPointer(text) || isPointer(base.Text):
		x.refuse(path, "it is a pointer of Git LFS")
		return
	}
	if mode = 0; e.Mode&0o100 != 0 {
		mode = 0o755
	}
	x.found.Files = append(x.found.Files, CapturedFile{Path: path, Base: base, Text: text, BOM: bom, Mode: mode})
}

// modeBefore returns the permissions with which the command found a file: where Redline has written an unsaved
// or planned text, those that the host's file has, or those of a new one.
func (x *capture) modeBefore(base workspace.File) fs.FileMode {
	info, err := os.Lstat(x.absolute(base.Path))
	switch {
	case base.Mode != 0:
		return base.Mode
	case err == nil:
		return info.Mode().Perm()
	}
	return 0o644
}

// isPointer reports whether a text stands for a large file that is stored elsewhere.
func isPointer(text string) bool {
	return strings.HasPrefix(text, "version https://git-lfs.github.com/spec/")
}
