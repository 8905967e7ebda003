package patch

import (
	"regexp"
	"strings"
)

// The lines around the two texts of a search/replace block. Models count the
// marks badly.
var (
	opener  = regexp.MustCompile(`^<{5,9} ?SEARCH\s*$`)
	divider = regexp.MustCompile(`^={5,9}\s*$`)
	closer  = regexp.MustCompile(`^>{5,9} ?REPLACE\s*$`)
	// conflict is what version control writes around two texts, or a mark
	// of a block that is out of place.
	conflict = regexp.MustCompile(`^(<{5,9}|>{5,9}|\|{5,9})( |$)`)
)

// blocks reads search/replace blocks in prose.
type blocks struct {
	input
	at    int
	last  string // the file that was named last
	files []File
}

func parseBlocks(in input) ([]File, error) {
	b := &blocks{input: in}
	for b.at < len(b.lines) {
		line := b.bare(b.at)
		switch {
		case opener.MatchString(line):
			if err := b.block(); err != nil {
				return nil, err
			}
			continue
		case conflict.MatchString(line):
			return nil, refuseLine(b.at, "(%s) is a mark without the ones that belong to it: a block is a line <<<<<<< SEARCH, the text, a line =======, the new text, a line >>>>>>> REPLACE.", quoted(line))
		case structural(b.lines, b.at):
			return nil, errRefusal(errMixed)
		}
		b.at++
	}
	return b.files, nil
}

// block reads a block, from its first mark on.
func (b *blocks) block() error {
	first := b.at
	path := b.path(first)
	if path == "" {
		return refuseLine(first, "starts a block, but no file is named before it. Put its path on the line above.")
	}
	b.last = path
	end := first + 1
	for ; !closer.MatchString(b.bare(end)); end++ {
		switch {
		case end >= len(b.lines):
			return refuseFile(path, "The block on line %d of the patch has no end, a line >>>>>>> REPLACE: the patch is cut off. Send it whole.", first+1)
		case conflict.MatchString(b.bare(end)):
			return refuseFile(path, "The block on line %d of the patch has another mark in it (%s), so it is not clear where its texts end. If the file holds such lines, change it with edit_file.", first+1, quoted(b.bare(end)))
		}
	}
	middle, err := b.divider(path, first, end)
	if err != nil {
		return err
	}
	b.at = end + 1
	b.files = append(b.files, File{Path: path, Chunks: []Chunk{{
		Old: joined(b.lines[first+1 : middle]), New: joined(b.lines[middle+1 : end]), fresh: middle == first+1,
		lead: middle, tail: middle, // which lines stay is not said: as many as are the same
	}}})
	return nil
}

// divider returns the line between the two texts of the block from first to
// end: the one with as many marks as there are around them, else the only one.
// A line under a title looks alike.
func (b *blocks) divider(path string, first, end int) (int, error) {
	var alike, all []int
	width := strings.Count(b.bare(first), "<")
	for i := first + 1; i < end; i++ {
		if line := b.bare(i); divider.MatchString(line) {
			all = append(all, i)
			if len(line) == width {
				alike = append(alike, i)
			}
		}
	}
	if len(alike) > 0 {
		all = alike
	}
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return 0, refuseFile(path, "The block on line %d of the patch has no line ======= between the text and the new text.", first+1)
	}
	return 0, refuseFile(path, "The block on line %d of the patch has %d lines that could be the one between the text and the new text. If the file holds such lines, change it with edit_file.", first+1, len(all))
}

// joined returns lines as a text.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// path returns the file that the block on line first is for: named behind a
// fence, on the line above it, or with the block before.
func (b *blocks) path(first int) string {
	i := first - 1
	if i >= 0 && isFence(b.bare(i)) {
		if path := fencePath(b.bare(i)); path != "" {
			return path
		}
		i--
	}
	for i >= 0 && b.bare(i) == "" {
		i--
	}
	if i >= 0 {
		if path := namedPath(b.bare(i)); path != "" {
			return path
		}
	}
	return b.last
}

// fencePath returns the path in the line that starts a fence: "```go a/b.go",
// "```a/b.go", "```go:a/b.go", "```go title="a/b.go"".
func fencePath(line string) string {
	info := strings.TrimSpace(strings.TrimLeft(line, "`~"))
	for word := range strings.FieldsSeq(info) {
		if i := strings.LastIndexAny(word, ":="); i >= 0 {
			word = word[i+1:]
		}
		if word = strings.Trim(word, `"'{}`); pathLike(word) {
			return word
		}
	}
	return ""
}

var (
	inBackticks = regexp.MustCompile("`([^`]+)`")
	decoration  = regexp.MustCompile(`^(?:[#>*\s-]*)(?:(?i:file|path|filename)\s*:\s*)?(.*?)[:*\s]*$`)
)

// namedPath returns the path that a line names, "" if it names none: the only
// thing on the line but for Markdown's marks, or the only one in backticks.
func namedPath(line string) string {
	if m := inBackticks.FindAllStringSubmatch(line, -1); len(m) == 1 && pathLike(m[0][1]) {
		return m[0][1]
	} else if len(m) > 0 {
		return ""
	}
	if isFence(line) {
		return ""
	}
	if name := decoration.FindStringSubmatch(line)[1]; pathLike(name) {
		return name
	}
	return ""
}

// extension is how the names of most files end.
var extension = regexp.MustCompile(`\.\w{1,10}$`)

// pathLike tells whether a word looks like the path of a file.
func pathLike(word string) bool {
	switch word {
	case "Makefile", "Dockerfile", "LICENSE", "README", "Gemfile", "Rakefile", "Procfile", "Jenkinsfile", "Vagrantfile", "Justfile", "justfile":
		return true
	}
	if strings.ContainsAny(word, " \t\"'<>|*") || strings.HasSuffix(word, "/") || strings.HasPrefix(word, "//") {
		return false
	}
	return strings.Contains(word, "/") || extension.MatchString(word) || len(word) > 1 && word[0] == '.' && isWordRune(rune(word[1]))
}
