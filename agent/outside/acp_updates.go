package outside

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"redline/edits"
	"redline/internal/acpwire"
	"redline/internal/phrase"
)

// members are the kinds of updates that are shown, with the members that are read: whatever else a
// newer agent says there cannot spoil them.
var members = map[string][]string{
	"agent_message_chunk": {"sessionUpdate", "content", "messageId"},
	"agent_thought_chunk": {"sessionUpdate", "content"},
	"plan":                {"sessionUpdate", "entries"},
	"tool_call":           {"sessionUpdate", "toolCallId", "title", "kind", "status", "locations"},
	"tool_call_update":    {"sessionUpdate", "toolCallId", "title", "kind", "status", "locations"},
	"usage_update":        {"sessionUpdate", "used", "size", "cost"},
}

// update takes a session/update. One of another session, of before this turn, or that cannot be read
// is ignored.
func (c *conversation) update(params json.RawMessage) {
	var head struct {
		SessionID acp.SessionId   `json:"sessionId"`
		Update    json.RawMessage `json:"update"`
	}
	var kind struct {
		SessionUpdate string `json:"sessionUpdate"`
	}
	if json.Unmarshal(params, &head) != nil || json.Unmarshal(head.Update, &kind) != nil || members[kind.SessionUpdate] == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.working || c.over || head.SessionID != c.session {
		return
	}
	u, err := acpwire.Decode[acp.SessionUpdate](head.Update, members[kind.SessionUpdate]...)
	if err != nil {
		return
	}
	switch {
	case u.AgentMessageChunk != nil:
		if text := u.AgentMessageChunk.Content.Text; text != nil && c.counts(text.Text) {
			id := ""
			if u.AgentMessageChunk.MessageId != nil {
				id = *u.AgentMessageChunk.MessageId
			}
			c.text(text.Text, id)
		}
	case u.AgentThoughtChunk != nil:
		if text := u.AgentThoughtChunk.Content.Text; text != nil && c.counts(text.Text) {
			c.to.Thought(text.Text)
		}
	case u.Plan != nil:
		c.steps(u.Plan.Entries)
	case u.ToolCall != nil:
		v := u.ToolCall
		c.tool(string(v.ToolCallId), &v.Title, string(v.Kind), string(v.Status), v.Locations)
	case u.ToolCallUpdate != nil:
		v := u.ToolCallUpdate
		c.tool(string(v.ToolCallId), v.Title, deref(v.Kind), deref(v.Status), v.Locations)
	case u.UsageUpdate != nil:
		c.end.Usage.Total = int64(u.UsageUpdate.Used)
		if cost := u.UsageUpdate.Cost; cost != nil {
			c.end.Usage.Cost, c.end.Usage.Currency = cost.Amount, words(cost.Currency)
		}
		c.to.Usage(c.end.Usage)
	}
}

