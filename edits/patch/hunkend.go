package patch

import (
	"cmp"
	"slices"
	"strings"
)

// body reads the lines of a hunk, which start at line first.
func (u *unified) body(h hunkHeader, first int) error {
	u.loose = false
	s := u.current()
	end, fault, err := u.extent(h, first)
	switch {
	case err != nil:
		return err
	case end == first && u.isNote(h, first):
		s.heading = cmp.Or(h.heading, s.heading)
		u.at = first
		return nil
	case end == first && u.blankFrom(first):
		return refuseFile(s.name(), "The hunk on line %d of the patch has no lines: the patch is cut off. Send it whole.", first)
	case end == first:
		return refuseFile(s.name(), "The hunk on line %d of the patch has no lines below its line @@. Put them there, or leave the hunk out.", first)
	}
	c, err := u.chunk(h, first, end, fault)
	if err != nil {
		return refuseLine(first, "starts a hunk that cannot be read: %s", err)
	}
	c.Heading, s.heading = cmp.Or(c.Heading, s.heading), ""
	s.chunks = append(s.chunks, c)
	u.at = end
	return nil
}

// blankFrom reports whether there are only blank lines from line i on.
func (u *unified) blankFrom(i int) bool {
	for ; i < len(u.lines); i++ {
		if u.bare(i) != "" {
			return false
		}
	}
	return true
}

// extent returns where the hunk that starts at line first ends: by its numbers, else by
// the form of its lines. fault is not nil if some of its lines have no mark, which is
// possible only if no unchanged line has one.
func (u *unified) extent(h hunkHeader, first int) (end int, fault, err error) {
	if end, ok := u.counted(h, first); ok {
		return end, nil, nil
	}
	next := first
	for !u.endsHunk(next) && (isBlank(u.lines[next]) || isRow(u.lines[next]) || isMarker(u.lines[next])) {
		next++
	}
	end = u.trimmed(first, next)
	switch {
	case u.endsHunk(next):
		return end, nil, u.checkWhole(h, first, end, next)
	case end == next, end == first:
		fault = reasonf("Line %d of the patch (%s) is in a hunk but begins with none of a space, + and -. Begin every line of a hunk with one of them, a space for a line that stays.", next+1, quoted(u.lines[next]))
		if bare := u.bareEnd(first); bare > next {
			u.loose = true
			return bare, fault, u.checkWhole(h, first, bare, bare)
		}
		if end > first {
			return 0, nil, errRefusal(fault)
		}
	}
	u.loose = true
	return end, nil, nil
}

// bareEnd returns where a hunk with unmarked lines ends: at the first blank line after
// its last removed or added line, or at a line that cannot be in it.
func (u *unified) bareEnd(first int) int {
	last := first // after the last removed or added line
	end := first
	for ; !u.endsHunk(end) && !isFence(u.lines[end]); end++ {
		if line := u.lines[end]; line != "" && (line[0] == '+' || line[0] == '-') {
			last = end + 1
		}
	}
	if last == first {
		return first
	}
	for last < end && !isBlank(u.lines[last]) {
		last++
	}
	return last
}

// chunk makes a chunk of the rows from first up to end, for both ways to read them.
func (u *unified) chunk(h hunkHeader, first, end int, fault error) (Chunk, error) {
	rows := u.lines[first:end]
	var other *texts
	if bare, ok := bare(rows); ok {
		if c, err := chunkOf(h, bare); err == nil {
			texts := c.texts()
			other = &texts
		}
		if fault != nil {
			rows = bare
		}
	}
	c, err := chunkOf(h, rows)
	c.bare, c.fault = other, fault
	if err == nil && fault == nil && !slices.ContainsFunc(rows, isMarker) {
		c.readDoubled(rows)
	}
	return c, err
}

// isNote reports whether a hunk without lines, which would start at line first, is only
// a header for the hunk below it: its numbers, if any, do not say that it changes
// anything, and the patch does not end after it.
func (u *unified) isNote(h hunkHeader, first int) bool {
	for first < len(u.lines) && isBlank(u.lines[first]) {
		first++
	}
	return first < len(u.lines) && u.endsHunk(first) && !u.isMixed(u.bare(first)) && h.old == h.new
}

// counted returns where the hunk ends by its numbers. ok is false if it has none, or if
// its lines show that they are wrong.
func (u *unified) counted(h hunkHeader, first int) (end int, ok bool) {
	if !h.counted {
		return 0, false
	}
	old, new, i := h.old, h.new, first
	for ; old > 0 || new > 0; i++ {
		if i >= len(u.lines) {
			return 0, false
		}
		line := u.lines[i]
		switch {
		case isBlank(line) || line[0] == ' ':
			old, new = old-1, new-1
		case line[0] == '-':
			old--
		case line[0] == '+':
			new--
		case !isMarker(line):
			return 0, false
		}
	}
	if i < len(u.lines) && isMarker(u.lines[i]) {
		i++
	}
	next := i
	for next < len(u.lines) && isBlank(u.lines[next]) {
		next++
	}
	if old != 0 || new != 0 || !u.endsHunk(next) && (isRow(u.lines[next]) || isMarker(u.lines[next])) {
		return 0, false
	}
	u.loose = !u.endsHunk(next)
	return u.trimmed(first, i), true
}

// trimmed returns end without the empty lines before it. They may be in the hunk, with
// their space lost, or between it and what follows; leaving them out only makes the
// search text a little shorter.
func (u *unified) trimmed(first, end int) int {
	for end > first && isBlank(u.lines[end-1]) {
		end--
	}
	return end
}

// checkWhole refuses a hunk, the rows from first up to end, that is cut off. next is
// the line after it.
func (u *unified) checkWhole(h hunkHeader, first, end, next int) error {
	if next < len(u.lines) || u.whole || !h.counted || !u.short(h, first, end) {
		return nil
	}
	return refuseFile(u.current().name(), "The patch ends in the middle of a hunk: fewer lines follow than the line %s says. Send it whole, or leave the numbers out (@@ @@).", quoted(u.bare(first-1)))
}

// short reports whether a hunk may have lost lines at its end, since it has fewer than
// its numbers say. If one side has more, the numbers are wrong; if it ends with an
// unchanged line, as hunks do, it is whole.
func (u *unified) short(h hunkHeader, first, end int) bool {
	old, new, stays := 0, 0, false
	for _, line := range u.lines[first:end] {
		if isMarker(line) {
			continue
		}
		removed, added := strings.HasPrefix(line, "-"), strings.HasPrefix(line, "+")
		if stays = !removed && !added; !added {
			old++
		}
		if !removed {
			new++
		}
	}
	return (old < h.old || new < h.new) && old <= h.old && new <= h.new && !stays
}
