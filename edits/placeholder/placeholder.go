// Package placeholder finds the lines of a new text that stand for lines its author left
// out, such as "// ... existing code ...", and puts those lines back if there is one way
// to do so. Otherwise the edit would delete them. The package works on texts only.
package placeholder

import (
	"strings"

	"redline/edits"
)

// Placeholder is a line that stands for lines left out.
type Placeholder struct {
	Line int    // in the new text, counted from 1
	Text string // the line without the spaces around it

	alone bool // nothing else is in the line
	put   bool // it replaces no lines
	twin  bool // the old text has such a line too, so it is unclear which is which
}

// Form is the form in which an old and a new text were given.
type Form int

// The forms.
const (
	Whole Form = iota // both are whole files: a placeholder may stand for the lines up to the start or the end
	Part              // a text to replace and its replacement: a placeholder stands for lines between two others
	Rows              // a patch that marks removed lines: none of these is put back
)

// Resolve returns text, which is to replace old in the file at path, with each
// placeholder replaced by the lines of old that it stands for, and the placeholders
// found. A placeholder counts only if old does not hold the same line. It stands for the
// lines between the one above it and the one below it, if both are in old and in text
// exactly once, and in the same order. A new file may have any line. The error is a
// [*Refusal] if it is unclear what one stands for.
func Resolve(path, old, text string, form Form) (string, []Placeholder, error) {
	if form == Whole && strings.TrimSpace(old) == "" {
		return text, nil, nil
	}
	found := Find(path, old, text)
	if len(found) == 0 {
		return text, nil, nil
	}
	filled, why := fill(old, text, found, form)
	if why != "" {
		return "", nil, &Refusal{Placeholders: found, Form: form, why: why}
	}
	return filled, found, nil
}

// Find returns the placeholders of text, which is to replace old in the file at path,
// that old does not have.
func Find(path, old, text string) []Placeholder {
	olds, lines := splitLines(old), splitLines(text)
	had, has := counts(olds), counts(lines)
	candidates := scan(languageOf(path), lines, func(line string) bool { return has[line] > had[line] })
	if len(candidates) == 0 {
		return nil
	}
	at := map[int]bool{}
	for _, c := range candidates {
		at[c.Line-1] = true
	}
	isCandidate := func(i int) bool { return at[i] }
	var d *difference
	out := make([]Placeholder, 0, len(candidates))
	for _, c := range candidates {
		if d == nil {
			d = compare(olds, lines)
		}
		i := c.Line - 1
		if d.of[i] == nil || c.grade < sure && !d.replaces(i) || c.grade == weak && !d.stands(i, isCandidate) {
			continue
		}
		c.twin, c.put = had[c.Text] > 0, !d.replaces(i)
		out = append(out, c.Placeholder)
	}
	return out
}

// counts returns how often each line is among lines, without the spaces around it.
func counts(lines []string) map[string]int {
	n := make(map[string]int, len(lines))
	for _, line := range lines {
		n[strings.TrimSpace(line)]++
	}
	return n
}

// splitLines returns the lines of a text without line ends, the spaces before
// them and a byte order mark. What follows the last line end is a line unless it
// is empty.
func splitLines(text string) []string {
	text = strings.TrimPrefix(text, edits.BOM)
	if onlyCR(text) {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return lines
}

// onlyCR reports whether the lines of text end with a lone "\r", as on old Macs.
func onlyCR(text string) bool {
	return strings.Contains(text, "\r") && !strings.Contains(text, "\n")
}
