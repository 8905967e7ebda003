package loop

import (
	"strings"

	"redline/edits/patch"
)

// maxSearched is how many bytes are searched for quotations. Edits not searched by then count as
// the model's own.
const maxSearched = 1 << 30

// Own returns the edits in a reply that are the model's own. An edit is a quotation if all
// its lines are in what the model was shown, one after the other, ignoring spaces and empty
// lines; a line of dots stands for any lines.
func Own(edits []patch.Attempt, shown []string) []patch.Attempt {
	if len(edits) == 0 {
		return nil
	}
	texts, size := make([]string, len(shown)), 0
	for i, text := range shown {
		texts[i] = bareLines(text)
		size += len(texts[i])
	}
	var own []patch.Attempt
	for i, e := range edits {
		if i*size > maxSearched || !quoted(e.Lines, texts) {
			own = append(own, e)
		}
	}
	return own
}

// IsShown reports whether all lines of a text are in what the model was shown, as in [Own].
func IsShown(lines string, shown []string) bool {
	texts := make([]string, len(shown))
	for i, text := range shown {
		texts[i] = bareLines(text)
	}
	return quoted(lines, texts)
}

// quoted reports whether one of texts, from which spaces were removed, has the lines of an edit.
func quoted(lines string, texts []string) bool {
	want := bareLines(lines)
	for _, dots := range []string{"...", "…", "[...]"} {
		want = strings.ReplaceAll(want, "\n"+dots+"\n", "\n\n")
	}
	parts := strings.Split(strings.Trim(want, "\n"), "\n\n")
	for _, text := range texts {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(text, "\n"+part+"\n")
		}
		if all {
			return true
		}
	}
	return false
}

// bareLines removes spaces and empty lines from a text, and puts a line end before each line and
// after the last.
func bareLines(text string) string {
	var b strings.Builder
	b.WriteString("\n")
	for line := range strings.Lines(text) {
		if line = bare(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// bare removes spaces and line ends from a text.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, text)
}
