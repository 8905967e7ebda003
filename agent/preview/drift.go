package preview

import "redline/agent/plan"

// drift writes how the files of a plan that was worked out differ from those that
// its words let one expect.
func (w *writer) drift() {
	d, ok := w.plan.Drift(w.revision)
	if !ok {
		return
	}
	w.line("**Files:** %s\n", plan.Drift{Unexpected: displayed(d.Unexpected), Untouched: displayed(d.Untouched)})
}

func displayed(paths []string) []string {
	var out []string
	for _, path := range paths {
		out = append(out, displayPath(path))
	}
	return out
}
