package board

import (
	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/workspace"
)

// lockGlance updates what is shown of a plan and locks the table. It is for showing, not for
// deciding: it reads a file that no editor shows only if its stamp has changed. Nobody follows a
// plan that the session does not hold, so it places the open files of such a plan each time.
func (b *Board) lockGlance(h *Held) *table {
	stamps := map[string]workspace.Stamp{} // of files that no editor shows
	for _, c := range h.Revision().Changes {
		for _, path := range []string{c.Path, c.NewPath} {
			if _, open := b.ws.Buffer(path); !open && path != "" {
				stamps[path] = b.ws.Stamp(path)
			}
		}
	}
	var do []glance
	t, l := b.lockWith(func(t *table) (files []readahead.Paths) {
		do = t.glances(t.of(h), stamps)
		for _, g := range do {
			files = append(files, pathsOf(g.file.Change))
		}
		return files
	})
	for _, g := range do {
		if g.place {
			g.file.place(l, h.Plan())
			g.file.stamp = g.stamp
		} else {
			g.file.lookInTheWay(l, h.Plan())
		}
		t.changed(t.of(h))
	}
	return t
}

// glance is what lockGlance has to do for one file.
type glance struct {
	file  *heldFile
	place bool            // else its hunks are followed, and only what is in its way is updated
	stamp workspace.Stamp // of the file on disk; the zero Stamp where an editor shows it, or has just closed it
}

// glances lists what lockGlance has to do.
func (t *table) glances(h *entry, stamps map[string]workspace.Stamp) (do []glance) {
	followed := t.plans[h.Number()] == h
	for _, f := range h.files {
		path := f.PathIn(h.Plan())
		update := f.Change.Action == plan.Update
		if _, open := t.ws.Buffer(path); open {
			if !followed || !update {
				do = append(do, glance{file: f, place: !followed})
			}
		} else if now := stamps[path]; !update || f.Live == nil || !f.follows(h.Plan()) || now.Differs(f.stamp) {
			do = append(do, glance{file: f, place: true, stamp: now})
		}
	}
	return do
}
