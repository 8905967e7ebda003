package tool

import (
	"fmt"
	"strings"

	"redline/agent/draft"
	"redline/internal/phrase"
)

// maxUnparsed is how many files with syntax errors an answer names.
const maxUnparsed = 20

// parsing returns a note for the model on the files that a call has staged: which of them have
// syntax errors now, and which parse again after an earlier note. Each line of it begins with a
// line end.
func (env *Env) parsing(staged []draft.Staged) string {
	var b strings.Builder
	wrong := 0
	for _, s := range staged {
		path := s.Path
		if s.Action == draft.Rename {
			path = s.NewPath
		}
		before, now, ok := env.Draft.Texts(path)
		if s.Action == draft.Command || !ok {
			continue
		}
		switch problem := draft.Check(path, before, now); {
		case problem != "":
			if env.unparsed == nil {
				env.unparsed = map[string]bool{}
			}
			env.unparsed[path] = true
			if wrong++; wrong <= maxUnparsed {
				fmt.Fprintf(&b, "\n%s does not parse now: %s", shown(path), problem)
			}
		case env.unparsed[path]:
			delete(env.unparsed, path)
			fmt.Fprintf(&b, "\n%s parses again.", shown(path))
		}
	}
	if more := wrong - maxUnparsed; more > 0 {
		fmt.Fprintf(&b, "\n%s do not parse now.", phrase.Count(more, "more file"))
	}
	return b.String()
}
