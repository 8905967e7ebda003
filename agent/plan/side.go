package plan

// Sides returns a file as two revisions of a plan leave it. The two texts differ in the same way
// as in the result of [Revisions]. path is the file's path before either revision. Sides refuses
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
// this is the base text of the next revision that does, or the result of the last one before. In
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
