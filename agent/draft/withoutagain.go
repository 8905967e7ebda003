package draft

import (
	"io/fs"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

// pinned is the workspace of a revision: its base texts.
type pinned map[string]workspace.File

func (p pinned) Read(path string) (workspace.File, error) { return p[path], nil }

// LimitOf returns a limit larger than any file, because what was staged once can be staged
// again.
func (p pinned) LimitOf(string) int64 { return 1 << 40 }

func (p pinned) live(path string) (string, bool, uint32, error) {
	f := p[path]
	return f.Text, f.Exists, uint32(f.Mode), nil
}

// bases returns the base files of a group.
func (w *removal) bases(g group) (pinned, error) {
	files := pinned{}
	for _, c := range g.changes {
		if !c.BaseExists {
			continue
		}
		text, err := w.text(c.Base)
		if err != nil {
			return nil, err
		}
		files[c.Path] = workspace.File{Text: text, Exists: true, Mode: fs.FileMode(c.Mode), BOM: c.BOM}
	}
	return files, nil
}

// staging is the result of staging operations of a group again.
type staging struct {
	draft    *Draft
	failed   []string        // operations that could not be staged
	numbered map[string]bool // operations whose place was a line number
}

// stageAgain stages operations on the texts that their revision was made from. It
// leaves out those that are not possible.
func (w *removal) stageAgain(bases pinned, operations []plan.Operation) staging {
	s := staging{draft: New(bases), numbered: map[string]bool{}}
	for _, o := range operations {
		staged, err := s.draft.guarded.restage(w.replay, o)
		if err != nil {
			s.failed = append(s.failed, o.ID)
			continue
		}
		for _, f := range staged {
			if slices.Contains(strings.Split(f.Step, ", "), stepLine) {
				s.numbered[o.ID] = true
			}
		}
	}
	return s
}

// again returns the rest of a group if the remaining operations are staged again. It returns
// nil, and why, if the result is not reliable. plain is the rest by [removal.plain], nil for
// none.
func (w *removal) again(g group, bases pinned, goes, stays []plan.Operation, plain *left) (*left, *Refusal) {
	all := w.stageAgain(bases, g.operations)
	if sealed, err := all.draft.Seal(bases.live); err != nil || len(all.failed) > 0 || !asIn(g, sealed) {
		return nil, refuse("", "what %s and the operations that stay have made together cannot be told apart any more: reject the hunks instead, or rework the plan", phrase.And(idsOf(goes)))
	}
	rest := w.stageAgain(bases, stays)
	if len(rest.failed) > 0 {
		verb := "changes"
		if len(rest.failed) > 1 {
			verb = "change"
		}
		return nil, refuse("", "%s %s what %s made and cannot stay without that: name %s too", phrase.And(rest.failed), verb, phrase.And(idsOf(goes)), phrase.And(rest.failed))
	}
	moved := false // an operation may be in another place, because line numbers have changed
	for id := range rest.numbered {
		if !w.before(g, id) {
			moved = true
			if w.shares(g, id) {
				return nil, refuse("", "%s has its place by the number of a line in what %s made: name it too", id, phrase.And(idsOf(goes)))
			}
		}
	}
	sealed, err := rest.draft.Seal(bases.live)
	if err != nil {
		return nil, refuse("", "what stays cannot be made again: reject the hunks instead, or rework the plan")
	}
	sealed.Name(0)
	l := w.adopt(g, sealed)
	if moved && plain != nil {
		return nil, nil
	}
	if id := w.lost(g, l); id != "" {
		return nil, refuse("", "hunk %s would not be the same without %s: reject the hunks that you do not want instead, or rework the plan", id, phrase.And(idsOf(goes)))
	}
	return l, nil
}

// before reports whether the operation was staged before all removed ones.
func (w *removal) before(g group, id string) bool {
	for _, o := range g.operations {
		if w.gone[o.ID] {
			return false
		}
		if o.ID == id {
			return true
		}
	}
	return true
}

// asIn reports whether staging all operations of a group again gives exactly the group.
func asIn(g group, s Sealed) bool {
	if len(s.Changes) != len(g.changes) {
		return false
	}
	for _, c := range g.changes {
		i := slices.IndexFunc(s.Changes, func(d plan.Change) bool { return d.Path == c.Path })
		if i < 0 {
			return false
		}
		d := &s.Changes[i]
		if d.NewPath != c.NewPath || d.Action != c.Action || d.Base != c.Base || d.BaseExists != c.BaseExists ||
			d.Proposed != c.Proposed || d.Mode != c.Mode || d.BOM != c.BOM {
			return false
		}
	}
	return true
}

// adopt returns the rest after staging again. A hunk that does the same as one of the group
// gets its id, and a change with the same result gets its hunks.
func (w *removal) adopt(g group, s Sealed) *left {
	l := &left{texts: s.Texts, has: map[string]bool{}}
	for _, c := range s.Changes {
		for _, id := range c.Operations {
			l.has[id] = true
		}
		i := slices.IndexFunc(g.changes, func(d *plan.Change) bool {
			return d.Path == c.Path && d.NewPath == c.NewPath && d.Action == c.Action && d.Base == c.Base
		})
		if i >= 0 {
			was := g.changes[i]
			if was.Proposed == c.Proposed {
				c.Hunks = w.hunksOf(was, &c)
			} else {
				w.nameAs(was, &c, s.Texts)
			}
		}
		l.changes = append(l.changes, c)
	}
	plan.SortChanges(g.operations, l.changes)
	return l
}

// hunksOf returns the hunks of a change for one with the same result, with the
// operations that stay.
func (w *removal) hunksOf(was, c *plan.Change) []plan.Hunk {
	hunks := slices.Clone(was.Hunks)
	for i := range hunks {
		h := &hunks[i]
		makers := slices.DeleteFunc(w.staying(was.MakersOf(h)), func(id string) bool { return !slices.Contains(c.Operations, id) })
		h.Operations = some(makers, c.Operations)
	}
	return hunks
}

// nameAs gives the hunks of c the ids of those hunks of was that do the same at the
// same place of the same base.
func (w *removal) nameAs(was, c *plan.Change, texts map[plan.Blob]string) {
	type place struct {
		old edits.Span
		new string
	}
	before, err := w.text(was.Proposed)
	if err != nil {
		return // then the hunks are new
	}
	ids := map[place]string{}
	for _, h := range was.Hunks {
		ids[place{h.Old, before[h.New.Start:h.New.End]}] = h.ID
	}
	now := texts[c.Proposed]
	for i := range c.Hunks {
		h := &c.Hunks[i]
		h.ID = ids[place{h.Old, now[h.New.Start:h.New.End]}]
	}
}

// lost returns a hunk of the group that changes although no removed operation has made it, or
// "". A hunk without a decision may be part of another kind of change with the same lines.
func (w *removal) lost(g group, l *left) string {
	for _, c := range g.changes {
		for i := range c.Hunks {
			h := &c.Hunks[i]
			if len(w.staying(c.MakersOf(h))) < len(c.MakersOf(h)) {
				continue
			}
			stays := slices.ContainsFunc(l.changes, func(d plan.Change) bool {
				if d.Base != c.Base || d.Path != c.Path {
					return false
				}
				return slices.ContainsFunc(d.Hunks, func(k plan.Hunk) bool {
					return k.ID == h.ID || d.Action != c.Action && k.Old == h.Old && !w.decided(h.ID)
				})
			})
			if !stays {
				return h.ID
			}
		}
	}
	return ""
}
