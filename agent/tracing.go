package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"redline/agent/model"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// tracing is the traces of this session's turns. Those of earlier sessions, and
// of other processes, are in the store.
type tracing struct {
	session string // what a trace's id begins with

	mu        sync.Mutex
	recorders []tracedTurn // newest last
}

type tracedTurn struct {
	turn     string
	recorder *trace.Recorder
}

// maxTraced is how many turns of a session have their trace in memory.
const maxTraced = 50

func newTracing() *tracing { return &tracing{session: newID("")} }

// of returns the recorder of a turn, nil for none.
func (t *tracing) of(turn string) *trace.Recorder {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.recorders) - 1; i >= 0; i-- {
		if t.recorders[i].turn == turn {
			return t.recorders[i].recorder
		}
	}
	return nil
}

// beginTrace has what is done under the turn's context recorded. What is
// recorded is an event too.
func (a *Agent) beginTrace(t *turn) {
	turn, conversation := t.id, t.conv.id
	r := trace.NewRecorder(trace.Trace{
		ID: a.tracing.session + "-" + t.id, Turn: t.id, Conversation: t.conv.id, Request: t.message.own(),
	}, a.now, func(s trace.Step) {
		if a.editor != nil {
			a.editor.Notify(Event{Kind: Traced, Turn: turn, Conversation: conversation, PlanNumber: s.Plan, Step: &s})
		}
	})
	a.tracing.mu.Lock()
	if len(a.tracing.recorders) >= maxTraced {
		a.tracing.recorders = a.tracing.recorders[1:]
	}
	a.tracing.recorders = append(a.tracing.recorders, tracedTurn{t.id, r})
	a.tracing.mu.Unlock()
	t.ctx = model.Observe(trace.With(t.ctx, r), observed(r))
}

// observed records the requests to models.
func observed(r *trace.Recorder) *model.Observer {
	return &model.Observer{
		Asked: func(name string, req model.Request) {
			size := 0
			for _, m := range req.Messages {
				size += len(m.Content)
			}
			r.Record(trace.Step{Kind: trace.Request, Name: name, Summary: fmt.Sprintf("%d messages, %d bytes, %d tools", len(req.Messages), size, len(req.Tools))})
		},
		Called: func(c model.Call) {
			r.Record(trace.Step{Kind: trace.Tool, Name: c.Name, Summary: callSummary(c)})
		},
		Answered: func(name string, reply model.Reply, took time.Duration, err error) {
			s := trace.Step{
				Kind: trace.Reply, Name: name, Summary: replySummary(reply), Took: took.Milliseconds(),
				Usage: &trace.Usage{Prompt: reply.Usage.Prompt, Completion: reply.Usage.Completion},
			}
			if err != nil {
				s.Error = phrase.SentenceOf(err)
			}
			r.Record(s)
		},
	}
}

// shownArguments are those that name what a call is about. The others may be
// whole texts, which are no part of a trace.
var shownArguments = []string{"command", "path", "new_path", "pattern", "glob", "url", "name"}

// callSummary is what a call is about, without any text of a file.
func callSummary(c model.Call) string {
	var arguments map[string]any
	if json.Unmarshal([]byte(c.Arguments), &arguments) != nil {
		return fmt.Sprintf("%d bytes that are not JSON", len(c.Arguments))
	}
	var parts []string
	for _, name := range shownArguments {
		if text, ok := arguments[name].(string); ok && text != "" {
			parts = append(parts, name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

func replySummary(r model.Reply) string {
	text := fmt.Sprintf("%d bytes of text", len(r.Text))
	switch n := len(r.Calls); {
	case n == 1:
		text += ", 1 call"
	case n > 1:
		text += fmt.Sprintf(", %d calls", n)
	}
	if r.Finish == "" {
		return text + ", broken off"
	}
	return text + ", ended by " + r.Finish
}

// traceEvent records what of an event belongs to a trace.
func (a *Agent) traceEvent(e Event) {
	if e.Turn == "" || e.Kind == TokenArrived || e.Kind == Traced {
		return
	}
	r := a.tracing.of(e.Turn)
	if r == nil {
		return
	}
	switch e.Kind {
	case Routed:
		r.Record(trace.Step{Kind: trace.Route, Route: e.Route, Summary: e.Summary})
	case ToolCalled:
		r.Record(trace.Step{Kind: trace.ToolDone, Name: e.Name, Summary: e.Summary})
	case HunkStaged:
		s := trace.Step{Kind: trace.Staged, Path: e.Path}
		if e.Path == "" {
			s.Summary = "to be run" // a command; the step before has it
		}
		r.Record(s)
	case PlanChanged:
		if e.Plan != nil && e.Plan.Revision != 0 {
			r.Record(trace.Step{Kind: trace.Revision, Plan: e.Plan.Plan, Revision: e.Plan.Revision})
		}
	case QuestionAsked:
		r.Record(trace.Step{Kind: trace.Question, Summary: e.Text, Detail: strings.Join(e.Options, "\n")})
	case Noticed:
		r.Record(trace.Step{Kind: trace.Notice, Summary: e.Text, Error: e.Error})
	case TurnFinished:
		if e.Error != "" {
			r.Record(trace.Step{Kind: trace.Error, Error: e.Error})
		}
		r.End(e.State, e.Answer, e.PlanNumber)
	}
}

// keepTrace stores the trace of a turn that has ended. A turn that did nothing
// to be looked at, as most slash commands, has none. A trace that cannot be
// stored is no failure of the turn.
func (a *Agent) keepTrace(turn string) {
	r := a.tracing.of(turn)
	if r == nil || r.Empty() {
		return
	}
	t := r.Trace()
	if err := contained(func() error { return a.store.SaveTrace(context.WithoutCancel(a.root), a.workspaceKey(), &t) }); err != nil {
		a.log.Warn("the trace of a turn could not be kept", errorField(err))
	}
}

// numberedTurn tells whether a word is the number of a plan.
func numberedTurn(word string) (plan int, ok bool) {
	plan, err := strconv.Atoi(word)
	return plan, err == nil
}
