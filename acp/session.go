package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/edits"
	"redline/internal/acpwire"
	"redline/internal/phrase"
)

// chatSession is an open session: a conversation.
type chatSession struct {
	place *place
	id    string // the conversation's
	shown shown

	mu        sync.Mutex
	running   *prompt              // nil for none
	calls     int                  // tool calls so far, for their ids
	announced bool                 // the client has opened it, and may open it again
	titled    bool                 // the client has a title for the session
	told      conversation.Choices // the choices that the client knows

	// Only the presenter uses these.
	answers map[string]*answer // by turn
	tools   map[string][]call  // calls without an end, by turn
	held    []string           // notices for the next prompt
	steps   []acp.PlanEntry    // of the plan that was shown last
}

// maxSessions is how many sessions a connection may have open.
const maxSessions = 1000

// opened opens a conversation of a place as a session.
func (s *server) opened(p *place, id string) (*chatSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.sessions[id]; open != nil {
		if open.place != p {
			return nil, invalid("The session %s is open in the folder %s.", quoted(id), quoted(open.place.dir))
		}
		return open, nil
	}
	if len(s.sessions) >= maxSessions {
		return nil, invalid("%d sessions are open: close some of them.", len(s.sessions))
	}
	n := &chatSession{place: p, id: id, answers: map[string]*answer{}, tools: map[string][]call{}}
	n.shown.plans = map[int]revision{}
	s.sessions[id] = n
	return n, nil
}

// session returns an open session of the connection.
func (s *server) session(id acp.SessionId) (*chatSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.sessions[string(id)]; open != nil {
		return open, nil
	}
	return nil, &acp.RequestError{Code: notFound, Message: "There is no open session " + quoted(string(id)) + ": open it with session/load."}
}

func quoted(text string) string { return `"` + edits.VisibleLine(phrase.ClipBytes(text, 60)) + `"` }

// newSession begins a conversation.
func (s *server) newSession(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := read[acp.NewSessionRequest](params, "cwd", "additionalDirectories")
	if err != nil {
		return nil, err
	}
	n, err := s.begin(ctx, r.Cwd, r.AdditionalDirectories, params, func(*place) (string, error) { return session.NewID("c"), nil })
	if err != nil {
		return nil, err
	}
	modes, options := n.choices(ctx)
	return acpwire.Answered{
		Result: acp.NewSessionResponse{SessionId: acp.SessionId(n.id), Modes: modes, ConfigOptions: options}, Then: n.announce,
	}, nil
}

// loadSession opens an earlier conversation, and repeats what was said in it.
func (s *server) loadSession(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := read[acp.LoadSessionRequest](params, "cwd", "additionalDirectories", "sessionId")
	if err != nil {
		return nil, err
	}
	n, err := s.begin(ctx, r.Cwd, r.AdditionalDirectories, params, known(ctx, r.SessionId))
	if err != nil {
		return nil, err
	}
	if err := n.replay(ctx); err != nil {
		return nil, err
	}
	modes, options := n.choices(ctx)
	return acpwire.Answered{Result: acp.LoadSessionResponse{Modes: modes, ConfigOptions: options}, Then: n.announce}, nil
}

// resumeSession opens an earlier conversation without repeating it.
func (s *server) resumeSession(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := read[acp.ResumeSessionRequest](params, "cwd", "additionalDirectories", "sessionId")
	if err != nil {
		return nil, err
	}
	n, err := s.begin(ctx, r.Cwd, r.AdditionalDirectories, params, known(ctx, r.SessionId))
	if err != nil {
		return nil, err
	}
	modes, options := n.choices(ctx)
	return acpwire.Answered{Result: acp.ResumeSessionResponse{Modes: modes, ConfigOptions: options}, Then: n.announce}, nil
}

// begin opens a session in a folder.
func (s *server) begin(ctx context.Context, cwd string, more []string, params json.RawMessage, id func(*place) (string, error)) (*chatSession, error) {
	if len(more) > 0 {
		return nil, invalid("A session has one folder: open another session for %s.", quoted(more[0]))
	}
	unused, err := s.unused(params)
	if err != nil {
		return nil, err
	}
	p, err := s.place(ctx, cwd)
	if err != nil {
		return nil, err
	}
	name, err := id(p)
	if err != nil {
		return nil, err
	}
	n, err := s.opened(p, name)
	if err == nil {
		p.remind.Do(p.agent.Conversations.Remind) // there is a session that shows it
	}
	if err == nil && unused != "" {
		n.notice(unused)
	}
	return n, err
}

// known returns a function that finds an earlier conversation.
func known(ctx context.Context, id acp.SessionId) func(*place) (string, error) {
	return func(p *place) (string, error) {
		p.server.mu.Lock()
		open := p.server.sessions[string(id)]
		p.server.mu.Unlock()
		if open != nil && open.place == p {
			return open.id, nil // nothing may have been said in it yet
		}
		_, unsaid := conversation.NewEarlier(p.agent.Conversations).Open(ctx, string(id))
		if unsaid == nil {
			return string(id), nil
		}
		if err := p.agent.Board.Follower.Refresh(ctx); err != nil {
			return "", err
		}
		for _, v := range p.agent.Board.Snapshot().Plans { // its turn may not have ended yet
			if v.Plan.Conversation == string(id) {
				return string(id), nil
			}
		}
		return "", unsaid
	}
}

