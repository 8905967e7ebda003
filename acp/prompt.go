package acp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/acpwire"
	"redline/internal/phrase"
	"redline/internal/tasks"
)

// prompt is a prompt that is being answered: its turn, those that follow from it, and the decision on
// their plan.
type prompt struct {
	session *chatSession
	blocks  []acp.ContentBlock
	files   []string // the files that it names

	ctx  context.Context // done when the prompt is cancelled, with the reason
	stop context.CancelCauseFunc
	wake tasks.Signal // a turn has ended

	mu    sync.Mutex
	in    string                 // the conversation of its turn, "" until that is known
	ends  map[string]state.Event // turns of the session that have ended since the prompt began
	plan  int                    // the plan that the last of them has made, 0 for none
	asked *asked                 // what the user is being asked about, nil for nothing

	commands map[string]*running // commands that the agent runs for the prompt; set before they begin
}

// errCancelled is why a prompt ends that the client has cancelled.
var errCancelled = errors.New("the prompt was cancelled")

// prompt begins a prompt, on the goroutine that reads: a cancellation that comes next finds it.
func (s *server) prompt(params json.RawMessage) acpwire.Request {
	failed := func(err error) acpwire.Request {
		return func(context.Context, json.RawMessage) (any, error) { return nil, err }
	}
	r, err := read[acp.PromptRequest](params, "sessionId", "prompt")
	if err != nil {
		return failed(err)
	}
	n, err := s.session(r.SessionId)
	if err != nil {
		return failed(err)
	}
	p := &prompt{session: n, blocks: r.Prompt, wake: tasks.NewSignal(), ends: map[string]state.Event{}, commands: map[string]*running{}}
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	n.mu.Lock()
	busy := n.running != nil
	if !busy {
		n.running = p
	}
	n.mu.Unlock()
	if busy {
		return failed(&acp.RequestError{Code: invalidRequest, Message: "A prompt is running in this session: wait for its end, or cancel it."})
	}
	return func(ctx context.Context, _ json.RawMessage) (any, error) {
		defer p.stop(nil)
		defer context.AfterFunc(ctx, func() { p.stop(errCancelled) })() // the request was cancelled, or the connection has ended
		defer func() {
			n.mu.Lock()
			n.running = nil
			n.mu.Unlock()
		}()
		return p.answer()
	}
}

// cancel takes a session/cancel.
func (s *server) cancel(params json.RawMessage) {
	r, err := read[acp.CancelNotification](params, "sessionId")
	if err != nil {
		return
	}
	if n, err := s.session(r.SessionId); err == nil {
		n.cancel()
	}
}

// cancel cancels the session's prompt, if one is running.
func (n *chatSession) cancel() {
	n.mu.Lock()
	p := n.running
	n.mu.Unlock()
	if p != nil {
		p.stop(errCancelled)
	}
}

// answer runs the turns of the prompt, and the decisions on their plans.
func (p *prompt) answer() (any, error) {
	n := p.session
	n.mu.Lock()
	held := n.held
	n.held = nil
	n.mu.Unlock()
	for _, text := range held {
		n.say(text)
	}
	m, err := p.message()
	if err != nil {
		return p.refused(err)
	}
	client, err := n.place.server.ready()
	if err != nil {
		return nil, err
	}
	m.Conversation, m.Client, m.Shown, m.AskAtOnce = n.id, client.recorded(), n.shown.last, true
	if slash, is, _ := chat.ParseSlash(m.Text); is && slash.Name == "new" {
		return p.refused(plan.Refuse(plan.Invalid, "Open a new session in your editor instead."))
	}
	n.place.last.Store(n.id)
	n.place.applier.Refresh(p.ctx, n.unsaved(p.files))
	if p.ctx.Err() != nil {
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	turn, err := p.send(m)
	if err != nil {
		return p.refused(err)
	}
	if !strings.HasPrefix(strings.TrimSpace(m.Text), "/") {
		n.title(m.Text)
	}
	p.await(turn)
	for p.ctx.Err() == nil {
		made := p.takePlan()
		if made == 0 {
			break
		}
		p.decide(made)
		p.await("")
	}
	n.chosen()
	if errors.Is(context.Cause(p.ctx), errCancelled) {
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// send sends the message, and has the events of its turn shown here, also if it is about the plan of
// another conversation.
func (p *prompt) send(m conversation.Message) (turn string, err error) {
	n := p.session
	n.place.last.Store(n.id)
	n.place.news.showing.Lock()
	defer n.place.news.showing.Unlock()
	turn, in, err := n.place.agent.Turns.Send(m)
	p.mu.Lock()
	p.in = in
	p.mu.Unlock()
	return turn, err
}

// unsaved returns the files that the prompt may be about, besides those that it names: the ones of the
// session's plans.
func (n *chatSession) unsaved(named []string) []string {
	paths := slices.Clone(named)
	for _, v := range n.place.agent.Board.Snapshot().Plans {
		if v.Plan.Conversation != n.id || !v.Plan.State.Open() {
			continue
		}
		for _, f := range v.Files {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// follows reports whether the events of a conversation are shown in the session.
func (n *chatSession) follows(conversation string) bool {
	if conversation == n.id {
		return true
	}
	n.mu.Lock()
	p := n.running
	n.mu.Unlock()
	if p == nil || conversation == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in == conversation
}

// refused answers a prompt that cannot be sent with the reason, as text: few clients show an error.
func (p *prompt) refused(err error) (any, error) {
	reason := phrase.SentenceOf(err)
	if wrong, ok := errors.AsType[*acp.RequestError](err); ok {
		reason = wrong.Message
	} else if refused, ok := plan.RefusalOf(err); ok {
		reason = refused.Reason
	}
	p.session.say(reason)
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// ended notes the end of a turn of the session.
func (p *prompt) ended(e state.Event) {
	p.mu.Lock()
	p.ends[e.Turn] = e
	if e.PlanNumber != 0 && e.Decided == "" {
		p.plan = e.PlanNumber
	}
	p.mu.Unlock()
	p.wake.Set()
}

// takePlan returns the plan that the turns so far have made, once.
func (p *prompt) takePlan() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.plan
	p.plan = 0
	return made
}

// await waits until a turn, "" for none, and all turns of the session that run have ended, and what they
// said is shown. When the prompt is cancelled, it cancels them and waits for their ends all the same.
func (p *prompt) await(turn string) {
	n := p.session
	a := n.place.agent
	over := n.place.server.conn.Context()
	cancelled := p.ctx.Done()
	for {
		p.mu.Lock()
		ends := maps.Clone(p.ends)
		p.mu.Unlock()
		// A turn that follows from another runs before the other ends: it is looked for once the ends are read.
		running, _ := a.Conversations.Running()
		open := append(n.place.news.unfinished(n), turn)
		for _, t := range running {
			if n.follows(t.Conversation) {
				open = append(open, t.Turn)
			}
		}
		open = slices.DeleteFunc(open, func(id string) bool { _, ended := ends[id]; return ended || id == "" })
		if len(open) == 0 {
			return
		}
		select {
		case <-p.wake:
		case <-cancelled:
			cancelled = nil
			for _, id := range open {
				a.Cancel(id)
			}
		case <-over.Done():
			return
		}
	}
}
