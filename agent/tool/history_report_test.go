package tool_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// add adds the counts of another replay.
func (r *replay) add(o *replay) {
	r.commits, r.files, r.wrong = r.commits+o.commits, r.files+o.files, r.wrong+o.wrong
	for _, f := range forms {
		r.calls[f.name] += o.calls[f.name]
		r.equal[f.name] += o.equal[f.name]
		r.unsaid[f.name] += o.unsaid[f.name]
	}
}

// shares reports how many files equal git's, form by form.
func (r *replay) shares() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d commits, %d files\n", r.commits, r.files)
	for _, f := range forms {
		fmt.Fprintf(&b, "%-34s %6d calls, %6d of %d files equal, %d said in the form itself (%.2f %%)\n",
			f.name, r.calls[f.name], r.equal[f.name], r.files, r.equal[f.name]-r.unsaid[f.name], r.share(f.name))
	}
	return b.String()
}

// report lists the counts, and names every file that a form could not express.
func (r *replay) report() string {
	var b strings.Builder
	b.WriteString(r.repo.dir + ": " + r.shares())
	for _, why := range slices.Sorted(maps.Keys(r.counted)) {
		fmt.Fprintf(&b, "counted: %d times %s\n", r.counted[why], why)
		for _, name := range r.named[why] {
			fmt.Fprintf(&b, "    %s\n", name)
		}
	}
	return b.String()
}

// share returns the percentage of files that equal git's through calls of the form
// itself.
func (r *replay) share(form string) float64 {
	return 100 * float64(r.equal[form]-r.unsaid[form]) / float64(max(r.files, 1))
}

// checkShares fails if a form expresses too small a share of a history.
func (r *replay) checkShares(t *testing.T) {
	for form, least := range map[string]float64{unified: 100, onePatch: 100, begin: 99, oneBegin: 99} {
		if got := r.share(form); got < least {
			t.Errorf("%.2f %% of the files as %s, want at least %v %%", got, form, least)
		}
	}
}
