package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/track"
	"redline/internal/phrase"
)

// Comparison is what revision To of a plan proposes that revision From does not.
type Comparison struct {
	Plan, From, To int
	Operations     []string // a line for each operation that was removed, changed or added
	Files          []FileComparison
}

// FileComparison is how the results of two revisions differ in one file.
type FileComparison struct {
	Path    string
	Diff    string   // a unified diff, "" if the only difference is hunks without a place
	NoPlace []string // ids of hunks of revision From that have no place in the base text of revision To
}

// Same reports whether the revisions propose the same.
func (c *Comparison) Same() bool { return len(c.Operations)+len(c.Files) == 0 }

// BlobText returns a text of the plan's revisions.
type BlobText func(Blob) (string, error)

// Compare returns what revision to of a plan proposes that revision from does not. If the
// user has typed between the two, they have different base texts. Then it rebases the changes of
// from onto the base text of to, since typing is not a difference. It refuses a revision that the
// plan does not have; other errors are those of text.
func Compare(p *Plan, from, to int, text BlobText) (Comparison, error) {
	out := Comparison{Plan: p.Number, From: from, To: to}
	was, is, err := both(p, from, to)
	if err != nil {
		return out, err
	}
	out.Operations = operations(p, was, is)
	c := comparing{plan: p, read: text, back: from > to}
	for _, pair := range samePaths(was, is) {
		if f, differs := c.file(pair[0], pair[1]); differs {
			out.Files = append(out.Files, f)
		}
	}
	return out, c.err
}

// both returns two revisions of a plan, and refuses one that it does not have.
func both(p *Plan, from, to int) (was, is *Revision, err error) {
	if was, err = revision(p, from); err != nil {
		return nil, nil, err
	}
	is, err = revision(p, to)
	return was, is, err
}

func revision(p *Plan, number int) (*Revision, error) {
	r, ok := p.Revision(number)
	if !ok {
		return nil, Refuse(Invalid, "Plan %d has no revision %d: it has %d.", p.Number, number, len(p.Revisions))
	}
	return r, nil
}

// samePaths pairs the changes that two revisions make to the same files; a file that one of them
// moves may be at its new path in the other. If only one revision changes a file, the other
// element of the pair is nil.
func samePaths(was, is *Revision) [][2]*Change {
	pairs := make([][2]*Change, len(was.Changes))
	taken := map[*Change]bool{}
	pair := func(same func(was, is *Change) bool) {
		for i := range was.Changes {
			pairs[i][0] = &was.Changes[i]
			for j := range is.Changes {
				if k := &is.Changes[j]; pairs[i][1] == nil && !taken[k] && same(&was.Changes[i], k) {
					pairs[i][1], taken[k] = k, true
				}
			}
		}
	}
	pair(func(was, is *Change) bool { return was.Path == is.Path })
	pair(func(was, is *Change) bool { return was.NewPath == is.Path })
	pair(func(was, is *Change) bool { return was.Path == is.NewPath })
	for j := range is.Changes {
		if k := &is.Changes[j]; !taken[k] {
			pairs = append(pairs, [2]*Change{nil, k})
		}
	}
	return pairs
}

// Side is a file with the changes of one of two revisions.
type Side struct {
	Path   string
	Text   string
	Exists bool
	Mode   uint32 // of a file that the plan creates: 0755 if it is executable, else 0644; 0 for all others
}

// comparing compares the files of two revisions. It keeps the first error of reading a text.
type comparing struct {
	plan *Plan
	read BlobText
	back bool // the first of the two revisions is the newer one
	err  error
}

