package trial

import (
	"context"
	"path/filepath"
	"slices"

	"redline/workspace"
)

// maxSought is how many hidden files sources are searched for.
const maxSought = 10

// missed returns the paths of hidden files that a command may have missed: its output names them,
// or else the source of a test that fails does, shortly before the line that the output names.
func (t *Trials) missed(ctx context.Context, seen observed) (paths []string) {
	if seen.ExitCode != nil && *seen.ExitCode == 0 {
		return nil
	}
	var silent []string
	for _, name := range seen.hidden {
		path, inside := t.pathOf(name)
		switch {
		case !inside:
		case namesFile(seen.Output, filepath.Base(name)):
			paths = append(paths, path)
		default:
			silent = append(silent, path)
		}
	}
	if len(paths) > 0 || len(silent) > maxSought {
		return paths
	}
	failing := placesIn(seen.Output)
	if len(failing) == 0 {
		return nil
	}
	for _, hidden := range silent {
		q := workspace.Query{Pattern: wholeWord(filepath.Base(hidden)), Regexp: true, Limit: 100}
		named, err := t.ws.Search(ctx, q, nil)
		if err != nil {
			return paths
		}
		if slices.ContainsFunc(named.Hits, func(h workspace.Hit) bool { return failing.soonAfter(h.Path, h.Line) }) {
			paths = append(paths, hidden)
		}
	}
	return paths
}
