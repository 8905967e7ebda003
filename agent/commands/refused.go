package commands

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
)

// RefusedByWorld says which files a failed command could not write because Redline keeps them from it, and
// which setting opens them: one or two sentences, "" if there are none.
func RefusedByWorld(o runner.Outcome) string {
	inTrial := o.World != ""
	switch {
	case len(o.Refused) == 0 && o.RefusedUnnamed && !inTrial:
		return "It met a read-only file system: commands write only the workspace and the caches of tools. Name a further folder in commands.caches."
	case len(o.Refused) == 0:
		return ""
	}
	var files, opening []string
	for _, file := range o.Refused {
		files = append(files, phrase.Clip(edits.VisibleLine(toolfolders.Short(file)), 200))
		if dir := toolfolders.Opening(file); dir != "" && !slices.Contains(opening, dir) {
			opening = append(opening, dir)
		}
	}
	who, setting := "Commands", "commands.caches"
	if inTrial {
		who, setting = "Trials", "trials.read"
	} else {
		opening = append([]string{toolfolders.Usual}, opening...)
	}
	text := fmt.Sprintf("%s can only read %s.", who, phrase.And(files))
	if len(opening) == 0 || !inTrial && len(opening) == 1 {
		return text + " No setting opens that: run it yourself, outside Redline."
	}
	return text + fmt.Sprintf(" In your settings, %s = %s opens that.", setting, listed(opening))
}

// listed returns a list as it is written in a settings file.
func listed(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, phrase.Clip(edits.VisibleLine(fmt.Sprintf("%q", text)), 200))
	}
	return "[" + strings.Join(all, ", ") + "]"
}
