package placeholder

import "strings"

// stands reports whether line i of the new text is all that replaces some code, or all
// that is left of it at the end of a block. A comment about the code below it is not,
// since that code is there. others reports whether another line may be a placeholder.
func (d *difference) stands(i int, others func(i int) bool) bool {
	r := d.of[i]
	code, remarks := 0, 0
	for _, j := range r.added {
		switch {
		case others(j):
			remarks++
		case isRemark(d.lines[j]):
			remarks++
			code++ // a remark with more to say
		case hasWord(d.lines[j]):
			code++
		}
	}
	if r.code == 0 || remarks <= r.remarks { // only a reworded comment
		return false
	}
	if code == 0 {
		return true
	}
	next := i + 1
	for next < len(d.lines) && (d.lines[next] == "" || others(next)) {
		next++
	}
	if next == len(d.lines) || closes(d.lines[next]) || depth(d.lines[next]) < depth(d.lines[i]) {
		return r.code > code
	}
	return d.of[next] == nil && r.code > code+1
}

// closes reports whether a line ends the block above it.
func closes(line string) bool {
	line = strings.TrimSpace(line)
	for _, end := range []string{"}", ")", "]", "</", "end", "fi", "done", "esac", "*/", "-->"} {
		if strings.HasPrefix(line, end) && (end[0] < 'a' || len(line) == len(end) || !isLetter(line[len(end)])) {
			return true
		}
	}
	return false
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= 0x80 }

// depth returns how far a line is indented, a tab being four columns.
func depth(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// isRemark reports whether a line is a comment, and not "#include" or the like.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	if isComment(line) {
		return len(line) == 1 || line[0] != '#' && line[0] != '-' && line[0] != '%' && line[0] != ';' || !isLetter(line[1])
	}
	return strings.HasPrefix(line, "{/*") || strings.HasPrefix(line, "{#") || strings.HasPrefix(line, "(*") || strings.HasPrefix(line, "<%#") || strings.HasPrefix(line, "{{!")
}
