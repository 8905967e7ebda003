package trial

import (
	"fmt"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/runner"
)

// OfState names what of the state of a program was not in the copy or was not written back, "" for nothing.
func (c *Captured) OfState() string {
	var said []string
	for _, of := range []struct {
		what  string
		files []runner.Named
	}{{"Not in its copy", c.NotShown}, {"Not written back", c.NotKept}} {
		var all []string
		for _, f := range of.files {
			all = append(all, fmt.Sprintf("%s (%s)", edits.VisibleLine(f.Name), f.Reason))
		}
		if len(all) > 0 {
			said = append(said, of.what+": "+strings.Join(phrase.FirstOf(all, 5, "file"), ", ")+".")
		}
	}
	return strings.Join(said, " ")
}
