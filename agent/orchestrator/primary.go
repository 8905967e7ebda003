package orchestrator

import (
	"slices"

	"redline/internal/phrase"
)

// A primary agent is described by a file with mode: primary (or all, which makes a specialist of
// it too). The user, not a planner, chooses it by name for a conversation. Its text is added to
// the system prompt of a turn, and the turn may use no other tools than its.

// Reserved are the names that mean no agent.
var Reserved = []string{"none", "default"}

// putPrimary adds the primary agent of a file, or replaces the one of the same name. Unlike a
// specialist it has every tool that is not excluded, and needs no description, since no planner
// reads it.
func (r *Registry) putPrimary(file File, f *file, origin Origin, notice noticeFunc) {
	if slices.Contains(Reserved, file.ID) {
		notice(file.Name, "cannot be chosen: the words none and default mean no agent")
		return
	}
	if f.delegates != nil {
		f.ignore("the delegates (a primary agent works itself)")
	}
	s := &Specialist{
		ID: file.ID, Description: f.description, Prompt: f.body, Temperature: f.temperature,
		Primary: true, Origin: origin, File: file.Name,
	}
	if s.Description == "" {
		s.Description = phrase.FirstLine(f.body, maxDescription)
	}
	s.chooseModel(f)
	s.Tools = r.toolsOf(f, s, nil, origin)
	r.primary = append(slices.DeleteFunc(r.primary, func(old *Specialist) bool { return old.ID == s.ID }), s)
}

// Primary returns the primary agents, which the user can choose.
func (r *Registry) Primary() []*Specialist { return slices.Clone(r.primary) }

// FindPrimary returns the primary agent with an id, nil for none.
func (r *Registry) FindPrimary(id string) *Specialist {
	for _, s := range r.primary {
		if s.ID == id {
			return s
		}
	}
	return nil
}
