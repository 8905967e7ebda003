package plan

import (
	"fmt"

	"redline/edits"
)

// ModeAfter returns the permission bits of the file after the change, 0 if they are not known. A
// new file has those of [edits.NewMode], whatever the plan says.
func (c *Change) ModeAfter() uint32 {
	if c.Action == Create {
		return edits.NewMode(c.Mode)
	}
	return c.Mode
}

// MakesProgram reports whether the change creates a file that can be run.
func (c *Change) MakesProgram() bool {
	return c.Action == Create && c.ModeAfter()&0o111 != 0
}

// ModeShown returns the permission bits of the file as "0755", or "" for the usual 0644.
func (c *Change) ModeShown() string {
	if mode := c.ModeAfter(); mode != 0 && mode != 0o644 {
		return fmt.Sprintf("%04o", mode)
	}
	return ""
}
