package patch

import (
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// unified takes the part of a unified diff that begins on the next line: that of one
// file, or everything in a fence for a diff.
func (s *scanner) unified() bool {
	i := s.at
	line := s.lines[i]
	if line == "" {
		return false
	}
	switch {
	case s.fence == "" && isDiffFence(line):
		return s.diffFence()
	case strings.HasPrefix(line, "***************"): // a context diff, which Parse does not read
		if i+1 == len(s.lines) || !strings.HasPrefix(s.lines[i+1], "*** ") {
			return false
		}
		s.take(Attempt{Form: Unified}, i, i+1, "")
		return true
	case line[0] == ' ' || line[0] == '\t':
		if !s.outdent() {
			return false
		}
		line = s.lines[i]
	case !strings.ContainsRune("-+@d", rune(line[0])):
		return false
	}
	next := ""
	if i+1 < len(s.lines) {
		next = s.lines[i+1]
	}
	names := namesIn(line, next)
	if names == 1 && strings.TrimSpace(line[4:]) == "" {
		names = 0 // a rule, or the end of a mail: no name, and no second line that makes it a header
	}
	head := strings.HasPrefix(line, "diff --git ") || names > 0
	if !head && line != "@@" && !strings.HasPrefix(line, "@@ ") {
		return false
	}
	if i < s.idle {
		return false
	}
	end := s.diffEnd(i)
	if !s.edits(i, end) {
		s.idle = end
		return false
	}
	s.takeDiff(i, end, head)
	return true
}

// outdent removes the indentation of the next lines if they begin a diff: two lines
// that name a file, with the same indentation.
func (s *scanner) outdent() bool {
	line := s.lines[s.at]
	bare := strings.TrimLeft(line, " \t")
	before := line[:len(line)-len(bare)]
	if !strings.HasPrefix(bare, "--- ") || s.at+2 >= len(s.lines) || s.at < s.idle {
		return false
	}
	for i, starts := range []string{"--- ", "+++ ", "@@"} {
		if !strings.HasPrefix(s.lines[s.at+i], before+starts) {
			return false
		}
	}
	s.dedent(before)
	return true
}

// maxDedents limits how often outdent removes indentation, since it scans empty lines
// each time.
const maxDedents = 64

// dedent removes this indentation from the next lines, or as much of it as they have.
func (s *scanner) dedent(blanks string) {
	if blanks == "" || s.dedents == maxDedents {
		return
	}
	s.dedents++
	s.ending = ending{}
	for i := s.at; i < len(s.lines); i++ {
		rest, ok := strings.CutPrefix(s.lines[i], blanks)
		if !ok && s.bare(i) != "" {
			break
		}
		s.lines[i] = rest
	}
}

// takeDiff takes the part of a diff up to end. A part without a file name belongs to
// the part before it.
func (s *scanner) takeDiff(i, end int, head bool) {
	cut := s.fence != "" && end == len(s.lines)
	if n := len(s.found); !head && n > 0 && s.found[n-1].Form == Unified && s.found[n-1].Path != "" {
		s.extend(i, end).Cut = cut
		return
	}
	path := ""
	if head {
		path = diffPath(s.lines[i:end])
	}
	s.take(Attempt{Form: Unified, Path: path, Cut: cut}, i, end, "")
}

// diffPath returns the file name in the lines of a diff.
func diffPath(lines []string) string {
	u := &unified{input: input{lines: lines, whole: true}}
	for u.at < len(lines) && len(u.sections) < 2 && !strings.HasPrefix(lines[u.at], "@@") {
		if u.step() != nil {
			break
		}
	}
	if len(u.sections) == 0 {
		return ""
	}
	s := u.sections[0]
	from, to := s.paths()
	if s.renameFrom == "" && (from == "" || from == devNull) {
		return to
	}
	return s.name()
}

// diffEnd returns where the part of a diff on line i ends: before the names of another
// file, or before a line that cannot be in a diff.
func (s *scanner) diffEnd(i int) int {
	head := true // the lines that name the file
	for first := i; i < len(s.lines); i++ {
		line := s.lines[i]
		next := ""
		if i+1 < len(s.lines) {
			next = s.lines[i+1]
		}
		switch {
		case s.closesFence(i):
			return i
		case strings.HasPrefix(line, "diff --git "), !head && s.namesNext(i):
			if i > first {
				return i
			}
		case strings.HasPrefix(line, "@@"):
			head = false
		case head && (namesIn(line, next) > 0 || strings.HasPrefix(line, "+++ ") || extendedHeader().MatchString(line) || isBinary(line)):
		case isRow(line), isMarker(line):
			head = false
			if s.fence == "" && i > first && s.bare(i-1) == "" && isBullet(line) {
				return i
			}
		case isBlank(line):
		default:
			return i
		}
	}
	return i
}

// namesNext reports whether the lines from i on name another file, and are not in the
// hunk above.
func (s *scanner) namesNext(i int) bool {
	if i+1 >= len(s.lines) {
		return false
	}
	line, next := s.lines[i], s.lines[i+1]
	switch namesIn(line, next) {
	case 2:
		return i+2 < len(s.lines) && strings.HasPrefix(s.lines[i+2], "@@") || strings.HasSuffix(s.bare(i), devNull) || strings.HasSuffix(s.bare(i+1), devNull)
	case 1:
		return isName(line)
	}
	return false
}

// edits reports whether lines of a diff change anything: they add or remove a line, or a
// line of git names an operation on the file.
func (s *scanner) edits(from, to int) bool {
	for i := from; i < to; i++ {
		line := s.lines[i]
		switch {
		case line == "":
		case extendedHeader().MatchString(line):
			return true
		case (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- "):
			return true
		}
	}
	return false
}

// isDiffFence reports whether a line begins a fence for a diff.
func isDiffFence(line string) bool {
	line = strings.TrimSpace(line)
	if !isFence(line) {
		return false
	}
	info, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "`~")), " ")
	return slices.Contains([]string{"diff", "patch", "udiff", "Diff", "DIFF"}, info)
}