// unused says which tool servers that a client names are not used, since the user's own settings do not
// have them; "" if there is none. Editors name all that they know, so that is no reason to refuse the session.
func (s *server) unused(params json.RawMessage) (string, error) {
	var named struct {
		Servers []struct {
			Name string `json:"name"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(params, &named); err != nil {
		return "", invalid("The list of MCP servers cannot be read.")
	}
	var unknown []string
	for _, server := range named.Servers {
		if !slices.Contains(s.o.Servers, server.Name) && len(unknown) < 10 {
			unknown = append(unknown, quoted(server.Name))
		}
	}
	if len(unknown) == 0 {
		return "", nil
	}
	return fmt.Sprintf("Redline uses only the MCP servers of your own settings. To use %s of your editor too, add it there as [mcp.NAME].", phrase.And(unknown)), nil
}

// replay repeats what was said in the conversation, and shows its plans that wait.
func (n *chatSession) replay(ctx context.Context) error {
	if said, err := conversation.NewEarlier(n.place.agent.Conversations).Open(ctx, n.id); err == nil { // else nothing was said in it yet
		n.title(said.Request)
		if said.Summary != "" {
			n.tell(acp.UpdateAgentMessageText(edits.Visible(said.Summary)))
		}
		for _, x := range said.Exchanges {
			n.tell(acp.UpdateUserMessageText(edits.Visible(x.Request)))
			n.tell(acp.UpdateAgentMessageText(edits.Visible(x.Answer)))
		}
	}
	plans, err := n.place.agent.Board.PlanStates(ctx, false)
	if err != nil {
		return err
	}
	n.mu.Lock()
	again := n.announced
	n.mu.Unlock()
	n.place.news.showing.Lock()
	defer n.place.news.showing.Unlock()
	if again {
		n.steps = nil // the client has forgotten them
	}
	for _, p := range plans {
		if p.Conversation == n.id && plan.State(p.State).Decidable() {
			n.entries(&p)
			n.say("\n\n" + waits(p.Plan))
		}
	}
	return nil
}

// listSessions lists the conversations of a folder, or of those with open sessions.
func (s *server) listSessions(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := read[acp.ListSessionsRequest](params, "cwd")
	if err != nil {
		return nil, err
	}
	if _, err := s.ready(); err != nil {
		return nil, err
	}
	var from []*place
	if r.Cwd != nil {
		p, err := s.place(ctx, *r.Cwd)
		if err != nil {
			return nil, err
		}
		from = append(from, p)
	} else {
		s.mu.Lock()
		for _, p := range s.places {
			from = append(from, p)
		}
		s.mu.Unlock()
		slices.SortFunc(from, func(a, b *place) int { return strings.Compare(a.dir, b.dir) })
	}
	all := []acp.SessionInfo{}
	for _, p := range from {
		list, err := conversation.NewEarlier(p.agent.Conversations).List(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			title, updated := edits.VisibleLine(c.Request), c.Updated.UTC().Format(time.RFC3339)
			all = append(all, acp.SessionInfo{Cwd: p.dir, SessionId: acp.SessionId(c.Conversation), Title: &title, UpdatedAt: &updated})
		}
	}
	return acp.ListSessionsResponse{Sessions: all}, nil
}

// closeSession ends what runs in a session, and forgets it. The conversation stays in the store.
func (s *server) closeSession(_ context.Context, params json.RawMessage) (any, error) {
	r, err := read[acp.CloseSessionRequest](params, "sessionId")
	if err != nil {
		return nil, err
	}
	n, err := s.session(r.SessionId)
	if err != nil {
		return nil, err
	}
	n.cancel()
	s.mu.Lock()
	delete(s.sessions, n.id)
	s.mu.Unlock()
	return acp.CloseSessionResponse{}, nil
}

// announce tells the client which slash commands there are.
func (n *chatSession) announce() {
	n.mu.Lock()
	n.announced = true
	n.mu.Unlock()
	commands := []acp.AvailableCommand{}
	for _, c := range chat.Commands() {
		if c.Name == "send" || c.Name == "new" { // of the chat file, and of clients without sessions
			continue
		}
		command := acp.AvailableCommand{Name: c.Name, Description: c.Does}
		if c.Args != "" {
			command.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: c.Args}}
		}
		commands = append(commands, command)
	}
	n.tell(acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: commands}})
}

// title tells the client what the session is about, once.
func (n *chatSession) title(request string) {
	n.mu.Lock()
	told := n.titled
	n.titled = true
	n.mu.Unlock()
	if title := phrase.Clip(edits.VisibleLine(phrase.FirstLine(request, 120)), 120); !told && title != "" {
		n.tell(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: &title}})
	}
}

// tell sends an update.
func (n *chatSession) tell(u acp.SessionUpdate) { n.place.server.tell(n.place.ctx, n.id, u) }

// say sends a paragraph of the answer.
func (n *chatSession) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		n.tell(acp.UpdateAgentMessageText(edits.Visible(text) + "\n\n"))
	}
}

// revision is one revision of a plan.
type revision struct {
	number int
	hash   string
}

// shown has the revisions of plans that the client has shown last.
type shown struct {
	mu    sync.Mutex
	plans map[int]revision
}

func (s *shown) note(plan, number int, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[plan] = revision{number, hash}
}

// last returns the revision of a plan that was shown last, see [conversation.Message].
func (s *shown) last(plan int) (number int, hash string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.plans[plan]
	return r.number, r.hash, ok
}
