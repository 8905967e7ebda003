package judge

import (
	"fmt"
	"strings"
	"unicode"

	"redline/edits"
	"redline/edits/landed"
	"redline/internal/lazyregexp"
)

// Editors that take the whole text of a file instead of edits can also lose or double
// other parts of it. What they made of the text is judged by its words and lines.

// Formatted reports whether got is what a formatter may make of want: each word occurs as
// often, whatever the blanks, the order and the signs between the words.
func Formatted(want, got string) bool {
	for _, n := range balance(words(want), words(got)) {
		if n != 0 {
			return false
		}
	}
	return true
}

// Tidied reports whether got may be want formatted, with imports removed, as formatters do with those that
// are not used: the rest has each word as often, and no import is new.
func Tidied(want, got string) bool {
	imports, rest := parted(want)
	left, now := parted(got)
	if len(rest) == 0 {
		return false // nothing shows that the text was written
	}
	for _, n := range balance(rest, now) {
		if n != 0 {
			return false
		}
	}
	for _, n := range balance(imports, left) {
		if n > 0 {
			return false
		}
	}
	return true
}

// importing matches the beginning of an import in the languages whose formatters remove it.
var importing = lazyregexp.New(`^(import\b|from\s+\S+\s+import\b|(pub\s+)?use\s.*[;{]$|(global\s+)?using\s.*;$|#\s*include\b)`)

// parted returns the words of the imports of a text, and those of the rest. An import that ends with an
// open bracket reaches to the line that closes it.
func parted(text string) (imports, rest []string) {
	closing := ""
	for line := range contents(text) {
		line = strings.TrimSpace(line)
		switch {
		case closing != "":
			imports = append(imports, words(line)...)
			if strings.HasPrefix(line, closing) {
				closing = ""
			}
		case importing().MatchString(line):
			imports = append(imports, words(line)...)
			switch line[len(line)-1] {
			case '(':
				closing = ")"
			case '{':
				closing = "}"
			}
		default:
			rest = append(rest, words(line)...)
		}
	}
	return imports, rest
}

// Grown reports whether got may be want with which somebody typed: no word of want is
// missing, and no line of it was made twice.
func Grown(want, got string) bool {
	for _, n := range balance(words(want), words(got)) {
		if n < 0 {
			return false
		}
	}
	lines := map[string]int{}
	for line := range contents(want) {
		lines[line]++
	}
	for line := range contents(got) {
		if n, known := lines[line]; known {
			if n == 0 {
				return false
			}
			lines[line] = n - 1
		}
	}
	return true
}

// balance counts the words of got less those of want.
func balance(want, got []string) map[string]int {
	n := map[string]int{}
	for _, word := range want {
		n[word]--
	}
	for _, word := range got {
		n[word]++
	}
	return n
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// CutOff reports whether got is only the beginning of want: the editor wrote a part of the text.
func CutOff(want, got string) bool {
	return len(got) < len(want) && strings.HasPrefix(want, got)
}

// FinishMade records that text, which the file has now, is that of the change, perhaps
// formatted.
func (t *Attempt) FinishMade(text string) {
	t.Finish(edits.Applied{Status: edits.Done, Text: text, Landings: landed.WithMade(t.Landings(text), t.Already)})
}

// FinishDiffering records that text, which the file has now, is neither that before the
// change nor that after it.
func (t *Attempt) FinishDiffering(text string) {
	t.Finish(edits.Applied{Status: edits.Half, Text: text, Landings: landed.WithMade(t.Landings(text), t.Already), Reason: t.differs()})
}

// FinishUnshown records that the disk has the change, and the editor another text.
func (t *Attempt) FinishUnshown(text string) {
	t.Finish(edits.Applied{Status: edits.Half, Text: text, Landings: landed.WithMade(t.Landings(text), t.Already),
		Reason: fmt.Sprintf("%s has the change on the disk, but the editor shows another text of it: load the file again in the editor.", t.Change.Path)})
}

// FinishUnsaved records that the editor shows the change, and the disk has a text that is
// neither that before it nor that after it.
func (t *Attempt) FinishUnsaved(text string) {
	t.Finish(edits.Applied{Status: edits.Half, Text: text, Landings: landed.WithMade(t.Landings(text), t.Already),
		Reason: fmt.Sprintf("The editor shows the change of %s, but the disk has another text of it: look at the file, and save it in the editor.", t.Change.Path)})
}

// Unmade says that the editor accepted the change, and the text is as it was.
func (t *Attempt) Unmade() string {
	return "The editor says that it changed " + t.Path() + ", but its text is as it was."
}

// Unseen says that the editor accepted the change, and no text shows it.
func (t *Attempt) Unseen() string {
	return "The editor says that it changed " + t.Path() + ", but neither it nor the disk shows that: look at the file, and save it."
}

func (t *Attempt) differs() string {
	return t.Change.Path + " changed while the edit was made, so the edit may be incomplete or in the wrong lines: look at the file, and if so, undo the edit in the editor."
}
