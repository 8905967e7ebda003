package trial

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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

// Stopped says in one or two sentences why the program is not done, "" if it is. who is its name in a sentence;
// memory and patience are the settings with its limits, patience "" for none.
func (c *Captured) Stopped(who, memory, patience string) string {
	switch {
	case c.End == runner.TimedOut:
		said := fmt.Sprintf("%s was stopped after %s: unfinished.", who, minutes(c.seen.given))
		if patience != "" {
			said += fmt.Sprintf(" Raise %s to give it more time.", patience)
		}
		return said
	case c.End == runner.OutOfMemory:
		return fmt.Sprintf("%s was stopped, because it used more memory than %s allows: unfinished.", who, memory)
	case c.End == runner.Overfull:
		return fmt.Sprintf("%s was stopped, because it wrote more than trials.disk_mb allows: unfinished, and files may be cut off.", who)
	case c.ExitCode == nil || *c.ExitCode != 0:
		return fmt.Sprintf("%s failed: %s.", who, phrase.TrimStop(cmp.Or(c.Problem, c.Ending())))
	case c.Filled && c.Plain:
		return fmt.Sprintf("The disk of the copy ran full while %s worked, so files may be cut off: make room there, or name another folder in TMPDIR.", who)
	case c.Filled:
		return fmt.Sprintf("The copy ran full while %s worked, so files may be cut off: raise trials.disk_mb.", who)
	}
	return ""
}

// minutes says how long a limit is: "60 min", "90s".
func minutes(d time.Duration) string {
	if d > 0 && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return d.String()
}

// Sentence says what a reader should know of the changes that no plan shows: those that were left out, and
// what the command reached. It is "" if there is nothing.
func (c *Captured) Sentence() string {
	return strings.TrimSpace(c.leftOut() + " " + c.Network.Sentence())
}

// leftOut names the folders whose changes were left out, "" for none.
func (c *Captured) leftOut() string {
	var parts []string
	for _, folder := range slices.Sorted(maps.Keys(c.LeftOut)) {
		name := edits.VisibleLine(folder) + "/"
		if folder == "." {
			name = "the workspace's folder"
		}
		parts = append(parts, fmt.Sprintf("%s in %s", phrase.Count(c.LeftOut[folder], "file"), name))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Left out, as git's own, Redline's own or ignored: " + phrase.And(phrase.FirstOf(parts, 10, "folder")) + "."
}
