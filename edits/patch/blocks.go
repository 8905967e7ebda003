package patch

import (
	"strings"

	"redline/internal/lazyregexp"
)

// The lines around the two texts of a search/replace block. Models count the
// marks badly.
var (
	opener  = lazyregexp.New(`^<{5,9} ?SEARCH\s*$`)
	divider = lazyregexp.New(`^={5,9}\s*$`)
	closer  = lazyregexp.New(`^>{5,9} ?REPLACE\s*$`)
	// conflict is what version control writes around two texts, or a mark
	// of a block that is out of place.
	conflict = lazyregexp.New(`^(<{5,9}|>{5,9}|\|{5,9})( |$)`)
)

// HasBlocks tells whether text holds a search/replace block, from its first
// mark to its last. Whether it can be read, Parse says.
func HasBlocks(text string) bool {
	open := false
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\r\n"); {
		case opener().MatchString(line):
			open = true
		case open && closer().MatchString(line):
			return true
		}
	}
	return false
}

// blocks reads search/replace blocks in prose.
type blocks struct {
	input
	at    int
	after int    // the line after the last block
	last  string // the file of the last block
	files []File
}

func parseBlocks(in input) ([]File, error) {
	b := &blocks{input: in}
	for b.at < len(b.lines) {
		line := b.bare(b.at)
		switch {
		case opener().MatchString(line):
			if err := b.block(); err != nil {
				return nil, err
			}
			continue
		case conflict().MatchString(line):
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
	path, plain, err := b.path(first)
	if err != nil {
		return err
	}
	b.last = path
	end := first + 1
	for ; !closer().MatchString(b.bare(end)); end++ {
		switch {
		case end >= len(b.lines):
			return refuseFile(path, "The block on line %d of the patch has no end, a line >>>>>>> REPLACE: the patch is cut off. Send it whole.", first+1)
		case conflict().MatchString(b.bare(end)):
			return refuseFile(path, "The block on line %d of the patch has another mark in it (%s), so it is not clear where its texts end. If the file holds such lines, change it with edit_file.", first+1, quoted(b.bare(end)))
		}
	}
	middle, err := b.divider(path, first, end)
	if err != nil {
		return err
	}
	b.at, b.after = end+1, end+1
	b.files = append(b.files, File{Path: path, Chunks: []Chunk{{
		Old: joined(b.lines[first+1 : middle]), New: joined(b.lines[middle+1 : end]), fresh: plain && middle == first+1,
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
		if line := b.bare(i); divider().MatchString(line) {
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
