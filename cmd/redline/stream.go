package main

import (
	"slices"
	"strings"

	"redline/edits/patch"
	"redline/internal/lazyregexp"
)

// stream is the answer of a turn as it arrives, reply by reply. It gives out what a reader wants
// to see at once, and holds back edits that the model has written into its answer: they are shown
// as a diff. Whoever knows the whole answer asks rest what is not shown yet.
type stream struct {
	shown strings.Builder // of this reply
	line  string          // the beginning of a line that may become an edit
	mid   bool            // in the middle of a line that is shown
	fence bool            // in a block of code
	held  bool            // an edit has begun: nothing more of the reply is shown
	over  bool            // the next piece is of another reply
}

// next takes a piece of a reply and returns what to show. first says that it is the first of its
// reply.
func (s *stream) next(piece string) (text string, first bool) {
	if s.over {
		*s = stream{}
	}
	var out strings.Builder
	for part := range strings.Lines(piece) {
		ended := strings.HasSuffix(part, "\n")
		switch {
		case s.held:
		case s.mid:
			out.WriteString(part)
			s.mid = !ended
		default:
			s.line += part
			last := s.line[strings.LastIndex(strings.TrimSuffix(s.line, "\n"), "\n")+1:]
			opens := !s.fence && last == s.line && strings.HasPrefix(last, "```")
			switch {
			case beginsEdit(last):
				s.held = true
			case ended && !opens, !opens && !mayBeginEdit(last):
				s.fence = s.fence != strings.HasPrefix(s.line, "```")
				out.WriteString(s.line)
				s.line, s.mid = "", !ended
			}
		}
	}
	text = out.String()
	if first = s.shown.Len() == 0; first {
		text = strings.TrimLeft(text, "\n ")
	}
	s.shown.WriteString(text)
	return text, first && text != ""
}

// rest returns what of a whole answer is not shown yet. again says that it does not continue what
// is shown.
func (s *stream) rest(answer string) (rest string, again bool) {
	shown := s.shown.String()
	if rest, ok := strings.CutPrefix(answer, shown); ok {
		return rest, false
	}
	if rest, ok := strings.CutPrefix(answer, strings.TrimSpace(shown)); ok {
		return rest, false
	}
	return answer, shown != ""
}

// editStarts are how lines begin with which edits in an answer begin.
var editStarts = []string{"<<<<<<<", "------- SEARCH", "*** Begin Patch", "```diff", "diff --git ", "--- a/", "apply_patch <<"}

func beginsEdit(line string) bool {
	return slices.ContainsFunc(editStarts, func(start string) bool { return strings.HasPrefix(line, start) })
}

func mayBeginEdit(line string) bool {
	return slices.ContainsFunc(editStarts, func(start string) bool { return strings.HasPrefix(start, line) })
}

// withoutEdits returns an answer without the edits that are written into it, for where their diff
// is shown.
func withoutEdits(answer string) string {
	found := patch.Attempts(answer)
	if len(found) == 0 {
		return answer
	}
	for _, a := range found {
		answer = strings.Replace(answer, strings.TrimSuffix(a.Lines, "\n"), "", 1)
	}
	return strings.TrimSpace(gaps().ReplaceAllString(emptyFence().ReplaceAllString(answer, ""), "\n\n"))
}

// What is left around an edit that is taken out.
var (
	emptyFence = lazyregexp.New("(?m)^```[^\n`]*\n\\s*^```[ \t]*$")
	gaps       = lazyregexp.New(`\n{3,}`)
)
