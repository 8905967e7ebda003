package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"redline/internal/phrase"
)

// The bounds of a glob: a matcher tries every way through its braces.
const (
	maxGlob     = 1000 // bytes
	maxGlobWays = 1000
)

// ValidGlob reports whether glob is a doublestar pattern that can be matched quickly: it
// has at most 1000 bytes and expands its braces in at most 1000 ways.
func ValidGlob(glob string) bool {
	if len(glob) > maxGlob {
		return false
	}
	ways, escaped := 1, false
	var open []int // for each open brace, its choices so far
	for i := range len(glob) {
		switch c := glob[i]; {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if ways *= open[len(open)-1]; ways > maxGlobWays {
				return false
			}
			open = open[:len(open)-1]
		}
		if len(open) > 10 {
			return false
		}
	}
	return doublestar.ValidatePattern(glob)
}

// clipName shortens a name for a message.
func clipName(name string) string { return phrase.StartBytes(name, 100) }

// MatchGlob reports whether a path, or a name, matches a glob. An invalid glob matches
// nothing.
func MatchGlob(glob, path string) bool {
	if strings.Contains(glob, "{") && !ValidGlob(glob) || len(glob) > maxGlob {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return ok && err == nil
}
