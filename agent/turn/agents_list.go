package turn

import (
	"fmt"
	"strings"

	"redline/agent/orchestrator"
	"redline/agent/tool"
)

// List describes the specialists and the primary agents for the user, a line each, and says what is wrong
// with the agent files.
func (f Folders) List() string {
	r, notices := f.Registry(Tools(tool.All()))
	var b strings.Builder
	for _, s := range r.All() {
		fmt.Fprintf(&b, "- `%s`: %s", s.ID, s.Description)
		switch {
		case s.Delegates != nil:
			fmt.Fprintf(&b, "; it chooses one of %s", strings.Join(s.Delegates, ", "))
		case len(s.Tools) == 0:
			b.WriteString("; without tools")
		}
		if s.Model != "" {
			fmt.Fprintf(&b, "; model %s", s.Model)
		}
		if s.Origin != orchestrator.BuiltIn {
			fmt.Fprintf(&b, " (%s)", s.File)
		}
		b.WriteString("\n")
	}
	for _, a := range r.Primary() {
		b.WriteString("- " + describe(a) + "; an agent, chosen with /agent\n")
	}
	for _, n := range notices {
		b.WriteString("\n" + n)
	}
	return strings.TrimSpace(b.String())
}
