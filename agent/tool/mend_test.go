package tool_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mended returns the call of a simple model after a refusal. The model does what the
// refusal says and nothing more, and knows only the refusal and its own call. ok is false
// if the refusal does not tell it what to do.
func (s said) mended(refusal string) (next said, ok bool) {
	for _, try := range []func(said, string) (said, bool){said.takePath, said.fillEmpty, said.takeFilesLines, said.tellApart, said.append} {
		if next, ok := try(s, refusal); ok {
			return next, true
		}
	}
	return s, false
}

var (
	otherPath  = regexp.MustCompile(`(\S+) does not exist; (\S+) does: use that path`)
	someLines  = regexp.MustCompile(`(?s) are in the file:\n(.*)$`)
	sameLines  = regexp.MustCompile(`^  … \((\d+) lines? that are the same\)$`)
	codePoint  = regexp.MustCompile(`⟨U\+([0-9A-F]{4,6})⟩`)
	besideLine = regexp.MustCompile(`(?m)^line (\d+), the (.*):\n((?:  .*\n?)+)`)
)

// takePath takes the path that the refusal names.
func (s said) takePath(refusal string) (said, bool) {
	m := otherPath.FindStringSubmatch(refusal)
	if m == nil {
		return s, false
	}
	s.path = m[2]
	return s, true
}

// fillEmpty makes the old text empty if the file is empty.
func (s said) fillEmpty(refusal string) (said, bool) {
	if !strings.Contains(refusal, "The file is empty") || !strings.Contains(refusal, "an empty text to replace") {
		return s, false
	}
	s.old = nil
	return s, true
}

// decoded returns a line of a refusal as it is in the file: it replaces the signs that
// the refusal explains.
func decoded(line, refusal string) string {
	for _, sign := range []struct{ name, means, is string }{
		{"·", " for a space", " "}, {"→", " for a tab", "\t"}, {"¶", " for an empty line", ""}, {"⟨empty⟩", " for an empty line", ""},
	} {
		if strings.Contains(refusal, sign.name+" stands"+sign.means) || strings.Contains(refusal, ", "+sign.name+sign.means) {
			line = strings.ReplaceAll(line, sign.name, sign.is)
		}
	}
	if strings.Contains(refusal, "⟩ stands for ") {
		line = codePoint.ReplaceAllStringFunc(line, func(name string) string {
			r, _ := strconv.ParseInt(codePoint.FindStringSubmatch(name)[1], 16, 32)
			return string(rune(r))
		})
	}
	return line
}

// takeFilesLines replaces the lines that the refusal shows with - by the file's lines,
// shown with +: in the old text, and in the new one if they stay there.
func (s said) takeFilesLines(refusal string) (said, bool) {
	m := someLines.FindStringSubmatch(refusal)
	if m == nil || strings.Contains(refusal, "Not all is shown") || strings.Contains(refusal, "nearly as much like it") {
		return s, false
	}
	if strings.Contains(refusal, "Several places are about equally near") {
		mark := fmt.Sprintf("on line %d:\n", s.line)
		if s.line == 0 {
			mark = "\n" // the first place shown
		}
		_, mine, ok := strings.Cut(m[1], mark)
		if !ok {
			return s, false
		}
		m[1], _, _ = strings.Cut(mine, "\non line ")
	}
	var old []string
	at := 0
	var gone, come, ours []string // ours: the lines of gone as the refusal shows them
	new := slices.Clone(s.new)
	hunk := func() {
		new = swapped(new, old, gone, come, s.old[at:])
		old = append(old, come...)
		gone, come, ours = nil, nil, nil
	}
	for _, row := range strings.Split(m[1], "\n") {
		mark, line := row, ""
		if len(row) >= 2 {
			mark, line = row[:2], decoded(row[2:], refusal)
		}
		switch {
		case mark == "- " && at < len(s.old):
			if come != nil {
				hunk()
			}
			gone, ours = append(gone, s.old[at]), append(ours, line)
			at++
			continue
		case mark == "+ " && len(come) < len(gone):
			come = append(come, wholeLine(line, ours[len(come)], gone[len(come)], refusal))
			continue
		case mark == "+ ":
			come = append(come, line)
			continue
		}
		n := 1
		if m := sameLines.FindStringSubmatch(row); m != nil {
			n, _ = strconv.Atoi(m[1])
		} else if mark != "  " || at >= len(s.old) || decoded(s.old[at], refusal) != line && s.old[at] != line {
			break // the end of the shown lines
		}
		hunk()
		for ; n > 0 && at < len(s.old); n-- {
			old = append(old, s.old[at])
			at++
		}
	}
	hunk()
	if at == len(s.old)-1 && s.old[at] == "" { // of a text without a final line end
		old, at = append(old, ""), at+1
	}
	if at < len(s.old) {
		return s, false
	}
	next := s
	next.old, next.new = old, new
	return next, !slices.Equal(old, s.old)
}