func deref[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// counts counts a text, and ends the turn when there is too much of it.
func (c *conversation) counts(text string) bool {
	if c.texts += len(text); c.texts > c.most.text {
		c.fail(errTooWordy)
		return false
	}
	return text != ""
}

// text takes a piece of the answer. After a tool call, a new message begins.
func (c *conversation) text(text, id string) {
	switch {
	case c.fresh:
		c.message.Reset()
	case c.message.Len() > 0 && id != c.wrote:
		text = "\n\n" + text
	}
	c.fresh, c.wrote = false, id
	c.message.WriteString(phrase.StartBytes(text, max(0, maxMessage-c.message.Len())))
	c.to.Text(text)
}

func (c *conversation) steps(entries []acp.PlanEntry) {
	steps := []Step{}
	for _, e := range entries[:min(len(entries), maxSteps)] {
		state := string(e.Status)
		if state != "in_progress" && state != "completed" {
			state = "pending"
		}
		steps = append(steps, Step{words(e.Content), state})
	}
	c.to.Steps(steps)
}

// tool takes what is new about a tool call. Its kind can only become stricter: what was once announced
// as fetching is not allowed as reading.
func (c *conversation) tool(id string, title *string, kind, state string, at []acp.ToolCallLocation) Tool {
	t, known := c.tools[id]
	if !known {
		if len(c.tools) >= c.most.tools {
			c.fail(errTooActive)
			return Tool{}
		}
		t = Tool{ID: id, State: "pending"}
		c.fresh = true
	}
	if title != nil && *title != "" {
		t.Title = phrase.Clip(edits.VisibleLine(phrase.OneLine(phrase.ClipBytes(*title, 8*maxTitle))), maxTitle)
	}
	if kind != "" && (t.Kind == "" || slices.Contains(free, t.Kind)) {
		t.Kind = words(kind)
	}
	if slices.Contains([]string{"pending", "in_progress", "completed", "failed"}, state) {
		t.State = state
	}
	for _, l := range at {
		if l.Path != "" && len(t.Paths) < maxPaths && !slices.Contains(t.Paths, l.Path) {
			t.Paths = append(slices.Clip(t.Paths), phrase.ClipBytes(l.Path, 4096))
		}
	}
	c.tools[id] = t
	c.to.Tool(t)
	return t
}

// free are the kinds of tools that an agent may use without a question: in its copy they can harm
// nothing.
var free = []string{"read", "edit", "delete", "move", "search", "execute", "think"}

// permission answers a session/request_permission.
func (c *conversation) permission(ctx context.Context, params json.RawMessage) (any, error) {
	var head struct {
		SessionID acp.SessionId   `json:"sessionId"`
		ToolCall  json.RawMessage `json:"toolCall"`
		Options   json.RawMessage `json:"options"`
	}
	if err := json.Unmarshal(params, &head); err != nil {
		return nil, invalid("the request cannot be read")
	}
	call, err := acpwire.Decode[acp.ToolCallUpdate](head.ToolCall, "toolCallId", "title", "kind", "status", "locations")
	if err != nil {
		return nil, invalid("the tool call cannot be used: " + err.Error())
	}
	options, err := acpwire.Decode[[]acp.PermissionOption](head.Options)
	if err != nil {
		return nil, invalid("the options cannot be used: " + err.Error())
	}
	c.mu.Lock()
	if !c.working || c.over || head.SessionID != c.session {
		c.mu.Unlock()
		return nil, invalid("no turn of this session is running")
	}
	t := c.tool(string(call.ToolCallId), call.Title, deref(call.Kind), deref(call.Status), call.Locations)
	c.mu.Unlock()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.user, cancel)()
	allow := only(options, acp.PermissionOptionKindAllowOnce)
	about := fmt.Sprintf("%s asks to use a tool of the kind %q: %q.", c.agent.Name, strings.TrimSpace(t.Kind), t.Title)
	if t.Kind == "" {
		about = fmt.Sprintf("%s asks to use a tool of an unknown kind: %q.", c.agent.Name, t.Title)
	}
	why := ""
	switch {
	case allow == "":
		why = "it offered no way to allow it once"
	case slices.Contains(free, t.Kind):
	case c.turn.Ask == nil:
		why = "nobody could answer"
	default:
		why = c.ask(ctx, about)
	}
	if ctx.Err() != nil { // the agent must hear so when its turn is cancelled
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	c.mu.Lock()
	if !c.over {
		c.to.Asked(t, why)
	}
	if why != "" && len(c.end.Refused) < maxRefused {
		c.end.Refused = append(c.end.Refused, fmt.Sprintf("It was not allowed to use a tool of the kind %q, %q: %s.", t.Kind, t.Title, why))
	}
	c.mu.Unlock()
	if why == "" {
		return selected(allow), nil
	}
	for _, kind := range []acp.PermissionOptionKind{acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways} {
		if id := only(options, kind); id != "" {
			return selected(id), nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// ask asks the user, one question at a time, and returns why the answer is no, "" if it is yes.
func (c *conversation) ask(ctx context.Context, about string) (why string) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.asked++; c.asked > maxAsked {
		return fmt.Sprintf("it has asked %d times already", maxAsked)
	}
	choice, err := c.turn.Ask(ctx, about, []string{"Allow once", "Refuse"})
	switch {
	case err != nil || choice < 0:
		return "nobody answered"
	case choice > 0:
		return "you did not allow it"
	}
	return ""
}

// maxRefused is how many refused permissions are named.
const maxRefused = 100

func selected(id acp.PermissionOptionId) acp.RequestPermissionResponse {
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(id)}
}

// only returns the first option of a kind whose id no other option has; "" if there is none.
func only(options []acp.PermissionOption, kind acp.PermissionOptionKind) acp.PermissionOptionId {
	count := map[acp.PermissionOptionId]int{}
	for _, o := range options {
		count[o.OptionId]++
	}
	for _, o := range options {
		if o.Kind == kind && count[o.OptionId] == 1 {
			return o.OptionId
		}
	}
	return ""
}

func invalid(message string) error {
	return &acp.RequestError{Code: -32602, Message: phrase.Sentence(message)}
}
