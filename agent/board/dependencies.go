package board

// dependState says how the operations of a revision depend on one another, as clients see it. It
// is immutable.
type dependState struct {
	hash      string     // of the revision
	of        [][]string // for each operation those that it must come right after
	suggested []string   // nil if it is the order that they are in
}

// dependencies returns how the operations of the plan's revision depend on one another.
func (h *entry) dependencies() *dependState {
	r := h.Revision()
	if h.depend != nil && h.depend.hash == r.Hash {
		return h.depend
	}
	d := r.Dependencies()
	s := &dependState{hash: r.Hash, of: make([][]string, len(r.Operations)), suggested: d.Suggested()}
	differs := false
	for i := range r.Operations {
		s.of[i] = append([]string{}, d.Of(r.Operations[i].ID)...)
		differs = differs || s.suggested[i] != r.Operations[i].ID
	}
	if !differs {
		s.suggested = nil
	}
	h.depend = s
	return s
}
