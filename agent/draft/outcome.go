package draft

import (
	"cmp"

	"redline/agent/plan"
	"redline/edits/blame"
	"redline/internal/stable"
)

// outcome is the result of all operations for one file: the difference between the
// workspace and the draft.
type outcome struct {
	action     plan.Action
	path       string
	newPath    string
	base       base
	proposed   string
	areas      blame.Areas // of base and proposed; nil for the plain difference
	operations []int
	movers     []int // those of them that moved the file
	kept       bool  // the change of an earlier revision, if it is unchanged
}

// outcomes returns the result for each changed file, in the order of their first
// operations. No path is in two outcomes, so their order does not matter: a file that
// trades places with another one, or leaves a path that is used again, is an update and
// not a rename.
func (l *layer) outcomes() []outcome {
	moved := map[string]bool{} // paths that files were moved away from
	for path, f := range l.files {
		if l.moves(path, f) {
			moved[f.origin] = true
		}
	}
	var all []outcome
	for path, f := range l.files {
		if k := l.untouched(f); k != nil {
			if path == k.change.Path {
				all = append(all, k.outcome(f.operations))
			}
		} else if o, ok := l.outcome(path, f); ok && !moved[path] {
			all = append(all, o)
		}
	}
	stable.Sort(all, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(a.path, b.path))
	})
	return all
}

// first returns the index of the first operation.
func (o *outcome) first() int {
	if len(o.operations) == 0 {
		return 0
	}
	return o.operations[0]
}

// moves reports whether f is at path because one file was moved there, which leaves
// nothing at its old path and replaces nothing.
func (l *layer) moves(path string, f *file) bool {
	from, ok := l.files[f.origin]
	return ok && f.exists && f.origin != path && !from.exists && l.bases[f.origin].exists && !l.bases[path].exists
}

// outcome compares the file at path with its base. ok is false if they are the same.
func (l *layer) outcome(path string, f *file) (o outcome, ok bool) {
	b := l.bases[path]
	o = outcome{path: path, base: b, proposed: f.text, operations: f.operations}
	switch {
	case l.moves(path, f):
		o.action, o.path, o.newPath, o.base = plan.Rename, f.origin, path, l.bases[f.origin]
		o.areas, o.operations = f.areas, union(l.files[f.origin].operations, f.operations)
		o.movers = f.movers
		return o, true
	case f.exists && b.exists:
		o.action = plan.Update
		if f.origin == path {
			o.areas = f.areas
		}
		return o, f.text != b.text
	case f.exists:
		o.action, o.base.mode = plan.Create, cmp.Or(f.mode, l.bases[f.origin].mode)
		o.base.bom = l.hasBOM(f)
		return o, true
	default:
		o.action = plan.Delete
		return o, b.exists
	}
}

// hasBOM reports whether a byte order mark comes before the text of f.
func (l *layer) hasBOM(f *file) bool { return f.bom || l.bases[f.origin].bom }

// untouched returns the change of an earlier revision that f still is. It returns nil
// if there is none, or if the other file of a rename was touched.
func (l *layer) untouched(f *file) *kept {
	k := f.kept
	if k == nil || l.files[k.change.Path].kept != k {
		return nil
	}
	if k.change.NewPath != "" && l.files[k.change.NewPath].kept != k {
		return nil
	}
	return k
}

// outcome returns the outcome of the earlier change.
func (k *kept) outcome(operations []int) outcome {
	return outcome{
		action: k.change.Action, path: k.change.Path, newPath: k.change.NewPath,
		base:     base{text: k.base, exists: k.change.BaseExists, mode: k.change.Mode, bom: k.change.BOM},
		proposed: k.proposed, areas: k.areas, operations: operations, movers: k.movers, kept: true,
	}
}
