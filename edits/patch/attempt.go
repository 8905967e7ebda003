package patch

import (
	"strings"

	"redline/internal/fence"
)

// Form is a format of edits.
type Form int

// The forms.
const (
	Blocks     Form = iota + 1 // search/replace blocks
	BeginPatch                 // "*** Begin Patch" texts
	Unified                    // unified diffs
)

// Attempt is a part of a text that edits a file, or was meant to. [Parse] reports whether
// it is valid.
type Attempt struct {
	Form   Form
	Path   string // the file, as the text names it; "" if it names none, or not clearly
	Text   string // the part alone, with the name of its file, as Parse expects it
	Lines  string // the lines of the part as written, without the name of the file
	Closed bool   // for Blocks: it has all marks
	Cut    bool   // the text ends before the line that should end the part
	Last   bool   // the text ends with the part
}

// Attempts returns the parts of a text in which a model has edited files: search/replace
// blocks whose first mark is followed by another or by a text, "*** Begin Patch" texts and unified
// diffs, one part for each block and for each file of a patch. Marks in lines that begin
// with ">", as quotations do, do not count, nor do the marks that version control writes
// around conflicts. It reads at most MaxBytes of a text.
func Attempts(text string) []Attempt {
	text = text[:min(len(text), MaxBytes)]
	body, whole := strings.CutSuffix(text, "\n")
	s := &scanner{lines: strings.Split(body, "\n"), whole: whole, divided: -1, more: map[int][]string{}}
	s.next = [...]int{markOpen: -1, markDivide: -1, markClose: -1}
	for s.at < len(s.lines) {
		if !s.begin() && !s.block() && !s.unified() {
			if meant(s.lines[s.at]) == markDivide {
				s.divided = s.at
			}
			s.toggle()
			s.at++
		}
	}
	for i, more := range s.more {
		a, rest := &s.found[i], strings.Join(more, "")
		a.Text, a.Lines = a.Text+rest, a.Lines+rest
	}
	return s.found
}

// JoinText joins attempts of one form into a text for Parse.
func JoinText(attempts []Attempt) string {
	var b strings.Builder
	for _, a := range attempts {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString("\n")
		}
		b.WriteString(a.Text)
	}
	return b.String()
}

// scanner finds attempts.
type scanner struct {
	lines   []string // without the indentation of the fence around them
	whole   bool     // the last line had a "\n"
	at      int      // the next line
	after   int      // the line after the last attempt
	last    string   // the file of the last block
	several bool     // the blocks so far name several files
	divided int      // the last line that may divide the two texts of a block, -1 for none
	next    [4]int   // by mark: the next line with it, if known; see ahead
	idle    int      // no diff before this line changes anything
	dedents int      // how often dedent was called
	ending  ending   // see patchEnd
	verbsAt int      // no line between the last search of verbs and this line names a file operation
	found   []Attempt
	more    map[int][]string // these lines belong to an attempt found before

	fence string // the marks of the open fence, "" for none
}

// ahead returns the next line from line i on that is meant as this mark, or len(s.lines).
// i must not decrease from call to call.
func (s *scanner) ahead(m mark, i int) int {
	if s.next[m] >= i {
		return s.next[m]
	}
	for ; i < len(s.lines); i++ {
		if meant(s.lines[i]) == m {
			break
		}
	}
	s.next[m] = i
	return i
}

// bare returns line i without the spaces at its end, or "" after the last line.
func (s *scanner) bare(i int) string {
	if i >= len(s.lines) {
		return ""
	}
	return strings.TrimRight(s.lines[i], " \t\r")
}

// toggle enters or leaves a fence if the next line opens or closes one.
func (s *scanner) toggle() {
	line := s.bare(s.at)
	inner := strings.TrimLeft(line, " \t")
	switch {
	case !isFence(inner):
	case s.fence == "":
		s.enter(inner, len(line)-len(inner))
	case s.closesFence(s.at):
		s.fence = ""
	}
}

// enter enters the fence that the next line opens, and removes its indentation from its
// lines too.
func (s *scanner) enter(line string, indent int) {
	s.fence, _, _ = fence.Open(line)
	s.ending = ending{}
	for i := s.at + 1; indent > 0 && i < len(s.lines); i++ {
		line := s.lines[i]
		n := 0
		for n < len(line) && n < indent && (line[n] == ' ' || line[n] == '\t') {
			n++
		}
		s.lines[i] = line[n:]
		if s.closesFence(i) {
			return
		}
	}
}

// closesFence reports whether line i closes the fence around the lines. Lines of a diff
// may have the marks after a space; these do not.
func (s *scanner) closesFence(i int) bool {
	return fence.Closes(s.bare(i), s.fence)
}

// fenceEnd returns the first line from line i on that closes the fence, or stop.
func (s *scanner) fenceEnd(i, stop int) int {
	if s.fence == "" {
		return stop
	}
	for ; i < stop; i++ {
		if s.closesFence(i) {
			return i
		}
	}
	return stop
}

