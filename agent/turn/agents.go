package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/toolset"
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
	var yours, theirs []orchestrator.File
	from := workspace.Custom{Workspace: f.Workspace, Dir: f.Dir, Folder: "agents", Limit: orchestrator.MaxFile}
	for _, c := range from.List() {
		files := &theirs
		if c.Yours {
			files = &yours
		}
		if !strings.EqualFold(c.Name, "readme") && len(*files) <= orchestrator.MaxFiles {
			text, err := from.Read(c)
			*files = append(*files, orchestrator.File{ID: c.Name, Name: c.Path, Text: text, Err: err})
		}
	}
	return orchestrator.NewRegistry(known, yours, theirs)
}

// Primary returns the primary agent with a name. The refusal of an unknown name lists those that
// exist.
func (f Folders) Primary(name string) (*orchestrator.Specialist, error) {
	r, _ := f.Registry(Tools(tool.All()))
	name = strings.TrimSuffix(name, ".md")
	if a := r.FindPrimary(name); a != nil {
		return a, nil
	}
	known := r.PrimaryNames()
	quoted := fmt.Sprintf("%q", phrase.StartBytes(name, 64))
	switch near := r.NearPrimary(name); {
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
	return r.PrimaryNames()
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

// A conversation's primary agent (see [orchestrator.Registry.Primary]) changes a turn in three ways. Its
// text is appended to the system prompt, which stays whole. Its model and temperature are used
// for the turn's own requests, but not for small requests beside them, such as classifying a
// message. The turn loses every tool that the agent may not use, in each route and mode.

// agentNamed returns the primary agent with a name, for a conversation. The names none and
// default return no agent. An unknown name is an error.
func (ts *Turns) agentNamed(name string) (conversation.Agent, error) {
	if slices.Contains(orchestrator.Reserved, name) {
		return conversation.Agent{}, nil
	}
	a, err := ts.Agents.Primary(name)
	if err != nil {
		return conversation.Agent{}, err
	}
	return conversation.Agent{Name: a.ID, Repository: a.Origin == orchestrator.Repository}, nil
}

// recollect reads the memory of a turn's conversation, and what the user has chosen for it.
func (w *work) recollect(ctx context.Context) error {
	conv := w.turn.Conversation
	conv.Memory.Recollect(ctx)
	choices, err := w.Conversations.Choices(ctx, conv)
	if err != nil && w.turn.request.Mode != "ask" { // a question changes nothing
		return err
	}
	w.choices = choices
	w.turn.Update(func(r *conversation.Result) { r.Choices = choices })
	if w.Session.First(choices.Told(conv)) && w.turn.request.Chosen == nil && w.turn.request.With == "" && choices.String() != "" {
		w.turn.Notice(fmt.Sprintf("This conversation has %s, as you have chosen earlier (/agent, /mode, /with).", choices))
	}
	return nil
}

// mode returns the mode of a turn: the one that its message names, else the conversation's.
// Comments and feedback on a plan ignore the conversation's mode, because they say what they
// want.
func (w *work) mode() string {
	m := &w.turn.request
	if m.Mode != "" || m.Comment != nil || m.Revise != 0 && w.turn.continued == nil {
		return m.Mode
	}
	return w.choices.Mode
}

// takeAgent reads the agent file of the conversation's agent. It returns an error if the file is
// gone, because without it the turn would have more tools than the user has allowed. An agent of
// the repository never replaces a user's agent of the same name.
func (w *work) takeAgent() error {
	chosen := w.choices.Agent
	if chosen.Name == "" {
		return nil
	}
	r, notices := w.Agents.Registry(Tools(tool.All()))
	a := r.FindPrimary(chosen.Name)
	switch {
	case a == nil:
		return plan.Refuse(plan.Invalid, "The agent %s of this conversation is not there any more: choose another with /agent NAME, or none with /agent none.", chosen.Name)
	case a.Origin == orchestrator.Repository && !chosen.Repository:
		return plan.Refuse(plan.Invalid, "The agent %s of this conversation was your own, and now only the repository describes one of that name: choose it anew with /agent %s, or none with /agent none.", chosen.Name, chosen.Name)
	}
	w.agent = &primary{a, w.Agents}
	for _, n := range notices {
		if strings.Contains(n, " "+a.File+" ") && w.Session.First(n) {
			w.turn.Warn(n)
		}
	}
	return nil
}

// primary is the agent of a conversation. A nil primary changes nothing.
type primary struct {
	*orchestrator.Specialist
	files Folders
}

// prompt returns what the agent adds to a system prompt. Text from the repository is quoted. named
// returns the prompt with a name.
func (a *primary) prompt(named func(string) string) string {
	if a == nil || a.Prompt == "" {
		return ""
	}
	text := a.Prompt
	if a.Origin == orchestrator.Repository {
		text = named("quoted") + "\n> " + strings.ReplaceAll(text, "\n", "\n> ")
	}
	return "\n" + named("agent") + "\n" + text + "\n"
}

// permitted returns those of a turn's tools that the agent may use. Calls of the others are refused
// in env.
func (a *primary) permitted(tools []tool.Tool, env *tool.Env) []tool.Tool {
	if a == nil {
		return tools
	}
	known := slices.Clone(tools)
	for _, t := range tool.All() { // an agent file may name any tool
		if _, has := tool.Find(known, t.Name); !has {
			known = append(known, t)
		}
	}
	r, _ := a.files.Registry(Tools(known))
	now := r.FindPrimary(a.ID)
	if now != nil && now.Origin != a.Origin { // the user's file is gone since the turn began
		now = nil
	}
	env.Forbidden = func(name string) string {
		if t, has := tool.Find(tools, name); has {
			return fmt.Sprintf("the user does not let the agent %s use %s", a.ID, t.Name)
		}
		return ""
	}
	return Permitted(tools, now)
}

// provider returns p with the agent's model and temperature.
func (a *primary) provider(p model.Provider) model.Provider {
	if a == nil {
		return p
	}
	return agentModel{p, a.Specialist}
}

// agentModel is a provider that sends the agent's model and temperature with each request.
type agentModel struct {
	model.Provider
	agent *orchestrator.Specialist
}

func (p agentModel) Info() model.Info {
	info := p.Provider.Info()
	info.Name = cmp.Or(p.agent.Model, info.Name)
	return info
}

func (p agentModel) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	req.Model, req.Temperature = cmp.Or(p.agent.Model, req.Model), cmp.Or(p.agent.Temperature, req.Temperature)
	return p.Provider.Complete(ctx, req, onEvent)
}
