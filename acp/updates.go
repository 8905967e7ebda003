package acp

import (
	"context"
	"fmt"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
	"redline/internal/tasks"
)

// presenter shows the events of a place to the sessions that they belong to. Notify only queues an
// event; one goroutine shows them in order.
type presenter struct {
	place *place
	wake  tasks.Signal // the queue is not empty

	mu    sync.Mutex
	queue []state.Event
}

func newPresenter(p *place) *presenter { return &presenter{place: p, wake: tasks.NewSignal()} }

// Notify implements [state.Editor]: it queues an event. It never blocks. Pieces of a text that wait
// become one, so that a slow client costs no more than the text.
func (p *presenter) Notify(e state.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.wake.Set()
	switch e.Kind {
	case state.Doing, state.HunkStaged, state.Routed, state.DiffModeAsked, state.ViewAsked, state.TrialsStand:
		return // nothing is shown of these
	case state.TokenArrived, state.ModelThinks, state.CommandPrinted:
		if last := len(p.queue) - 1; last >= 0 {
			w := &p.queue[last]
			if w.Kind == e.Kind && w.Turn == e.Turn && w.ID == e.ID && w.Conversation == e.Conversation {
				w.Text += e.Text
				return
			}
		}
	case state.PlanChanged:
		if last := len(p.queue) - 1; last >= 0 && p.queue[last].Kind == e.Kind && p.queue[last].PlanNumber == e.PlanNumber {
			p.queue[last] = e
			return
		}
	}
	p.queue = append(p.queue, e)
}

// run shows events until ctx is done.
func (p *presenter) run(ctx context.Context) {
	for p.wake.Wait(ctx) {
		p.mu.Lock()
		events := p.queue
		p.queue = nil
		p.mu.Unlock()
		for _, e := range events {
			p.show(e)
		}
	}
}

// show shows one event to its session. What belongs to none is shown to all of the place.
func (p *presenter) show(e state.Event) {
	s := p.place.server
	s.mu.Lock()
	var to []*chatSession
	for _, n := range s.sessions {
		if n.place == p.place && (e.Conversation == n.id || e.Conversation == "" && e.Kind == state.Noticed) {
			to = append(to, n)
		}
	}
	var asking []*chatSession
	if e.Kind == state.PlanChanged { // a session may ask about a plan of another conversation
		for _, n := range s.sessions {
			if n.place == p.place {
				asking = append(asking, n)
			}
		}
	}
	s.mu.Unlock()
	for _, n := range to {
		n.show(e)
	}
	for _, n := range asking {
		n.planChanged(e.PlanNumber)
	}
}

// show shows an event of the session.
func (n *chatSession) show(e state.Event) {
	switch e.Kind {
	case state.TokenArrived:
		n.heard(e.Turn, e.Text)
	case state.ModelThinks:
		n.tell(acp.UpdateAgentThoughtText(edits.Visible(e.Text)))
	case state.Traced:
		if e.Step != nil {
			n.step(e.Turn, e.Step)
		}
	case state.OutsideWorks:
		if e.Step != nil {
			n.begin(e.Turn, e.Step.Name, edits.VisibleLine(phrase.Clip(e.Step.Summary, 200)), acp.ToolKindOther)
			n.end(e.Turn, e.Step.Name, "", acp.ToolCallStatusCompleted)
		}
	case state.ToolCalled:
		n.commandRuns(e)
	case state.CommandPrinted:
		n.commandPrints(e)
	case state.PlanChanged:
		n.entries(e.Plan)
	case state.Noticed:
		n.notice(strings.TrimSpace(phrase.OneSentence(e.Text + e.Error)))
	case state.LocationAsked:
		at := e.Path
		if e.Line > 0 {
			at = fmt.Sprintf("%s:%d", e.Path, e.Line)
		}
		n.say("See " + at)
	case state.TurnFinished:
		n.finished(e)
	}
}

// stream returns the answer of a turn so far.
func (n *chatSession) stream(turn string) *patch.Stream {
	if n.streams[turn] == nil {
		n.streams[turn] = &patch.Stream{}
	}
	return n.streams[turn]
}

// heard shows a piece of a model's reply.
func (n *chatSession) heard(turn, piece string) {
	if text, _ := n.stream(turn).Next(piece); text != "" {
		n.tell(acp.UpdateAgentMessageText(edits.Visible(text)))
	}
}

// step shows a step of a turn's trace.
func (n *chatSession) step(turn string, s *trace.Step) {
	switch s.Kind {
	case trace.Request:
		if stream := n.stream(turn); stream.Shown() != "" {
			stream.Forget()
			n.tell(acp.UpdateAgentMessageText("\n\n"))
		}
	case trace.Tool, trace.SpecialistTool:
		n.begin(turn, s.Name, trace.Doing(s.Name, s.Summary), kindOf(s.Name))
	case trace.ToolDone, trace.SpecialistToolDone:
		status := acp.ToolCallStatusCompleted
		if s.Error != "" {
			status = acp.ToolCallStatusFailed
		}
		n.end(turn, s.Name, edits.VisibleLine(s.Summary), status)
	}
}

// notice shows a message of Redline, or keeps it for the next prompt: clients show nothing outside of
// one.
func (n *chatSession) notice(text string) {
	n.mu.Lock()
	idle := n.running == nil
	if idle && len(n.held) < maxHeld {
		n.held = append(n.held, text)
	}
	n.mu.Unlock()
	if !idle {
		n.say(text)
	}
}

// maxHeld is how many notices wait for a prompt.
const maxHeld = 20

// entries shows the steps of a plan.
func (n *chatSession) entries(p *state.Plan) {
	if p == nil || len(p.Steps) == 0 {
		return
	}
	var all []acp.PlanEntry
	for _, s := range p.Steps {
		status := acp.PlanEntryStatusPending
		switch plan.StepStatus(s.Status) {
		case plan.StepCompleted, plan.StepFailed, plan.StepSkipped:
			status = acp.PlanEntryStatusCompleted
		case plan.StepInProgress:
			status = acp.PlanEntryStatusInProgress
		}
		all = append(all, acp.PlanEntry{Content: edits.Visible(s.Description), Priority: acp.PlanEntryPriorityMedium, Status: status})
	}
	n.tell(acp.UpdatePlan(all...))
}

// finished shows what is left of a turn's answer, and lets the prompt continue.
func (n *chatSession) finished(e state.Event) {
	stream := n.stream(e.Turn)
	rest, again := stream.Rest(e.Answer)
	if e.PlanNumber != 0 {
		rest = patch.WithoutEdits(rest) // its diffs are shown
	}
	if again || stream.Shown() != "" && strings.TrimSpace(rest) == "" {
		n.tell(acp.UpdateAgentMessageText("\n\n"))
	}
	n.say(rest)
	delete(n.streams, e.Turn)
	n.drop(e.Turn)
	if e.Error != "" {
		n.say(phrase.OneSentence(e.Error))
	}
	n.used(e.Usage)
	n.mu.Lock()
	p := n.running
	n.mu.Unlock()
	if p != nil {
		p.ended(e)
	}
}

// used tells how much of the model's context a turn has used.
func (n *chatSession) used(u *state.Usage) {
	if size := n.place.server.o.Context; u != nil && u.Prompt+u.Completion > 0 && size > 0 {
		n.tell(acp.SessionUpdate{UsageUpdate: &acp.SessionUsageUpdate{Size: size, Used: min(u.Prompt+u.Completion, size)}})
	}
}