// take adds an attempt of the lines from up to end and continues after it. named is the
// text with the name of the file that goes before it.
func (s *scanner) take(a Attempt, from, end int, named string) {
	a.Lines = strings.Join(s.lines[from:end], "\n")
	if a.Last = end == len(s.lines); !a.Last || s.whole {
		a.Lines += "\n"
	}
	a.Text = named + a.Lines
	s.found = append(s.found, a)
	s.at, s.after, s.divided = end, end, -1
}

// block takes a search/replace block that begins on the next line, or one without a
// beginning that ends there. It reports whether there is one.
func (s *scanner) block() bool {
	i := s.at
	line := s.lines[i]
	if trimmed := strings.TrimLeft(line, " \t"); trimmed == "" || !strings.ContainsRune("<->+", rune(trimmed[0])) {
		return false
	}
	switch is := meant(line); {
	case is == markOpen:
		return s.opened(i)
	case is == markClose && s.divided >= 0:
		s.take(Attempt{Form: Blocks}, s.divided, i+1, "")
		return true
	case is == markClose && len(s.found) > 0 && s.found[len(s.found)-1].Form == Blocks:
		s.extend(s.after, i+1) // one end too many: it is unclear which one is right
		return true
	}
	return false
}

// extend adds the lines up to end to the last attempt, from its end or from line from
// on, and continues after them.
func (s *scanner) extend(from, end int) *Attempt {
	n := len(s.found)
	s.take(Attempt{}, from, end, "")
	more := s.found[n]
	s.found = s.found[:n]
	s.more[n-1] = append(s.more[n-1], more.Lines)
	last := &s.found[n-1]
	last.Closed, last.Last = false, more.Last
	return last
}

// opened takes the block that begins on line i, if another mark follows.
func (s *scanner) opened(i int) bool {
	stop := s.ahead(markOpen, i+1)
	end := s.ahead(markClose, i+1) + 1
	closed := end <= stop
	if !closed {
		end = s.fenceEnd(i+1, stop)
		if end == stop && stop < len(s.lines) {
			end = s.nameOf(stop, i+1)
		}
		divided := s.ahead(markDivide, i+1) < end
		if !divided && !s.cutOff(i, end) {
			return false
		}
	}
	path, named := s.file(i)
	s.take(Attempt{Form: Blocks, Path: path, Closed: closed, Cut: !closed && end == len(s.lines)}, i, end, named)
	if path != "" {
		s.several = s.several || s.last != "" && s.last != path
		s.last = path
	}
	return true
}

// nameOf returns the line with the name of the file of the block on line i, which stands
// above it and not before line first, or i: a block without an end does not hold the name
// of the next one.
func (s *scanner) nameOf(i, first int) int {
	b := s.blocks()
	if b.above(i) == "" {
		return i
	}
	for k := i - 1; k >= first; k-- {
		if line := b.bare(k); alone(line) != "" || opensCode(line) && fencePath(line) != "" {
			return k
		}
	}
	return i
}

// cutOff reports whether the block on line i, which has no other mark, is one that stops in
// its first half, at line end: there is text in it, and a fence is open, a file name is above
// it or, if it begins as it has to, the text follows at once. Otherwise it may be a sentence
// about blocks.
func (s *scanner) cutOff(i, end int) bool {
	exact := opener().MatchString(s.bare(i))
	if !exact && end < len(s.lines) {
		return false
	}
	for k := i + 1; k < end; k++ {
		if s.bare(k) != "" {
			return s.fence != "" || exact && k == i+1 || s.blocks().above(i) != ""
		}
	}
	return false
}

// blocks returns a reader of blocks at the position of the scanner.
func (s *scanner) blocks() *blocks {
	return &blocks{input: input{lines: s.lines, whole: true}, after: s.after, last: s.last, several: s.several}
}

// file returns the file of the block on line i, and the text to put before the block:
// the name, or everything before the block if the name is not clear.
func (s *scanner) file(i int) (path, named string) {
	path, plain, err := s.blocks().path(i)
	switch {
	case err != nil || strings.Contains(path, "`"):
		return "", strings.Join(s.lines[s.after:i], "\n") + "\n"
	case plain:
		return path, "`" + path + "`\n"
	}
	return path, "In `" + path + "`:\n"
}

// Fence is code in a fence of Markdown, with the name of a file.
type Fence struct {
	Path string // as written above the fence or after its marks
	Text string // the lines in the fence
}

// maxFences is how many fences are read.
const maxFences = 64

// Fences returns the code in closed fences of a text that have the name of a file.
func Fences(text string) []Fence {
	text = text[:min(len(text), MaxBytes)]
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var all []Fence
	s := &scanner{lines: lines, whole: true}
	for s.at < len(lines) && len(all) < maxFences {
		first := s.at
		line := s.bare(first)
		inner := strings.TrimLeft(line, " \t")
		s.at++
		if !isFence(inner) {
			continue
		}
		s.at = first
		s.enter(inner, len(line)-len(inner))
		end := s.fenceEnd(first+1, len(lines))
		s.fence = ""
		if end == len(lines) {
			return all
		}
		path := fencePath(inner)
		if path == "" {
			path = s.blocks().above(first)
		}
		if path != "" {
			all = append(all, Fence{Path: path, Text: joined(lines[first+1 : end])})
		}
		s.at, s.after = end+1, end+1
	}
	return all
}
