package orchestrator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// isFlat matches a member at the top level of a planner's answer that has the instructions for
// one specialist: instructionsForGeneral, instructions_for_general.
var isFlat = lazyregexp.New(`(?i)^instructions[-_ ]?for[-_ ]?([a-z].*)$`)

// instruct sets the instructions of a plan: those of the member "instructions", by id, and those
// of members like "instructionsForGeneral" beside it. An id may differ in case and in the marks
// between its words, as long as it can only mean one specialist. It leaves out texts that are
// empty or too long. The error is one sentence for the planner.
func (p *Plan) instruct(object []byte, nested map[string]string, r *Registry) error {
	p.Instructions = map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(nested)) {
		if s := r.meant(id); s != nil {
			p.addInstruction(s.ID, nested[id])
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		flat := isFlat().FindStringSubmatch(name)
		if flat == nil {
			continue
		}
		var text string
		if err := json.Unmarshal(members[name], &text); err != nil {
			return fmt.Errorf("%s is no text", quoted(name))
		}
		if s := r.meant(flat[1]); s != nil {
			p.addInstruction(s.ID, text)
		} else if strings.TrimSpace(text) != "" {
			p.note("The planner's %s names no specialist; it was left out.", quoted(name))
		}
	}
	return nil
}

// addInstruction adds an instruction to those of a specialist, unless they have it already.
func (p *Plan) addInstruction(id, text string) {
	text = strings.TrimSpace(text)
	had := p.Instructions[id]
	if text == "" || strings.Contains(had, text) {
		return
	}
	if had != "" {
		text = had + "\n" + text
	}
	if len(text) <= maxTask {
		p.Instructions[id] = text
	}
}

// meant returns the specialist that a name means: the one with this id, else the only one whose
// id differs in nothing but case and marks; nil for none.
func (r *Registry) meant(name string) *Specialist {
	if s := r.Find(name); s != nil {
		return s
	}
	var found *Specialist
	for _, s := range r.list {
		if plainID(s.ID) != plainID(name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = s
	}
	return found
}

// plainID returns an id in lower case without marks.
func plainID(id string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(id))
}
