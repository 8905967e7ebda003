package trial

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"redline/edits"
	"redline/edits/charset"
	"redline/workspace"
	"redline/workspace/world"
)

// compare notes what a command has made of a file.
func (x *capture) compare(path string, e world.Entry) {
	is, err := x.ws.Decoded(path, e.Text)
	text, bom := is.Text, is.BOM
	if err != nil {
		text, bom = edits.CutBOM(string(e.Text))
	}
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
	case base.Exists && err == nil && is.Charset != x.charsetOf(base) && !charset.ASCII(base.Text) && !charset.ASCII(text):
		x.refuse(path, fmt.Sprintf("its charset was changed to %s", is.Charset))
		return
	case same:
		return
	case base.Exists && base.BOM != bom:
		x.refuse(path, "its byte order mark was added or removed")
		return
	case err != nil:
		x.refuse(path, "it is no UTF-8 text")
		return
	case !base.Exists && is.Charset != charset.UTF8 && !bytes.Equal(x.ws.Content(path, text, bom), e.Text):
		x.refuse(path, fmt.Sprintf("it is in %s, and no rule says so of new files", is.Charset))
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

// charsetOf returns the charset of a file as the command found it.
func (x *capture) charsetOf(base workspace.File) charset.Charset {
	if _, unsaved := x.texts[base.Path]; unsaved {
		return x.ws.CharsetOf(base.Path)
	}
	return base.Charset
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