// wholeLine returns the file's line. If the refusal shows only parts of the lines, it
// replaces the shown part of the model's own line.
func wholeLine(line, ours, own, refusal string) string {
	if !strings.Contains(refusal, "… at an end of a line stands for the rest of it") {
		return line
	}
	return strings.Replace(own, strings.Trim(ours, "…"), strings.Trim(line, "…"), 1)
}

// swapped returns the new text with the lines of gone replaced by come. before and after
// are the lines around them.
func swapped(new, before, gone, come, after []string) []string {
	switch {
	case len(gone) == len(come):
		for i := range gone {
			if j := slices.Index(new, gone[i]); j >= 0 {
				new[j] = come[i]
			}
			was, is := indentOf(gone[i]), indentOf(come[i])
			if was != is && strings.TrimSpace(gone[i]) == strings.TrimSpace(come[i]) {
				for j, line := range new { // "send both texts indented as the file is"
					if indentOf(line) == was {
						new[j] = is + line[len(was):]
					}
				}
			}
		}
	case len(come) == 0:
		new = slices.DeleteFunc(new, func(line string) bool { return slices.Contains(gone, line) })
	case len(gone) == 0 && len(before) > 0 && slices.Contains(new, before[len(before)-1]):
		new = slices.Insert(new, slices.Index(new, before[len(before)-1])+1, come...)
	case len(gone) == 0 && len(after) > 0 && slices.Contains(new, after[0]):
		new = slices.Insert(new, slices.Index(new, after[0]), come...)
	default:
		i := -1
		if len(gone) > 0 {
			i = slices.Index(new, gone[0])
		}
		if i >= 0 {
			n := 0
			for n < len(gone) && i+n < len(new) && new[i+n] == gone[n] {
				n++
			}
			if n == len(gone) {
				new = slices.Replace(new, i, i+n, come...)
			}
		}
	}
	return new
}

// tellApart adds the lines that tell the meant place from the others.
func (s said) tellApart(refusal string) (said, bool) {
	for _, m := range besideLine.FindAllStringSubmatch(refusal, -1) {
		if m[1] != strconv.Itoa(s.line) && s.line != 0 {
			continue
		}
		var lines []string
		for line := range strings.Lines(m[3]) {
			lines = append(lines, decoded(strings.TrimSuffix(line, "\n")[2:], refusal))
		}
		switch {
		case strings.HasPrefix(m[2], "lines as the file has them"):
			return s.asThere(m[2], lines)
		case strings.HasPrefix(m[2], "whole line"):
			if len(s.old) != 1 || len(s.new) != 1 {
				return s, false
			}
			i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, s.old[0]) })
			put := slices.Clone(lines)
			put[i] = strings.Replace(put[i], s.old[0], s.new[0], 1)
			s.old, s.new = lines, put
		case strings.HasSuffix(m[2], "above"):
			s.old, s.new, s.line = slices.Concat(lines, s.old), slices.Concat(lines, s.new), max(s.line-len(lines), 0)
		default:
			s.old, s.new = slices.Concat(s.old, lines), slices.Concat(s.new, lines)
		}
		return s, true
	}
	return s, false
}

// asThere takes the lines of the place from the file, with the lines beside them, and
// indents the new lines like them.
func (s said) asThere(what string, lines []string) (said, bool) {
	own := len(s.old)
	if own > 0 && s.old[own-1] == "" { // of a text without a final line end
		own--
	}
	n := len(lines) - own
	if n < 0 || own == 0 {
		return s, false
	}
	there, above, below := lines[:own], []string(nil), lines[own:]
	if strings.HasSuffix(what, "above") {
		above, there, below = lines[:n], lines[n:], nil
	}
	new := slices.Clone(s.new)
	was, is := indentOf(s.old[0]), indentOf(there[0])
	for i, line := range new {
		if at := slices.Index(s.old[:own], line); at >= 0 {
			new[i] = there[at]
		} else if rest, ok := strings.CutPrefix(line, was); ok && line != "" {
			new[i] = is + rest
		}
	}
	s.old = slices.Concat(above, there, below)
	s.new = slices.Concat(above, new, below)
	return s, true
}

// append puts the last lines of the file, which the refusal shows, above the new ones.
func (s said) append(refusal string) (said, bool) {
	_, last, ok := strings.Cut(refusal, "put its last lines, which stay, above the new ones")
	_, last, _ = strings.Cut(last, ":\n")
	if !ok {
		return s, false
	}
	var lines []string
	for line := range strings.Lines(last) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		lines = append(lines, strings.TrimSuffix(line, "\n")[2:])
	}
	s.old, s.new = lines, slices.Concat(lines, s.new)
	return s, true
}
