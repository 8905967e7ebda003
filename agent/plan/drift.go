package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Drift is the difference between the files that a revision changes and those expected from its
// plan in words.
type Drift struct {
	Unexpected []string `json:"unexpected"` // changed files that were not expected
	Untouched  []string `json:"untouched"`  // expected files that are not changed
}

// Drift returns the drift of revision r. ok is false if there is nothing to compare: the
// revision is only in words, or was never planned in words.
func (p *Plan) Drift(r *Revision) (d Drift, ok bool) {
	if r.TextOnly || len(r.Predicted) == 0 && !p.inWords(r) {
		return d, false
	}
	d = Drift{Unexpected: []string{}, Untouched: []string{}}
	touched := map[string]bool{}
	for i := range r.Changes {
		c := &r.Changes[i]
		expected := false
		for _, path := range []string{c.Path, c.NewPath} {
			if path != "" {
				touched[path] = true
				expected = expected || slices.Contains(r.Predicted, path)
			}
		}
		if !expected {
			d.Unexpected = append(d.Unexpected, c.Path)
		}
	}
	for _, path := range r.Predicted {
		if !touched[path] {
			d.Untouched = append(d.Untouched, path)
		}
	}
	return d, true
}

// inWords reports whether one of the ancestors of r is a revision in words.
func (p *Plan) inWords(r *Revision) bool {
	for r != nil && r.Parent != 0 && r.Parent < r.Number {
		if r, _ = p.Revision(r.Parent); r != nil && r.TextOnly {
			return true
		}
	}
	return false
}

// None reports whether the files are the expected ones.
func (d Drift) None() bool { return len(d.Unexpected)+len(d.Untouched) == 0 }

// maxListed is how many files a sentence names.
const maxListed = 20

func listed(paths []string) string {
	if n := len(paths) - maxListed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:maxListed], ", "), n)
	}
	return strings.Join(paths, ", ")
}

// String returns the drift in a sentence: "Other than the plan in words said: also b.go;
// not c.go."
func (d Drift) String() string {
	var parts []string
	if len(d.Unexpected) > 0 {
		parts = append(parts, "also "+listed(d.Unexpected))
	}
	if len(d.Untouched) > 0 {
		parts = append(parts, "not "+listed(d.Untouched))
	}
	if len(parts) == 0 {
		return "The files are those that the plan in words named."
	}
	return "Other than the plan in words said: " + strings.Join(parts, "; ") + "."
}
