package plan

import "slices"

// Parallel returns the commands of the revision that run at the same time: groups of two or more
// ids, in order. A group has commands that follow one another, with no edit between them, each in
// a step that is parallel and does not wait for the step of another of them, directly or through
// others. The approval hash covers the groups.
func (r *Revision) Parallel() (groups [][]string) {
	if !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Parallel }) {
		return nil
	}
	steps := make(map[string]*Step, len(r.Steps))
	for i := range r.Steps {
		steps[r.Steps[i].ID] = &r.Steps[i]
	}
	var group, in []string // ids of commands, and of their steps
	end := func() {
		if len(group) > 1 {
			groups = append(groups, group)
		}
		group, in = nil, nil
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		s := steps[o.Step]
		if !o.IsCommand() || s == nil || !s.Parallel || s.When != nil {
			end()
			continue
		}
		if waitsForAny(steps, s, in) {
			end()
		}
		group, in = append(group, o.ID), append(in, o.Step)
	}
	end()
	return groups
}

// waitsForAny reports whether a step waits for one of the others, directly or through more.
func waitsForAny(steps map[string]*Step, s *Step, others []string) bool {
	seen := map[string]bool{}
	for queue := s.waitsFor(); len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		if seen[id] = true; id != s.ID && slices.Contains(others, id) {
			return true
		}
		if next := steps[id]; next != nil {
			queue = append(slices.Clip(queue), next.waitsFor()...)
		}
	}
	return false
}

// Alongside returns the commands that run at the same time as an operation, in order; nil for
// none.
func (r *Revision) Alongside(operation string) []string {
	for _, group := range r.Parallel() {
		if i := slices.Index(group, operation); i >= 0 {
			return slices.Delete(slices.Clone(group), i, i+1)
		}
	}
	return nil
}
