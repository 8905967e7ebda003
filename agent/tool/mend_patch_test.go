package tool_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	ofChunk     = regexp.MustCompile(`(?m)^(?:error: )?(\S+), chunk (\d+) of \d+: `)
	lineOfPatch = regexp.MustCompile(`Line (\d+) of the patch `)
	badHeader   = regexp.MustCompile(`The context header "(.*)" is not a line of the file`)
	unsureFile  = regexp.MustCompile(`it is not clear whether "(.*)" is its file`)
)

// mendedPatch fixes a refused patch as the simple model would.
func mendedPatch(patch, refusal string) (next string, ok bool) {
	lines := strings.Split(patch, "\n")
	at := -1 // index of the line that the refusal names
	if m := lineOfPatch.FindStringSubmatch(refusal); m != nil {
		n, _ := strconv.Atoi(m[1])
		at = n - 1
	}
	switch {
	case at >= 0 && strings.Contains(refusal, "a space for a line that stays"):
		lines[at] = " " + lines[at]
	case at >= 0 && strings.Contains(refusal, "Begin every line of a new file with +"):
		lines[at] = "+" + lines[at]
	case at >= 0 && strings.Contains(refusal, "Leave it out"):
		lines = slices.Delete(lines, at, at+1)
	case strings.Contains(refusal, "Put that line at the end"):
		i := slices.Index(lines, "*** End Patch")
		lines = slices.Insert(slices.Delete(lines, i, i+1), len(lines)-2, "*** End Patch")
	case strings.Contains(refusal, "Leave out the line that says that it is the end"):
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return line == "*** End of File" || strings.HasPrefix(line, "\\ No newline")
		})
	case unsureFile.MatchString(refusal) && strings.Contains(refusal, "on the line above"):
		lines = slices.Insert(lines, at, unsureFile.FindStringSubmatch(refusal)[1])
	case badHeader.MatchString(refusal) && strings.Contains(refusal, "leave the header out"):
		header := strings.ReplaceAll(badHeader.FindStringSubmatch(refusal)[1], `\t`, "\t")
		i := slices.IndexFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "@@") && strings.Contains(line, header)
		})
		if i < 0 {
			return patch, false
		}
		if lines[i] = "@@"; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "@@") || i > 0 && strings.HasPrefix(lines[i-1], "@@") {
			lines = slices.Delete(lines, i, i+1)
		}
	case otherPath.MatchString(refusal):
		m := otherPath.FindStringSubmatch(refusal)
		return strings.ReplaceAll(patch, strings.TrimPrefix(m[1], "error: "), m[2]), true
	default:
		return mendedChunk(lines, refusal)
	}
	return strings.Join(lines, "\n"), true
}

// mendedChunk fixes the chunk that a refusal names in the way an edit is fixed.
func mendedChunk(lines []string, refusal string) (next string, ok bool) {
	m := ofChunk.FindStringSubmatch(refusal)
	if m == nil {
		return "", false
	}
	n, _ := strconv.Atoi(m[2])
	first, end := chunkAt(lines, m[1], n)
	if first < 0 {
		return "", false
	}
	s := said{path: m[1]}
	divider := slices.Index(lines[first:end], "=======")
	for i, line := range lines[first:end] {
		switch {
		case divider >= 0 && i < divider:
			s.old = append(s.old, line)
		case divider >= 0 && i > divider:
			s.new = append(s.new, line)
		case divider >= 0:
		case line == "":
			s.old, s.new = append(s.old, line), append(s.new, line)
		default:
			if line[0] != '+' {
				s.old = append(s.old, line[1:])
			}
			if line[0] != '-' {
				s.new = append(s.new, line[1:])
			}
		}
	}
	s, ok = s.mended(refusal)
	if !ok {
		return "", false
	}
	rows := strings.TrimSuffix(s.rows(), "\n")
	if divider >= 0 {
		rows = text(s.old, "\n") + "=======\n" + strings.TrimSuffix(text(s.new, "\n"), "\n")
	}
	return strings.Join(slices.Concat(lines[:first], strings.Split(rows, "\n"), lines[end:]), "\n"), true
}

// chunkAt returns the lines of a patch that chunk n of a file takes, -1 if unknown.
func chunkAt(lines []string, path string, n int) (first, end int) {
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, path) })
	row := func(i int) bool {
		return i < len(lines) && (lines[i] == "" && i+1 < len(lines) || lines[i] != "" && strings.ContainsRune(" +-", rune(lines[i][0])) &&
			!strings.HasPrefix(lines[i], "--- ") && !strings.HasPrefix(lines[i], "+++ "))
	}
	for i := max(at, 0); i < len(lines); i++ {
		switch {
		case strings.HasPrefix(lines[i], "<<<<<<<"):
			for end = i + 1; end < len(lines) && !strings.HasPrefix(lines[end], ">>>>>>>"); end++ {
			}
			first, i = i+1, end
		case row(i) && lines[i] != "":
			for first, end = i, i; row(end); end++ {
			}
			i = end
		default:
			continue
		}
		if n--; n == 0 {
			return first, end
		}
	}
	return -1, -1
}
