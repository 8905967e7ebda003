package patch

import (
	"strconv"
	"strings"

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
