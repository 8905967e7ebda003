package patch

import (
	"strings"

	"redline/internal/lazyregexp"
)

// extendedHeader is a line that git writes below "diff --git".
var extendedHeader = lazyregexp.New(`^(rename from|rename to|copy from|copy to|new file mode|deleted file mode|old mode|new mode|index|similarity index|dissimilarity index) (.*)$`)

// extended reports whether a line is an extended header.
func (s *section) extended(line string) bool { return extendedHeader().MatchString(line) }

// extend reads an extended header.
func (s *section) extend(line string) error {
	m := extendedHeader().FindStringSubmatch(line)
	value := m[2]
	switch m[1] {
	case "rename from":
		s.renameFrom = unquote(value)
	case "rename to":
		s.renameTo = unquote(value)
	case "copy from", "copy to":
		return refuseFile(unquote(value), "The patch copies this file, which is not done here. Give the copy as a new file, with all of its text.")
	case "new file mode":
		s.created, s.mode = true, value
	case "deleted file mode":
		s.gone = true
		return s.checkMode(value)
	case "old mode", "new mode":
		s.changesMode = true
		return s.checkMode(value)
	case "index":
		if _, mode, ok := strings.Cut(value, " "); ok {
			return s.checkMode(mode)
		}
	}
	return nil
}

// checkMode refuses a mode that is not a text file's.
func (s *section) checkMode(mode string) error {
	switch mode {
	case "120000":
		return refuseFile(s.name(), "The patch makes or changes a symbolic link, which is not done here. Leave it out.")
	case "160000":
		return refuseFile(s.name(), "The patch changes a submodule, which is not done here. Leave it out.")
	}
	return nil
}
