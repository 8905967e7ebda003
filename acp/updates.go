package acp

import (
	"context"
	"fmt"
	"maps"
	"reflect"
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

	showing sync.Mutex // held while an event is shown

	mu    sync.Mutex
	queue queue
	open  map[string]string // turns that have begun, and whose end is not shown yet: their conversations
}

func newPresenter(p *place) *presenter {
	return &presenter{place: p, wake: tasks.NewSignal(), open: map[string]string{}}
}

// unfinished returns the turns of the session that have begun and whose ends are not shown yet. They may
// not run any more.
func (p *presenter) unfinished(n *chatSession) (turns []string) {
	p.mu.Lock()
	open := maps.Clone(p.open)
	p.mu.Unlock()
	for turn, conversation := range open {
		if n.follows(conversation) {
			turns = append(turns, turn)
		}
	}
	return turns
}

// Notify implements [state.Editor]: it queues an event. It never blocks.
func (p *presenter) Notify(e state.Event) {
	p.mu.Lock()
	if e.Kind == state.TurnQueued || e.Kind == state.TurnStarted {
		p.open[e.Turn] = e.Conversation
	}
	p.queue.add(e)
	p.mu.Unlock()
	p.wake.Set()
}

// run shows events until ctx is done.
func (p *presenter) run(ctx context.Context) {
	for p.wake.Wait(ctx) {
		for p.next() {
		}
	}
}

// catchUp shows the events that wait now.
func (p *presenter) catchUp() {
	p.mu.Lock()
	waiting := len(p.queue.events)
	p.mu.Unlock()
	for range waiting {
		p.next()
	}
}

// next shows the next event, and reports whether there was one.
func (p *presenter) next() bool {
	p.showing.Lock()
	defer p.showing.Unlock()
	p.mu.Lock()
	e, ok := p.queue.take()
	p.mu.Unlock()
	if ok {
		p.show(e)
	}
	return ok
}

// show shows one event to its session. What belongs to none is shown to all of the place.
func (p *presenter) show(e state.Event) {
	for _, n := range p.place.sessions() {
		if n.follows(e.Conversation) || e.Conversation == "" && e.Kind == state.Noticed {
			n.show(e)
		}
		if e.Kind == state.PlanChanged {
			n.planChanged(e.PlanNumber)
		}
	}
	if e.Kind == state.TurnFinished {
		p.mu.Lock()
		delete(p.open, e.Turn)
		p.mu.Unlock()
	}
}

// sessions returns the open sessions of the place.
func (p *place) sessions() (all []*chatSession) {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	for _, n := range p.server.sessions {
		if n.place == p {
			all = append(all, n)
		}
	}
	return all
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

// answer is the answer of a turn so far.
type answer struct {
	patch.Stream
	spoke bool // something of it was shown
}

// answer returns the answer of a turn so far.
func (n *chatSession) answer(turn string) *answer {
	if n.answers[turn] == nil {
		n.answers[turn] = &answer{}
	}
	return n.answers[turn]
}

// heard shows a piece of a model's reply. Each reply is a paragraph of its own.
func (n *chatSession) heard(turn, piece string) {
	a := n.answer(turn)
	text, first := a.Next(piece)
	if text == "" {
		return
	}
	if first && a.spoke {
		text = "\n\n" + text
	}
	a.spoke = true
	n.tell(acp.UpdateAgentMessageText(edits.Visible(text)))
}

// step shows a step of a turn's trace.
func (n *chatSession) step(turn string, s *trace.Step) {
	switch s.Kind {
	case trace.Request:
		n.answer(turn).End()
	case trace.Tool, trace.SpecialistTool:
		n.begin(turn, s.Name, trace.Doing(s.Name, s.Summary), kindOf(s.Name))
	case trace.ToolDone, trace.SpecialistToolDone:
		n.answer(turn).End()
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
	if reflect.DeepEqual(all, n.steps) {
		return
	}
	n.steps = all
	n.tell(acp.UpdatePlan(all...))
}

// finished shows what is left of a turn's answer, and lets the prompt continue.
func (n *chatSession) finished(e state.Event) {
	said := n.answer(e.Turn)
	rest, again := said.Rest(e.Answer)
	if e.PlanNumber != 0 {
		rest = patch.WithoutEdits(rest) // its diffs are shown
	}
	if again || said.spoke && strings.TrimSpace(rest) == "" {
		n.tell(acp.UpdateAgentMessageText("\n\n"))
	}
	n.say(rest)
	delete(n.answers, e.Turn)
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
