package patch

import (
	"slices"
	"strings"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// Stream filters the answer of a turn while it arrives, reply by reply. It passes on text
// that a reader can see at once, and holds back edits that the model writes into its
// answer, since these are shown as a diff. When the whole answer is known, Rest returns
// what was not shown yet. The zero value filters the first reply.
type Stream struct {
	shown strings.Builder // the text of this reply that was passed on
	line  string          // held back, since it may begin an edit
	mid   bool            // the beginning of the line was passed on
	code  fence.Reader
	held  bool // an edit has begun: hide the rest of the reply
	over  bool // the next piece belongs to another reply
}

// Next takes a piece of a reply and returns the text to show. first reports whether that
// is the first text of the reply.
func (s *Stream) Next(piece string) (text string, first bool) {
	if s.over {
		*s = Stream{}
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
			opens := s.code.Marks == "" && last == s.line && strings.HasPrefix(last, "```")
			switch {
			case beginsEdit(last):
				s.held = true
			case ended && !opens, !opens && !mayBeginEdit(last):
				first, _, _ := strings.Cut(s.line, "\n")
				s.code.Next(first)
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

// Rest returns the part of the whole answer that was not shown yet. again reports that it
// does not continue the text shown so far.
func (s *Stream) Rest(answer string) (rest string, again bool) {
	shown := s.shown.String()
	if rest, ok := strings.CutPrefix(answer, shown); ok {
		return rest, false
	}
	if rest, ok := strings.CutPrefix(answer, strings.TrimSpace(shown)); ok {
		return rest, false
	}
	return answer, shown != ""
}

// End ends a reply: the next piece belongs to another one.
func (s *Stream) End() { s.over = true }

// Shown returns the text of the reply that was passed on.
func (s *Stream) Shown() string { return s.shown.String() }

// Forget ends the reply, and forgets its text.
func (s *Stream) Forget() {
	s.End()
	s.shown.Reset()
}

// editStarts are the beginnings of lines with which an edit in an answer starts.
var editStarts = []string{"<<<<<<<", "------- SEARCH", "*** Begin Patch", "```diff", "diff --git ", "--- a/", "apply_patch <<"}

func beginsEdit(line string) bool {
	return slices.ContainsFunc(editStarts, func(start string) bool { return strings.HasPrefix(line, start) })
}

func mayBeginEdit(line string) bool {
	return slices.ContainsFunc(editStarts, func(start string) bool { return strings.HasPrefix(start, line) })
}

// WithoutEdits returns an answer without its edits, for where their diff is shown.
func WithoutEdits(answer string) string {
	found := Attempts(answer)
	if len(found) == 0 {
		return answer
	}
	for _, a := range found {
		answer = strings.Replace(answer, strings.TrimSuffix(a.Lines, "\n"), "", 1)
	}
	return strings.TrimSpace(gaps().ReplaceAllString(emptyFence().ReplaceAllString(answer, ""), "\n\n"))
}

// Remains of the text around a removed edit.
var (
	emptyFence = lazyregexp.New("(?m)^```[^\n`]*\n\\s*^```[ \t]*$")
	gaps       = lazyregexp.New(`\n{3,}`)
)
