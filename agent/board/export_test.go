package board

// Counts says how often something was asked of a board.
type Counts struct{ Table, Plan, View, Ready, Compared int }

// Counts returns how often the table and plans were locked, the view of a plan was made, a plan was
// asked whether it is ready, and what it has on record was to be compared with its texts.
func (b *Board) Counts() Counts {
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	c := b.table.counts
	return Counts{Table: c.locks, Plan: int(b.planLocks.locks.Load()), View: c.views, Ready: c.ready, Compared: c.compared}
}

// Since returns what was asked since an earlier count.
func (c Counts) Since(was Counts) Counts {
	return Counts{c.Table - was.Table, c.Plan - was.Plan, c.View - was.View, c.Ready - was.Ready, c.Compared - was.Compared}
}

// EarlierLeft reports whether changes applied by earlier revisions of a plan still have to be
// compared with their text, because a turn or an execution was working on the plan, or another
// editor had the file unsaved.
func (b *Board) EarlierLeft(h *Held) bool { return b.peek(h).pastLeft }

// Waits reports whether the editor has not answered for a file of the plan that is carried out.
func (b *Board) Waits(h *Held) bool {
	t := b.lock()
	defer t.unlock()
	x := t.of(h).execution
	return x != nil && x.waiting && !b.Unstored(h)
}

// Unstored reports whether a result of the plan could not be stored yet.
func (b *Board) Unstored(h *Held) bool { return b.backlog.Has(h.Number()) }