// diffFence takes everything in the fence for a diff that begins on the next line, if
// only the fence shows that it is a diff. It finds the name of the file as for a block.
func (s *scanner) diffFence() bool {
	first := s.at
	line := s.bare(first)
	inner := strings.TrimLeft(line, " \t")
	s.enter(inner, len(line)-len(inner))
	end := s.fenceEnd(first+1, len(s.lines))
	rows, plain := false, true
	for i := first + 1; i < end && plain; i++ {
		line := s.lines[i]
		rows = rows || s.edits(i, i+1)
		next := ""
		if i+1 < end {
			next = s.lines[i+1]
		}
		plain = namesIn(line, next) == 0 && !strings.HasPrefix(line, "diff --git ") && !beginVerb(strings.TrimSpace(line)) &&
			strings.TrimSpace(line) != beginPatch && meant(line) != markOpen
	}
	if !plain || !rows {
		s.at = first + 1 // scan its lines one by one
		return true
	}
	path := fencePath(inner)
	if path == "" {
		path = s.blocks().above(first)
	}
	named := ""
	switch {
	case path != "":
		named = "--- a/" + path + "\n+++ b/" + path + "\n"
	case !strings.HasPrefix(s.lines[first+1], "@@"):
		named = "@@ @@\n"
	}
	cut := end == len(s.lines)
	s.take(Attempt{Form: Unified, Path: path, Cut: cut}, first+1, end, named)
	return true
}

// inScript matches how a "*** Begin Patch" text begins as the argument of a command in
// a script or, with its line ends written out, in JSON.
var inScript = lazyregexp.New(`apply_?patch\W{1,8}\*\*\* Begin Patch$|\*\*\* Begin Patch(?:\\r)?\\n\*\*\*`)

// begin takes the "*** Begin Patch" text on the next line, each file by itself.
func (s *scanner) begin() bool {
	line := strings.TrimSpace(s.lines[s.at])
	if !strings.Contains(line, "***") {
		return false
	}
	first, from := s.at, s.at
	script := inScript().MatchString(line)
	begun := line == beginPatch || script
	switch {
	case begun:
		from++
	case !beginVerb(line) || !s.changes(first):
		return false
	}
	if line == beginPatch {
		raw := s.lines[first]
		s.dedent(raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))])
	}
	end, ended := s.patchEnd(from, begun)
	verbs := s.verbs(from, end)
	cut := begun && !ended && end == len(s.lines)
	switch {
	case len(verbs) > 0:
	case begun && !script && s.edits(from, end): // without a valid file name
		s.take(Attempt{Form: BeginPatch, Cut: cut}, first, end, "")
		return true
	case script, cut && strings.TrimSpace(strings.Join(s.lines[from:end], "")) == "":
		s.take(Attempt{Form: BeginPatch, Cut: cut}, first, from, "")
		return true
	default:
		return false
	}
	for k, i := range verbs {
		to := end
		if k+1 < len(verbs) {
			to = verbs[k+1]
		}
		_, name, _ := strings.Cut(s.lines[i], ":")
		path := strings.Trim(strings.TrimSpace(name), "`\"")
		s.take(Attempt{Form: BeginPatch, Path: path, Cut: cut && to == end}, i, to, beginPatch+"\n")
		if made := &s.found[len(s.found)-1]; !made.Cut {
			made.Text += endPatch + "\n"
		}
	}
	if ended {
		s.at, s.after = end+1, end+1
	}
	return true
}

// verbs returns the lines that name an operation on a file: those with the same
// indentation as the first one. A change can contain lines of a file that look like them.
func (s *scanner) verbs(from, end int) []int {
	var all []int
	indent := ""
	for i := max(from, s.verbsAt); i < end; i++ {
		verb := strings.TrimLeft(s.lines[i], " \t")
		if !beginVerb(verb) {
			continue
		}
		before := s.lines[i][:len(s.lines[i])-len(verb)]
		if len(all) == 0 {
			indent = before
		}
		if before == indent {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		s.verbsAt = max(s.verbsAt, end)
	}
	return all
}

// changes reports whether line i changes a file: it names a deletion, or lines of a
// change follow it.
func (s *scanner) changes(i int) bool {
	if strings.HasPrefix(strings.TrimSpace(s.lines[i]), deleteFile) {
		return true
	}
	next := s.bare(i + 1)
	return isRow(next) || strings.HasPrefix(next, "@@") || strings.HasPrefix(strings.TrimSpace(next), moveTo)
}

// ending caches the next line that ends a "*** Begin Patch" text.
type ending struct {
	at    int
	fence string // the fence that the lines were in
}

// patchEnd returns where a "*** Begin Patch" text ends: at its "*** End Patch" line, at
// the end of its fence, or with the text. A text without its first line ends before the
// first line that cannot be in a patch.
func (s *scanner) patchEnd(i int, begun bool) (end int, ended bool) {
	if begun {
		if s.ending.fence == s.fence {
			i = max(i, s.ending.at) // no end before that
		}
		defer func() { s.ending = ending{end, s.fence} }()
	}
	for ; i < len(s.lines); i++ {
		line := strings.TrimSpace(s.lines[i])
		switch {
		case line == endPatch:
			return i, true
		case s.closesFence(i), line == beginPatch:
			return i, false
		case !begun && line != "" && !isRow(s.lines[i]) && !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, "***"):
			return i, false
		}
	}
	return i, false
}
