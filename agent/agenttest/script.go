package agenttest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"redline/agent/decide/decidetest"
	"redline/agent/model"
)

// Script is a model that gives the replies of the test.
type Script struct {
	mu      sync.Mutex
	replies []Reply
	asked   []model.Request
}

// Reply is one reply of the model.
type Reply struct {
	Text  string
	Calls []model.Call
	Err   error           // sent after the calls
	Wait  <-chan struct{} // closed when the reply may be sent
	Begun chan<- struct{} // closed when it was requested
}

// Call is one tool call of a reply.
func Call(name string, args map[string]any) model.Call { return called(decidetest.NewCall(name, args)) }

// Edit is a call that replaces a text in a file.
func Edit(path, old, new string) model.Call { return called(decidetest.Edit(path, old, new)) }

// Command is a call that stages a command. more are names and values of further arguments.
func Command(line string, more ...any) model.Call { return called(decidetest.Command(line, more...)) }

func called(c decidetest.Call) model.Call {
	return model.Call{Name: c.Tool, Arguments: string(c.Args)}
}

// Try is a call that tries a command. more are names and values of further arguments.
func Try(line string, more ...any) model.Call {
	c := Command(line, more...)
	c.Name = "try_command"
	return c
}

// Will sets the next replies of the model, in order.
func (s *Script) Will(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Stages makes the model stage the calls and end with a sentence.
func (s *Script) Stages(calls ...model.Call) {
	s.Will(Reply{Calls: calls}, Reply{Text: "Done."})
}

// Insert makes r the reply at index i of those that are left.
func (s *Script) Insert(i int, r Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = slices.Insert(s.replies, i, r)
}

// Forget removes the replies that are left.
func (s *Script) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = nil
}

// Asked returns the requests so far.
func (s *Script) Asked() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Told returns the messages of the last request, without the system prompt.
func (s *Script) Told() (all []string) {
	asked := s.Asked()
	for _, m := range asked[len(asked)-1].Messages {
		if m.Role != model.RoleSystem {
			all = append(all, m.Content)
		}
	}
	return all
}

// Info returns the name of the model.
func (s *Script) Info() model.Info { return model.Info{Provider: "script", Name: "script"} }

// Complete gives the next reply.
func (s *Script) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	if len(s.replies) == 0 {
		s.mu.Unlock()
		return model.Reply{Text: "The script has no more replies.", Finish: "stop"}, nil
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	s.mu.Unlock()
	if next.Begun != nil {
		close(next.Begun)
	}
	if next.Wait != nil {
		select {
		case <-next.Wait:
		case <-ctx.Done():
			return model.Reply{}, ctx.Err()
		}
	}
	out := model.Reply{Text: next.Text, Finish: "stop", Usage: model.Usage{Prompt: 10, Completion: 5}}
	if on != nil && next.Text != "" {
		on(model.Event{Text: next.Text})
	}
	for i, c := range next.Calls {
		if c.ID == "" {
			c.ID = string(rune('a' + i))
		}
		out.Calls = append(out.Calls, c)
		if on != nil {
			on(model.Event{Call: &c})
		}
		out.Finish = "tool_calls"
	}
	return out, next.Err
}

// Cast is a model that plays several parts, each with a script of its own: the system prompt says
// which one is asked.
type Cast struct {
	mu    sync.Mutex
	parts map[string]*Script
}

// lines are the texts that distinguish the parts.
var lines = map[string]string{
	"planner": "You are the planner", "choose": "You choose which one", "general": "You do the task as a whole",
	"code": "You change source code", "tests": "You write tests", "docs": "You write documentation",
	"review": "You review", "run": "You stage commands", "agents": "You write files for Redline itself",
}

// Part returns the script of a part, such as "planner" or "code".
func (c *Cast) Part(name string) *Script {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts == nil {
		c.parts = map[string]*Script{}
	}
	if c.parts[name] == nil {
		c.parts[name] = &Script{}
	}
	return c.parts[name]
}

// Info returns the name of the model.
func (c *Cast) Info() model.Info { return model.Info{Provider: "cast", Name: "cast"} }

// Complete gives the next reply of the part that is asked.
func (c *Cast) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	for name, line := range lines {
		if strings.Contains(r.Messages[0].Content, line) {
			return c.Part(name).Complete(ctx, r, on)
		}
	}
	return c.Part("").Complete(ctx, r, on)
}

// Plans makes the planner answer with an order, such as `["code"]`, and a task.
func (c *Cast) Plans(order, task string) {
	raw, _ := json.Marshal(task)
	c.Part("planner").Will(Reply{Text: `{"priorityOrder":` + order + `,"refinedTask":` + string(raw) + `}`})
}

// Stages makes a specialist stage something and end with a summary.
func (c *Cast) Stages(name, summary string, calls ...model.Call) {
	c.Part(name).Will(Reply{Calls: calls}, Reply{Text: summary})
}
