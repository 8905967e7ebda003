package placeholder

import (
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// goneWords match a comment that only says that code was here: "removed code", "old method deleted".
var goneWords = lazyregexp.New(`^` + some + `(?:(?:old |previous |unused |dead )*` + core + `(?: above| below| here)? (?:was |were |has been |have been |is |are )?(?:removed|deleted)|` +
	`(?:removed|deleted) ` + some + `(?:old |previous |unused |dead )*` + core + `|removed|deleted)(?: here)?$`)

// gone returns the comments of text that only say that code was removed, where they are all that
// replaces code of old. Their author writes them instead of leaving the code out.
func gone(path, old, text string) []Placeholder {
	if lower := strings.ToLower(text); !strings.Contains(lower, "removed") && !strings.Contains(lower, "deleted") {
		return nil
	}
	l := languageOf(path)
	if l.prose {
		return nil
	}
	olds, lines := splitLines(old), splitLines(text)
	had := counts(olds)
	var out []Placeholder
	at := map[int]bool{}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > maxLine || had[line] > 0 {
			continue
		}
		body, _, ok := comment(l, line)
		if !ok {
			continue
		}
		if s, ok := wordingOf(body); ok && goneWords().MatchString(s.words) {
			at[i] = true
			out = append(out, Placeholder{Line: i + 1, Text: line, alone: true, gone: true})
		}
	}
	if len(out) == 0 {
		return nil
	}
	d := compare(olds, lines)
	kept := out[:0]
	for _, p := range out {
		if d.of[p.Line-1] != nil && d.stands(p.Line-1, func(i int) bool { return at[i] }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// Limits of Cut.
const (
	minCut  = 20 // lines of a file that may be cut off
	minKept = 2  // lines with words at its start or its end that stay
)

// Cut reports whether text, which is to be the whole of a file of 20 lines or more, looks as if
// its author has left out more than half of old: one stretch that nothing much replaces,
// with the first or the last lines of old beside it. It returns the first and the last
// line of the stretch, counted from 1.
func Cut(old, text string) (first, last int, cut bool) {
	olds, lines := splitLines(old), splitLines(text)
	if len(olds) < minCut || len(lines) == 0 || 2*len(lines) >= len(olds) {
		return 0, 0, false
	}
	// The longest hunk that takes lines away.
	was, is := 0, 0
	for _, h := range edits.DiffLines(olds, lines) {
		if n := h.X1 - h.X0; n > last-first+1 || last == 0 {
			first, last = h.X0+1, h.X1
			was, is = n, h.Y1-h.Y0
		}
	}
	if 2*was <= len(olds) || 4*is > was {
		return 0, 0, false
	}
	return first, last, wordsIn(olds[:first-1]) >= minKept && equalStart(olds, lines) || wordsIn(olds[last:]) >= minKept && equalEnd(olds, lines)
}

// wordsIn counts the lines with words, up to minKept.
func wordsIn(lines []string) int {
	n := 0
	for _, line := range lines {
		if hasWord(line) {
			if n++; n == minKept {
				break
			}
		}
	}
	return n
}

// equalStart reports whether both texts begin with the same lines, minKept with words.
func equalStart(a, b []string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return wordsIn(a[:n]) >= minKept
}

// equalEnd is equalStart for the ends.
func equalEnd(a, b []string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return wordsIn(a[len(a)-n:]) >= minKept
}
