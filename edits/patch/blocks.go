package patch

import (
	"strings"

	"redline/internal/lazyregexp"
)

// blocks reads search/replace blocks in prose.
type blocks struct {
	input
	at      int
	after   int    // the line after the last block
	last    string // the file of the last block
	several bool   // the blocks so far are of several files
	files   []File
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
		case isStray(line):
			return nil, refuseMark(b.at, line)
		}
		b.at++
	}
	return b.files, nil
}

// block reads a block from its first mark on.
func (b *blocks) block() error {
	first := b.at
	path, plain, err := b.path(first)
	if err != nil {
		return err
	}
	b.several = b.several || b.last != "" && b.last != path
	b.last = path
	end, isEnd := first+1, b.ends(first)
	for ; !isEnd(b.bare(end)); end++ {
		switch {
		case end >= len(b.lines):
			return refuseFile(path, "The block on line %d of the patch has no end, a line >>>>>>> REPLACE: the patch is cut off. Send it whole.", first+1)
		case conflict().MatchString(b.bare(end)), strings.HasPrefix(b.bare(end), b.bare(first)[:1]) && opener().MatchString(b.bare(end)):
			return refuseFile(path, "The block on line %d of the patch has another mark in it (%s), so it is not clear where its texts end. If the file holds such lines, change it with edit_file.", first+1, quoted(b.bare(end)))
		}
	}
	middle, err := b.divider(path, first, end)
	if err != nil {
		return err
	}
	b.at, b.after = end+1, end+1
	begin := b.numbered(first+1, middle)
	b.files = append(b.files, File{Path: path, Chunks: []Chunk{{
		Old: joined(b.lines[begin:middle]), New: joined(b.lines[middle+1 : end]), fresh: plain && middle == begin, block: true,
		lead: middle, tail: middle, // a block does not mark lines that stay: take as many as are the same
	}}})
	return nil
}

var (
	lineNumber = lazyregexp.New(`^:(?:start|end)_line:\s*\d+$`)
	dashes     = lazyregexp.New(`^-{5,}$`)
)

// numbered returns the line where the text begins between lines i and end: some models
// put line numbers before it, and a line of dashes below them. Only the text decides its
// place.
func (b *blocks) numbered(i, end int) int {
	first := i
	for i < end && lineNumber().MatchString(b.bare(i)) {
		i++
	}
	if i > first && i < end && dashes().MatchString(b.bare(i)) {
		i++
	}
	return i
}

// maxDivider is how many signs the line between two texts may have, if any line has no
// more.
const maxDivider = 9

// divider returns the line between the two texts of the block from first to end: the
// line with as many marks as those around them, else the only one. A line under a title
// looks the same.
func (b *blocks) divider(path string, first, end int) (int, error) {
	var alike, usual, all []int
	mark := b.bare(first)
	width := len(mark) - len(strings.TrimLeft(mark, mark[:1]))
	for i := first + 1; i < end; i++ {
		line := b.bare(i)
		if !divider().MatchString(line) {
			continue
		}
		all = append(all, i)
		if len(line) <= maxDivider {
			usual = append(usual, i)
		}
		if len(line) == width {
			alike = append(alike, i)
		}
	}
	switch {
	case len(alike) > 0:
		all = alike
	case len(usual) > 0:
		all = usual
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
