package orchestrator

import "context"

// Choose asks a model which of several specialists should do a task, and returns its
// answer.
type Choose func(ctx context.Context, by *Specialist, among []*Specialist, task string) (answer string, err error)

// Expand replaces each specialist of the plan that only delegates with one that works. It asks a
// model to choose; if that fails, keywords choose, and without a match the first is taken.
// Expand calls told for each choice. The error is ctx's.
func (r *Registry) Expand(ctx context.Context, p *Plan, choose Choose, told func(from, to, by string)) error {
	for i := range p.Work {
		seen := map[string]bool{}
		for s := r.Find(p.Work[i].Specialist); s.Delegates != nil; {
			seen[s.ID] = true
			var among []*Specialist
			for _, id := range s.Delegates {
				if to := r.Find(id); to != nil && !seen[id] {
					among = append(among, to)
				}
			}
			next, by, err := r.choose(ctx, p, s, among, choose)
			if err != nil {
				return err
			}
			told(s.ID, next.ID, by)
			if text, ok := p.Instructions[s.ID]; ok && p.Instructions[next.ID] == "" {
				p.Instructions[next.ID] = text
			}
			p.Work[i].Specialist, s = next.ID, next
		}
	}
	return nil
}

// choose chooses one of several specialists. If there is none to choose, as in a circle of
// delegators, it returns the general one.
func (r *Registry) choose(ctx context.Context, p *Plan, s *Specialist, among []*Specialist, choose Choose) (next *Specialist, by string, err error) {
	switch len(among) {
	case 0:
		return r.Find(General), ByRules, nil
	case 1:
		return among[0], ByRules, nil
	}
	task := p.RefinedTask
	if text := p.Instructions[s.ID]; text != "" {
		task += "\n\n" + text
	}
	answer, err := choose(ctx, s, among, task)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err == nil {
		if next := parseChoice(answer, among); next != nil {
			return next, ByModel, nil
		}
	}
	for _, to := range among {
		if asksFor(task, to.Keywords) {
			return to, ByRules, nil
		}
	}
	return among[0], ByRules, nil
}
