package draft

import (
	"maps"
	"slices"

	"redline/agent/plan"
	"redline/edits/blame"
)

// Left is an operation that is not in a plan, since the files come to the same
// without it.
type Left struct {
	Operation plan.Operation
	Why       string // goes on after the operation: "is undone later"
}

// Why operations are left out.
const (
	leftUndone  = "nothing of it is left in the end"
	leftCovered = "the file is written anew later"
	leftTwice   = "the same command comes right before"
	leftMerged  = "it is one with a later edit of the same text"
)

// Lean returns a draft that comes to exactly what this one does, without the operations
// of this turn that are redundant: what a later one undoes or writes over, the same
// command twice in a row, an edit of what another edit has put there, of which one
// is made. Those that stay are staged once more, each as the call that it is, and
// only if all files come to the same does anything change; otherwise it is this one
// itself. What an earlier revision has stays.
//
// So the operations of this turn that are sealed are known to be possible one after
// the other, and to come to what is sealed. Where that is so only with some that
// leave nothing behind, these are sealed too.
func (draft *Draft) Lean(replay Replay) (lean *Draft, left []Left) {
	d, done := draft.open()
	defer done()
	began := 0
	if d.start != nil {
		began = len(d.start.operations)
	}
	if len(d.operations)-d.begun < 2 || began != d.begun {
		return draft, nil // or nobody knows what the turn began with
	}
	leaner, left := leaning{d, replay}.leaner()
	if leaner == nil {
		leaner = d
	}
	unseen := leaner.unseen()
	leaner.whole = len(unseen) > 0 && leaning{d, replay}.stagedAgain(leaner.news(unseen)) == nil
	if leaner == d {
		return draft, left
	}
	return &Draft{guarded: *leaner}, left
}

// leaning looks for what a draft can do without.
type leaning struct {
	*content
	replay Replay
}

// leaner returns what comes to the same without what is redundant, nil if nothing can
// be left out.
func (d leaning) leaner() (lean *content, left []Left) {
	idle := d.redundant()
	try := func(idle map[int]string, merge bool) bool {
		t := d.trim(idle, merge)
		if left = t.left; len(left) == 0 {
			return true
		}
		lean = d.stagedAgain(t.operations)
		return lean != nil
	}
	if try(idle, true) {
		return lean, left
	}
	if each := d.oneFileEach(idle); try(each, true) || try(each, false) || try(nil, false) {
		return lean, left
	}
	return nil, nil
}

// unseen returns the operations of this turn that no file shows anything of.
func (d *content) unseen() map[int]string {
	unseen := map[int]string{}
	for i := d.begun; i < len(d.operations); i++ {
		if !d.operations[i].IsCommand() {
			unseen[i] = leftUndone
		}
	}
	for _, o := range d.outcomes() {
		for _, i := range o.operations {
			delete(unseen, i)
		}
	}
	return unseen
}

// news returns the operations of this turn but some.
func (d *content) news(but map[int]string) []plan.Operation {
	var out []plan.Operation
	for i := d.begun; i < len(d.operations); i++ {
		if but[i] == "" {
			out = append(out, d.operations[i])
		}
	}
	return out
}

// trimmed is the operations of a turn without some.
type trimmed struct {
	operations []plan.Operation
	left       []Left
}

// trim leaves out the given operations and the commands that are there twice, and
// merges edits if it is to.
func (d leaning) trim(idle map[int]string, merge bool) trimmed {
	var t trimmed
	for i, o := range d.operations {
		if i < d.begun {
			continue
		}
		last := len(t.operations) - 1
		switch why := idle[i]; {
		case why != "":
			t.left = append(t.left, Left{o, why})
		case last >= 0 && sameCommand(&t.operations[last], &o):
			t.left = append(t.left, Left{o, leftTwice})
		default:
			if at, merged, ok := mergeable(t.operations, o); ok && merge {
				t.left = append(t.left, Left{t.operations[at], leftMerged})
				if t.operations[at] = merged; changesNothing(merged) {
					t.left[len(t.left)-1].Why = leftUndone
					t.left = append(t.left, Left{o, leftUndone})
					t.operations = slices.Delete(t.operations, at, at+1)
				}
				continue
			}
			t.operations = append(t.operations, o)
		}
	}
	return t
}

