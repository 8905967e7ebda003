package workspace

import (
	"path"
	"strings"

	"redline/edits/charset"
)

// editorConfig is the name of the files in which a project says how editors write its files:
// https://spec.editorconfig.org.
const editorConfig = ".editorconfig"

// maxEditorConfig is how many bytes such a file may have; a longer one does not count.
const maxEditorConfig = 64 << 10

// editorCharset returns the charset that the .editorconfig files of the folders from that of rel up to
// the workspace folder name for it. The nearest one that names any counts. None above the workspace
// folder is read, and none that is a symbolic link.
func (r *root) editorCharset(rel string) (charset.Charset, bool) {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		name := path.Join(dir, editorConfig)
		if data, _, err := r.readRegular(name, name, maxEditorConfig); err == nil {
			below := strings.TrimPrefix(rel, dir+"/")
			c, named, top := charsetIn(string(data), below)
			if named || top {
				return c, named
			}
		}
		if dir == "." {
			return charset.UTF8, false
		}
	}
}

// charsetIn returns the charset that the text of an .editorconfig file names for rel, relative to its
// folder: in the last section that names one. top reports whether files of folders above do not count.
func charsetIn(text, rel string) (c charset.Charset, named, top bool) {
	matches, preamble := false, true
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if end := strings.LastIndexByte(line, ']'); line[0] == '[' && end > 0 {
			matches, preamble = sectionMatches(line[1:end], rel), false
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if !found || !matches && !preamble {
			continue
		}
		value = strings.ToLower(strings.TrimSpace(value))
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "root":
			top = top || preamble && value == "true"
		case "charset":
			if matches {
				c, _ = charset.Named(value) // "unset" is UTF-8
				named = true
			}
		}
	}
	return c, named, top
}

// sectionMatches reports whether the glob of a section is one of rel. Ranges of numbers are not read.
func sectionMatches(glob, rel string) bool {
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	glob = strings.TrimPrefix(glob, "/")
	parts := strings.Split(glob, "/")
	for i, part := range parts {
		if rest, ok := strings.CutPrefix(part, "**"); ok && rest != "" { // any characters, slashes too
			parts[i] = "**/*" + rest
		}
	}
	return MatchGlob(strings.Join(parts, "/"), rel)
}