func (c *comparing) text(b Blob) string {
	text, err := c.read(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return text
}

// file compares the results of two changes of one file. A nil change means that the revision does
// not touch the file.
func (c *comparing) file(was, is *Change) (FileComparison, bool) {
	before, after, noPlace := c.sides(was, is)
	out := FileComparison{Path: pathOf(was, is), Diff: diff(before, after), NoPlace: noPlace}
	return out, out.Diff != "" || len(out.NoPlace) > 0
}

// pathOf returns the path to show for a file of two revisions.
func pathOf(was, is *Change) string {
	if was == nil {
		return is.Path
	}
	return was.Path
}

// sides returns a file with each of two changes. noPlace lists the hunks of was that have no
// place in the base text of is.
func (c *comparing) sides(was, is *Change) (before, after Side, noPlace []string) {
	switch {
	case was == nil:
		before, after = c.untouched(is, c.back), c.proposed(is)
	case is == nil:
		before, after = c.proposed(was), c.untouched(was, !c.back)
	default:
		before, after = c.proposed(was), c.proposed(is)
		if was.Base != is.Base || was.BaseExists != is.BaseExists {
			before.Text, noPlace = c.rebased(was, is)
		}
	}
	return before, after, noPlace
}

// untouched returns a file in a revision that does not touch it, where the other revision has
// the change k. By then, the applied part of an older revision's change is in the file.
func (c *comparing) untouched(k *Change, older bool) Side {
	if older {
		return c.applied(k)
	}
	return Side{Path: k.Path, Text: c.text(k.Base), Exists: k.BaseExists}
}

// proposed returns the file with all of a change.
func (c *comparing) proposed(k *Change) Side {
	f := Side{Path: k.Path, Text: c.text(k.Proposed), Exists: k.Action != Delete, Mode: newMode(k)}
	if k.Action == Rename {
		f.Path = k.NewPath
	}
	return f
}

// applied returns the file with the applied part of a change.
func (c *comparing) applied(k *Change) Side {
	applied := c.plan.Progress.Applied
	f := Side{Path: k.Path, Exists: k.BaseExists, Mode: newMode(k)}
	f.Text, _ = Reference(c.text(k.Base), c.text(k.Proposed), k.Hunks, applied)
	switch {
	case k.Action == Create:
		f.Exists = slices.ContainsFunc(k.Hunks, func(h Hunk) bool { return applied(h.ID) })
	case k.Action == Delete:
		f.Exists = !slices.ContainsFunc(k.Hunks, func(h Hunk) bool { return applied(h.ID) })
	case k.Action == Rename && c.plan.Progress.Files[k.Path].Move == FileApplied:
		f.Path = k.NewPath
	}
	return f
}

// rebased applies the change was to the base text of is. noPlace lists the hunks that have no
// place there.
func (c *comparing) rebased(was, is *Change) (text string, noPlace []string) {
	proposed, live := c.text(was.Proposed), c.text(is.Base)
	if was.Action == Create && is.BaseExists && c.applied(was).Exists {
		return live, nil // the file was created, and the user has typed into it since
	}
	if was.Action == Create || was.Action == Delete || !is.BaseExists {
		return proposed, nil
	}
	moved, _, conflicts := track.Rebase(c.text(was.Base), was.Edits(proposed), live)
	for _, i := range conflicts {
		noPlace = append(noPlace, was.Hunks[i].ID)
	}
	text, err := edits.Apply(live, moved)
	if err != nil && c.err == nil {
		c.err = err
	}
	return text, noPlace
}

// operations lists the operations of a revision that another one has removed, changed, added or
// reordered. A newer revision need not contain what was applied from an older one.
func operations(p *Plan, was, is *Revision) []string {
	older := was
	if is.Number < was.Number {
		older = is
	}
	done := map[string]bool{}
	for i, status := range p.Operations(older) {
		done[older.Operations[i].ID] = status == string(FileApplied) || status == string(CommandSucceeded)
	}
	var rows, before, after []string // the ids before and after, of the operations in both
	for i := range was.Operations {
		o := &was.Operations[i]
		now, ok := is.Operation(o.ID)
		if ok {
			before = append(before, o.ID)
		}
		switch {
		case !ok && (older != was || !done[o.ID]):
			rows = append(rows, "removed: "+operationLine(was, o))
		case ok && !sameOperation(o, now):
			rows = append(rows, "changed: "+operationLine(was, o)+" is "+operationLine(is, now)+" now")
		}
	}
	for i := range is.Operations {
		o := &is.Operations[i]
		if _, ok := was.Operation(o.ID); ok {
			after = append(after, o.ID)
		} else if older != is || !done[o.ID] {
			rows = append(rows, "added: "+operationLine(is, o))
		}
	}
	if !slices.Equal(before, after) {
		rows = append(rows, "order: "+strings.Join(after, ", ")+" instead of "+strings.Join(before, ", "))
	}
	return rows
}

// sameOperation reports whether two operations do the same.
func sameOperation(a, b *Operation) bool {
	return a.Tool == b.Tool && a.Path == b.Path && a.Command == b.Command && sameJSON(a.Args, b.Args)
}

// sameJSON reports whether two JSON values are equal except for white space.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return string(a) == string(b)
	}
	m, _ := json.Marshal(x)
	n, _ := json.Marshal(y)
	return string(m) == string(n)
}

// operationLine describes in one line what an operation does.
func operationLine(r *Revision, o *Operation) string {
	what := o.Path
	switch {
	case o.IsCommand():
		what = CommandIn(phrase.OneLine(edits.VisibleLine(o.Command)), o.Folder())
	case what == "":
		what = strings.Join(r.PathsOf(o), ", ")
	}
	return strings.TrimSpace(o.ID + " " + o.Tool + " " + what)
}

// newMode returns the permission bits of a file that a change creates, 0 for any other change.
func newMode(k *Change) uint32 {
	if k.Action == Create {
		return k.ModeAfter()
	}
	return 0
}

// Sides returns a file as two revisions of a plan leave it. The two texts differ in the same way
// as in the result of [Compare]. path is the file's path before either revision. Sides refuses
// a file that neither revision touches.
func Sides(p *Plan, from, to int, path string, text BlobText) (was, is Side, err error) {
	before, after, err := both(p, from, to)
	if err != nil {
		return was, is, err
	}
	c := comparing{plan: p, read: text, back: from > to}
	for _, pair := range samePaths(before, after) {
		if pathOf(pair[0], pair[1]) == path {
			was, is, _ = c.sides(pair[0], pair[1])
			return was, is, c.err
		}
	}
	return was, is, foreign(p, path)
}

// SideIn returns a file as a revision of a plan leaves it. If the revision does not touch the file,
// this is the base text of the next revision that does, or the result of the last one before. SideIn
// refuses a file that no revision touches, because it returns only a plan's own texts.
func SideIn(p *Plan, number int, path string, text BlobText) (Side, error) {
	r, err := revision(p, number)
	if err != nil {
		return Side{}, err
	}
	c := comparing{plan: p, read: text}
	if k := touching(r, path); k != nil {
		return c.proposed(k), c.err
	}
	var nearest *Change
	for i := range p.Revisions {
		if k := touching(&p.Revisions[i], path); k != nil {
			if nearest = k; p.Revisions[i].Number > number {
				break
			}
		}
	}
	if nearest == nil {
		return Side{}, foreign(p, path)
	}
	return c.untouched(nearest, false), c.err
}

// touching returns the change that a revision makes to a file, by its path before or after, nil for
// none.
func touching(r *Revision, path string) *Change {
	for i := range r.Changes {
		if k := &r.Changes[i]; k.Path == path || k.NewPath == path && path != "" {
			return k
		}
	}
	return nil
}

func foreign(p *Plan, path string) error {
	return Refuse(NotAllowed, "Plan %d has no text of %.200q there: compare a file that it changes.", p.Number, path)
}
