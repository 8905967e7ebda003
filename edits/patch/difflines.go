package patch

import (
	"strings"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// isRow reports whether a line can be in a hunk: it begins with a space, + or -.
func isRow(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '+' || line[0] == '-')
}

// isBlank reports whether a line is empty. In a hunk, that is an empty line of the file
// that lost its leading space.
func isBlank(line string) bool { return line == "" || line == "\r" }

// isMarker reports whether a line means that the one above it has no line end. Programs
// write it in the user's language.
func isMarker(line string) bool { return strings.HasPrefix(line, `\ `) }

// isBullet reports whether a line is more likely an item of a list.
func isBullet(line string) bool {
	return len(line) > 2 && line[1] == ' ' && line[2] != ' ' || strings.Trim(line, "-+ ") == ""
}

// isName reports whether a line outside a hunk looks like one that names a file.
func isName(line string) bool {
	if !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") {
		return false
	}
	name := headerName(line[4:])
	return !strings.Contains(name, " ") && strings.ContainsAny(name, "/.")
}

// isFence reports whether a line opens or closes a fence of Markdown.
func isFence(line string) bool {
	_, _, ok := fence.Open(line)
	return ok
}

// toggle enters or leaves a fence.
func (u *unified) toggle(line string) {
	switch {
	case u.fence == "":
		u.fence, _, _ = fence.Open(line)
	case fence.Closes(line, u.fence):
		u.fence, u.loose = "", false
	}
}

// binaryLine matches a line that says that a file is not text.
var binaryLine = lazyregexp.New(`^(GIT binary patch$|Binary files .* differ$|Files .* and .* differ$)`)

func isBinary(line string) bool { return binaryLine().MatchString(line) }

var (
	version = lazyregexp.New(`^\d+(\.\w+)+`)
	mail    = lazyregexp.New(`^From [0-9a-f]{40} `)
)

// endsHunk reports whether line i cannot be in the hunk above, whatever it begins with:
// the names of another file, a hunk, the end of a fence, the signature of a mail, or
// the end of the patch.
func (u *unified) endsHunk(i int) bool {
	if i >= len(u.lines) {
		return true
	}
	line := u.bare(i)
	switch {
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff -"), strings.HasPrefix(line, "Index: "),
		mail().MatchString(u.lines[i]), fence.Closes(line, u.fence), u.isMixed(line):
		return true
	case line == "--":
		return i+1 == len(u.lines) || version().MatchString(u.bare(i+1))
	}
	switch u.namesAt(i) {
	case 2:
		if i+2 == len(u.lines) {
			return isName(line) && isName(u.bare(i+1)) // cut off
		}
		return strings.HasPrefix(u.bare(i+2), "@@") || strings.HasSuffix(line, devNull) || strings.HasSuffix(u.bare(i+1), devNull)
	case 1:
		return isName(line) // else a removed or added line
	}
	return false
}
