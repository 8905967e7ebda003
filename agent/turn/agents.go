package turn

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/internal/nearest"
	"redline/internal/phrase"
	"redline/workspace"
)

// List describes the specialists and the primary agents for the user, a line each, and says what is wrong
// with the agent files.
func (f Folders) List() string {
	r, notices := f.Registry(Tools(tool.All()))
	var b strings.Builder
	for _, s := range r.All() {
		fmt.Fprintf(&b, "- `%s`: %s", s.ID, s.Description)
		switch {
		case s.Delegates != nil:
			fmt.Fprintf(&b, "; it chooses one of %s", strings.Join(s.Delegates, ", "))
		case len(s.Tools) == 0:
			b.WriteString("; without tools")
		}
		if s.Model != "" {
			fmt.Fprintf(&b, "; model %s", s.Model)
		}
		if s.Origin != orchestrator.BuiltIn {
			fmt.Fprintf(&b, " (%s)", s.File)
		}
		b.WriteString("\n")
	}
	for _, a := range r.Primary() {
		b.WriteString("- " + describe(a) + "; an agent, chosen with /agent\n")
	}
	for _, n := range notices {
		b.WriteString("\n" + n)
	}
	return strings.TrimSpace(b.String())
}

// Folders are the two folders of agent files: the user's own, beside the settings, and
// .redline/agents of the workspace.
type Folders struct {
	Dir       string               // the user's own directory, "" for none
	Workspace *workspace.Workspace // has .redline/agents
}

// Registry reads the agent files and returns the specialists, each with its permitted tools.
// notices says what is wrong with the files, one sentence each.
func (f Folders) Registry(tools []tool.Tool) (registry *orchestrator.Registry, notices []string) {
	known := make([]orchestrator.Tool, len(tools))
	for i, t := range tools {
		known[i] = orchestrator.Tool{Name: t.Name, Kind: kindOf(t)}
	}
	return orchestrator.NewRegistry(known, f.files(true), f.files(false))
}

// files returns the agent files, of the user's or of the repository. README.md is none.
func (f Folders) files(yours bool) (files []orchestrator.File) {
	from := workspace.Custom{Workspace: f.Workspace, Dir: f.Dir, Folder: "agents", Limit: orchestrator.MaxFile}
	for _, c := range from.List() {
		if c.Yours == yours && !strings.EqualFold(c.Name, "readme") && len(files) <= orchestrator.MaxFiles {
			text, err := from.Read(c)
			files = append(files, orchestrator.File{ID: c.Name, Name: c.Path, Text: text, Err: err})
		}
	}
	return files
}

// Primary returns the primary agent with a name. The refusal of an unknown name lists those that
// exist.
func (f Folders) Primary(name string) (*orchestrator.Specialist, error) {
	r, _ := f.Registry(Tools(tool.All()))
	name = strings.TrimSuffix(name, ".md")
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

// ofTheTurn are tools that agent files cannot give. No specialist submits a plan, since the
// specialists' assignments are its steps; each may ask the user.
var ofTheTurn = []string{"submit_plan", tool.AskUser}

// Tools returns the tools that agent files may give to specialists.
func Tools(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return slices.Contains(ofTheTurn, t.Name) })
}

// kindOf returns the kind of a tool.
func kindOf(t tool.Tool) orchestrator.ToolKind {
	_, ofServer := toolset.ServerOf(t.Name)
	switch {
	case ofServer && t.Buffered:
		return orchestrator.Calls
	case ofServer:
		return orchestrator.Asks
	case t.Name == "fetch_url":
		return orchestrator.Fetches
	case t.Name == "run_command":
		return orchestrator.Runs
	case t.Name == "try_command":
		return orchestrator.Tries
	case t.Buffered, t.Name == tool.Unstaging:
		return orchestrator.Edits
	case t.OfRepository():
		return orchestrator.Recalls
	case t.OfEditor():
		return orchestrator.Shows
	}
	return orchestrator.Reads
}