// redundant returns which operations of this turn seem to leave nothing, with the
// reason, as far as the files tell.
func (d leaning) redundant() map[int]string {
	used, covered := map[int]bool{}, map[int]bool{}
	for _, o := range d.outcomes() {
		f := d.files[o.path]
		if o.newPath != "" {
			f = d.files[o.newPath]
		}
		makers := o.makers()
		for _, i := range o.operations {
			switch {
			case slices.Contains(f.movers, i):
				used[i] = true
			case slices.Contains(f.covered, i):
				covered[i] = true
			case makers == nil || makers[i]:
				used[i] = true
			}
		}
	}
	idle := map[int]string{}
	for i := d.begun; i < len(d.operations); i++ {
		switch {
		case used[i] || d.operations[i].IsCommand():
		case covered[i]:
			idle[i] = leftCovered
		default:
			idle[i] = leftUndone
		}
	}
	return idle
}

// makers returns the operations that something in the file comes from, nil where
// that is not known of all of it.
func (o *outcome) makers() map[int]bool {
	switch {
	case o.action == plan.Rename && o.base.text == o.proposed:
		return map[int]bool{}
	case o.areas == nil || o.action != plan.Update && o.action != plan.Rename:
		return nil
	}
	makers := map[int]bool{}
	for _, piece := range plan.Pieces(o.action, o.base.text, o.proposed, o.areas) {
		if len(piece.Calls) == 0 {
			return nil
		}
		for _, i := range piece.Calls {
			makers[i] = true
		}
	}
	return makers
}

// oneFileEach returns those of idle that can be left out file by file: what is
// wrong about one must not keep the others.
func (d leaning) oneFileEach(idle map[int]string) map[int]string {
	byPath := map[string]map[int]string{}
	for i, why := range idle {
		path := d.operations[i].Path
		if byPath[path] == nil {
			byPath[path] = map[int]string{}
		}
		byPath[path][i] = why
	}
	good := map[int]string{}
	for n, path := range slices.Sorted(maps.Keys(byPath)) {
		if n == maxFilesEach {
			break
		}
		if d.stagedAgain(d.news(byPath[path])) != nil {
			maps.Copy(good, byPath[path])
		}
	}
	return good
}

// maxFilesEach is how many files are tried one by one: each stages all once more.
const maxFilesEach = 8

// stagedAgain stages operations on what the turn began with, and returns what they
// come to if it is what d comes to, else nil.
func (d leaning) stagedAgain(operations []plan.Operation) *content {
	lean := newContent(d.w)
	if d.start != nil {
		lean = d.start.clone()
	}
	lean.start, lean.begun = d.start, d.begun
	lean.submission, lean.submittedNow = d.submission, d.submittedNow
	defer func() { lean.refused = d.refused }() // not what is mended on the way
	lean.bases, lean.touched = maps.Clone(d.bases), maps.Clone(d.touched)
	for _, o := range operations {
		if o.IsCommand() {
			lean.add(o)
		} else if _, err := lean.again(d.replay, o); err != nil {
			return nil
		}
	}
	if !sameOutcomes(d.outcomes(), lean.outcomes()) {
		return nil
	}
	return lean
}

// samePieces reports whether a user can decide on the same pieces of a file.
func samePieces(a, b *outcome) bool {
	pieces := func(o *outcome) blame.Areas {
		if o.kept { // it has its own
			return o.areas
		}
		return plan.Pieces(o.action, o.base.text, o.proposed, o.areas)
	}
	if a.action == plan.Create || a.action == plan.Delete {
		return true
	}
	return slices.EqualFunc(pieces(a), pieces(b), func(x, y blame.Area) bool { return x.Old == y.Old && x.New == y.New })
}

// sameOutcomes reports whether the same becomes of the same files.
func sameOutcomes(a, b []outcome) bool {
	if len(a) != len(b) {
		return false
	}
	of := map[string]outcome{}
	for _, o := range b {
		of[o.path] = o
	}
	for _, o := range a {
		p, ok := of[o.path]
		if !ok || !samePieces(&o, &p) || o.action != p.action || o.newPath != p.newPath || o.base != p.base || o.proposed != p.proposed {
			return false
		}
	}
	return true
}
