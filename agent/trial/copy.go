package trial

import (
	"redline/agent/view"
	"redline/workspace/network"
	"redline/workspace/runner"
)

// Copy is a command to run in a copy of the workspace.
type Copy struct {
	Command                 // its Timeout is an hour if it is 0
	Texts   view.TriedTexts // what the copy begins with besides the files on disk: unsaved documents, a plan's texts
	Needs   []string        // absolute names of programs that it needs, besides those of PATH
	Include []string        // patterns of paths that are carried although git ignores them
	Program string          // its name in sentences, "" for "the command"
	With    With            // nil for nothing

	MayBePlain bool // the copy is a plain one where the settings say so ([Options].Isolation); else always a world

	// Reached gets a sentence on what the command reached and what was refused, also after a cancel. It
	// is not called if there is nothing to say. nil: only the result says it.
	Reached func(sentence string)
}

// With changes how the command of a copy is run. The error is a part of a sentence.
type With func(*runner.Command) error

// Reaching gives the command a network.
func Reaching(a network.Access) With {
	return func(c *runner.Command) error {
		c.Network = a
		return nil
	}
}
