package written

import (
	"strings"

	"redline/edits/patch"
)

// maxSearched bounds how many bytes are searched to find out which edits are
// quotations. What is left then is taken for the model's own.
const maxSearched = 1 << 30

// Own returns the edits in a reply that are the model's own. Those of which all
// lines stand, one below the other, in what the model was shown are quotations;
// blanks and empty lines apart, and with lines of dots for what is left out.
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

// IsShown tells whether all lines of a text stand, one below the other, in what the model
// was shown, as with [Own].
func IsShown(lines string, shown []string) bool {
	texts := make([]string, len(shown))
	for i, text := range shown {
		texts[i] = bareLines(text)
	}
	return quoted(lines, texts)
}

// quoted tells whether the lines of an edit stand in one of some texts without
// blanks.
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

// bareLines is a text without blanks and without empty lines, with a line end
// before each line and behind the last.
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
