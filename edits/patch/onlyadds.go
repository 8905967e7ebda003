package patch

import (
	"strings"

	"redline/edits/match"
)

// refuseAdded returns the refusal of a chunk that only adds lines: nothing says where
// they go. It quotes the last lines of the file, which the author can use to append them.
func refuseAdded(text string) error {
	const why = "It only adds lines, and nothing says where: line numbers alone do not decide. Nothing was changed. Give some of the lines around the new ones, as they are in the file."
	last := match.LastLines(text)
	if last == nil {
		return reason(why + " To append to the file, read its end first.")
	}
	return reason(why + " To append to the file, put its last lines, which stay, above the new ones:\n  " + strings.Join(last, "\n  "))
}
