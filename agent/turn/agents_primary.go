package turn

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/internal/nearest"
	"redline/internal/phrase"
)

// Primary returns the primary agent with a name. The refusal of an unknown name lists those that
// exist.
func (f Folders) Primary(name string) (*orchestrator.Specialist, error) {
	r, _ := f.Registry(Tools(tool.All()))
	name = strings.TrimSuffix(name, ending)
	if a := r.FindPrimary(name); a != nil {
		return a, nil
	}
	known := idsOf(r)
	quoted := fmt.Sprintf("%q", phrase.StartBytes(name, 64))
	switch near := nearest.Of(name, known); {
	case r.Find(name) != nil:
		return nil, plan.Refuse(plan.Invalid, "%s is a specialist, which a planner chooses (/heap); %s", quoted, there(known))
	case near != nil:
		return nil, plan.Refuse(plan.Invalid, "There is no agent %s, did you mean %s? %s", quoted, strings.Join(near, " or "), capital(there(known)))
	default:
		return nil, plan.Refuse(plan.Invalid, "There is no agent %s; %s", quoted, there(known))
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// PrimaryNames returns the names of the primary agents, sorted.
func (f Folders) PrimaryNames() []string {
	r, _ := f.Registry(Tools(tool.All()))
	return idsOf(r)
}

func idsOf(r *orchestrator.Registry) []string {
	var ids []string
	for _, a := range r.Primary() {
		ids = append(ids, a.ID)
	}
	slices.Sort(ids)
	return ids
}

// there lists the primary agents, as the end of a sentence.
func there(known []string) string {
	if len(known) == 0 {
		return "there are no agents to choose: an agent is a file NAME.md with mode: primary, in agents beside your settings or in .redline/agents."
	}
	return "the agents are " + phrase.And(known) + "."
}

// ListPrimary describes the primary agents for the user, a line each.
func (f Folders) ListPrimary() string {
	r, _ := f.Registry(Tools(tool.All()))
	if len(r.Primary()) == 0 {
		return capital(there(nil))
	}
	var b strings.Builder
	for _, a := range r.Primary() {
		b.WriteString("- " + describe(a) + "\n")
	}
	return strings.TrimSpace(b.String())
}

// describe describes a primary agent in one line.
func describe(a *orchestrator.Specialist) string {
	text := fmt.Sprintf("`%s`", a.ID)
	if a.Description != "" {
		text += ": " + a.Description
	}
	if a.Model != "" {
		text += "; model " + a.Model
	}
	if not := Denied(a); not != nil {
		text += "; it may not " + strings.Join(not, " or ")
	}
	return text + " (" + a.File + ")"
}

// Denied says, in verbs, what a primary agent may not do; nil for nothing.
func Denied(a *orchestrator.Specialist) []string {
	var not []string
	for _, of := range []struct {
		kind orchestrator.ToolKind
		verb string
	}{{orchestrator.Reads, "read"}, {orchestrator.Edits, "edit"}, {orchestrator.Runs, "run commands"}} {
		may := func(t tool.Tool) bool { return kindOf(t) == of.kind && slices.Contains(a.Tools, t.Name) }
		if !slices.ContainsFunc(tool.All(), may) {
			not = append(not, of.verb)
		}
	}
	return not
}

// Permitted returns those of a turn's tools that the turn's agent may use; a nil agent may use
// none. The agent must come from a registry of these tools. Tools that agent files cannot give,
// such as ask_user, stay.
func Permitted(tools []tool.Tool, a *orchestrator.Specialist) []tool.Tool {
	if a == nil {
		return nil
	}
	may := func(t tool.Tool) bool { return slices.Contains(a.Tools, t.Name) }
	stages := slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Stages() && may(t) })
	return slices.DeleteFunc(slices.Clone(tools), func(t tool.Tool) bool {
		switch {
		case slices.Contains(ofTheTurn, t.Name):
			return false
		case t.Name == tool.Unstaging: // an agent that stages can also take it out again
			return !stages
		}
		return !may(t)
	})
}
