package patch

import (
	"strconv"
	"strings"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// devNull is the name for no file.
const devNull = "/dev/null"

// timestamp matches the time that diff writes after a name and a tab, which models turn
// into spaces.
var timestamp = lazyregexp.New(`\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d\S*(\s+[+-]\d{4})?$`)

// epoch matches the time that diff -N writes after the name of a file that does not exist: the
// beginning of 1970, in any zone.
var epoch = lazyregexp.New(`\s(1969-12-31|1970-01-01)[ T](\d\d):(\d\d):00(?:\.0+)?(?:\s*([+-])(\d\d):?(\d\d))?$`)

// isAbsent reports whether a header line has a time that means that there is no such file.
func isAbsent(line string) bool {
	m := epoch().FindStringSubmatch(strings.TrimRight(line, " \t\r"))
	if m == nil {
		return false
	}
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	clock := number(m[2])*60 + number(m[3])
	if m[1] == "1969-12-31" {
		clock -= 24 * 60
	}
	zone := number(m[5])*60 + number(m[6])
	if m[4] == "-" {
		zone = -zone
	}
	return clock == zone
}

// headerName returns the name from the rest of a header line after "--- " or "+++ ",
// without a timestamp, and unquoted.
func headerName(rest string) string {
	if strings.HasPrefix(rest, `"`) {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			rest = unquote(quoted)
		}
		return rest
	}
	rest, _, _ = strings.Cut(rest, "\t")
	rest = strings.TrimSpace(rest)
	return strings.Trim(timestamp().ReplaceAllString(rest, ""), "`")
}

// unquote returns the name that git writes in quotes, with C's escapes, if it has
// special characters.
func unquote(name string) string {
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return plain
	}
	return name
}

// prefixes are the letters that git writes before the names of either side (diff.noprefix
// and diff.mnemonicPrefix in git-config).
const prefixes = "abciow12"

// prefixed reports whether a name has one of git's prefixes.
func prefixed(name string) bool {
	return len(name) > 2 && name[1] == '/' && strings.IndexByte(prefixes, name[0]) >= 0
}

// sides returns the names on the two sides of a diff without git's prefixes. They have
// prefixes if both begin with different ones, or if one is the other name with a
// prefix. A name that is "" or /dev/null stays; the other side then has a prefix if it
// looks like one.
func sides(from, to string) (string, string) {
	switch {
	case from == "" || from == devNull:
		return from, strings.TrimPrefix(to, "b/")
	case to == "" || to == devNull:
		return strings.TrimPrefix(from, "a/"), to
	case from == "a/"+to:
		return to, to
	case to == "b/"+from:
		return from, from
	case !prefixed(from) || !prefixed(to) || from[0] == to[0]:
		return from, to
	case from[2:] == to[2:], from[0] == 'a' && to[0] == 'b':
		return from[2:], to[2:]
	}
	return from, to
}

// gitNames returns the two names of a line "diff --git A B", with their prefixes. ok is
// false if it is unclear where the first one ends: then other lines have the names.
func gitNames(rest string) (from, to string, ok bool) {
	if strings.HasPrefix(rest, `"`) {
		first, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", "", false
		}
		return unquote(first), unquote(strings.TrimSpace(rest[len(first):])), true
	}
	if i := strings.Index(rest, ` "`); i > 0 && strings.HasSuffix(rest, `"`) {
		return rest[:i], unquote(rest[i+1:]), true
	}
	if strings.Count(rest, " ") == 1 {
		return strings.Cut(rest, " ")
	}
	// Blanks in names: they are the same but for their prefixes.
	half := len(rest) / 2
	if len(rest)%2 == 0 || rest[half] != ' ' {
		return "", "", false
	}
	from, to = rest[:half], rest[half+1:]
	x, y := sides(from, to)
	return from, to, x == y
}

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
