// Package patch reads the formats in which models and tools write changes to files:
// unified diffs, "*** Begin Patch" texts and search/replace blocks. It finds out what a
// patch does to each file, and where in a file's text each part belongs; it does no I/O.
//
// Line numbers in a patch never decide anything by themselves. A place is found by its
// text; a number, like a context header, can only tell apart places that have the same
// text, and a number only if no lines have moved since they were counted. If a chunk
// still has several places, the chunks before and after it must leave one: chunks in one
// part of a patch are in ascending order.
package patch

import (
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// Limits of a patch. A patch beyond them is refused.
const (
	MaxBytes  = 8 << 20
	MaxFiles  = 1000
	MaxChunks = 10000
)

// File is what a patch does to one file.
type File struct {
	Path    string     // as the patch names it, without git's "a/" and "b/"
	NewPath string     // the new path of a moved file
	Kind    edits.Kind // Rename with or without chunks
	Text    string     // Create: the whole text
	Mode    uint32     // Create: 0o755 or 0o644 if the patch names permission bits, see [edits.NewMode]; 0 if not
	Chunks  []Chunk    // Delete: the content of the file according to the patch, if given
}

// Chunk is a change at one place of a file, in whole lines. A last line without a line
// end has none in the file either.
type Chunk struct {
	Old, New string
	Line     int      // where Old starts according to the patch, counted from 1; 0 if not given
	Within   []string // lines of the file, outermost first; of several places, the chunk's is below them, or in the blocks that they open
	Heading  string   // the same, where it is only a hint
	AtEnd    bool     // Old is the end of the file; without Old, New is appended

	below []string // context headers of empty parts above: used like Within, where possible
	bare  *texts   // the texts if unchanged lines have no mark, nil if that is impossible
	fault error    // why the chunk must be read as bare: a line has no mark

	doubled *texts // the texts if unchanged lines have an extra space, nil if they have none
	unclear bool   // added lines may have the extra space too

	lead, tail int  // how many lines at the start and at the end of Old may be unchanged
	block      bool // it is a search/replace block, which does not mark unchanged lines
	fresh      bool // it has no Old, so it may be the text of a new file
	rows       bool // each of its lines has a mark and its own line end, as in a unified diff
	part       int  // index of its part of the patch for the file, from 0; see Join

	restored bool // New contains restored lines, see Restore
}

// Parse recognizes the form of a patch and returns its effect, one File for each part:
// several parts may have the same path; [Join] merges them. The error is a [*Refusal].
func Parse(text string) ([]File, error) {
	if len(text) > MaxBytes {
		return nil, refuse("The patch is larger than %d MiB. Give it in several parts, or write the files whole.", MaxBytes>>20)
	}
	lines := strings.Split(text, "\n")
	whole := lines[len(lines)-1] == ""
	if whole {
		lines = lines[:len(lines)-1]
	}
	lines = unwrap(lines)
	parse, err := formOf(lines)
	if err != nil {
		return nil, err
	}
	files, err := parse(input{lines, whole})
	if err != nil {
		return nil, err
	}
	if err := limit(files); err != nil {
		return nil, err
	}
	return files, nil
}

// input is a patch in lines, without their "\n".
type input struct {
	lines []string
	whole bool // the last line had a "\n"
}

// bare returns line i without the spaces and "\r" at its end, or "" after the last
// line.
func (in *input) bare(i int) string {
	if i >= len(in.lines) {
		return ""
	}
	return strings.TrimRight(in.lines[i], " \t\r")
}

// limit refuses a patch of too many parts.
func limit(files []File) error {
	chunks := 0
	for i := range files {
		chunks += len(files[i].Chunks)
	}
	switch {
	case len(files) > MaxFiles:
		return refuse("The patch is of more than %d files. Give it in several parts.", MaxFiles)
	case chunks > MaxChunks:
		return refuse("The patch has more than %d chunks. Give it in several parts, or write the files whole.", MaxChunks)
	}
	return nil
}

// heredoc matches the line of a shell command that takes a patch as input.
var heredoc = lazyregexp.New(`<<-?\s*['"]?(\w+)['"]?\s*$`)

// unwrap returns the lines of the patch without the here-document around them, if any.
func unwrap(lines []string) []string {
	for i, line := range lines {
		if structural(lines, i) || isStray(line) {
			return lines
		}
		m := heredoc().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for end := len(lines) - 1; end > i; end-- {
			if strings.TrimSpace(lines[end]) == m[1] {
				return lines[i+1 : end]
			}
		}
		return lines[i+1:]
	}
	return lines
}

// structural reports whether line i can only occur in a patch.
func structural(lines []string, i int) bool {
	parse, err := formAt(lines, i)
	return parse != nil || err != nil
}

// formOf returns the reader for the form of a patch. The first line that only a patch
// has decides.
func formOf(lines []string) (func(input) ([]File, error), error) {
	for i := range lines {
		if parse, err := formAt(lines, i); parse != nil || err != nil {
			return parse, err
		}
	}
	for i, line := range lines {
		if isStray(line) {
			return nil, refuseMark(i, line)
		}
	}
	return nil, errRefusal(errNone)
}

func formAt(lines []string, i int) (func(input) ([]File, error), error) {
	line := strings.TrimRight(lines[i], " \t\r")
	next := ""
	if i+1 < len(lines) {
		next = lines[i+1]
	}
	switch {
	case strings.TrimSpace(line) == beginPatch, beginVerb(line):
		return parseBegin, nil
	case opener().MatchString(line):
		return parseBlocks, nil
	case line == "***************":
		return nil, refuse("The patch is a context diff, which is not read here. Give a unified diff (diff -u).")
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff -"), isBinary(line),
		namesIn(lines[i], next) > 0:
		return parseUnified, nil
	}
	return nil, nil
}
