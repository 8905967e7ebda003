package patch

import (
	"strings"

	"redline/internal/lazyregexp"
)

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
