package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// TracePage is the file that [Traces.Open] writes, among Redline's own files.
const TracePage = "plans/trace.md"

// most is how many traces a session keeps in memory.
const most = 50

// Traces record what the turns of a session do, step by step, and find the traces of earlier
// sessions in the store.
type Traces struct {
	session *session.Session
	id      string // prefix of trace ids

	mu        sync.Mutex
	recorders []recorded // newest last
}

type recorded struct {
	turn     string
	recorder *trace.Recorder
}

// NewTraces returns the traces of a session, and records the session's events from then on. Call it
// before the first event.
func NewTraces(s *session.Session) *Traces {
	t := &Traces{session: s, id: session.NewID("")}
	s.Observe(t.record)
	return t
}

// Of returns the recorder of a turn, nil for none.
func (t *Traces) Of(turn string) *trace.Recorder {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range slices.Backward(t.recorders) {
		if r.turn == turn {
			return r.recorder
		}
	}
	return nil
}

// Begin begins the trace of a turn: it records the work that is done under the returned
// context. Each step is also sent as an event. request has the user's own words.
func (t *Traces) Begin(ctx context.Context, turn, conversation, request string) context.Context {
	r := trace.NewRecorder(trace.Trace{
		ID: t.id + "-" + turn, Turn: turn, Conversation: conversation, Request: request,
	}, t.session.Now, func(s trace.Step) {
		t.session.NotifyOnly(state.Event{Kind: state.Traced, Turn: turn, Conversation: conversation, PlanNumber: s.Plan, Step: &s})
	})
	t.mu.Lock()
	if len(t.recorders) >= most {
		t.recorders = t.recorders[1:]
	}
	t.recorders = append(t.recorders, recorded{turn, r})
	t.mu.Unlock()
	return model.Observe(trace.With(ctx, r), t.telling(turn, conversation, Observer(r)))
}

// Keep has the trace of a turn that has ended stored soon, unless the trace is empty, as that of
// most slash commands is. A trace that cannot be stored is logged and does not fail the
// turn.
func (t *Traces) Keep(turn string) {
	r := t.Of(turn)
	if r == nil || r.Empty() {
		return
	}
	s, made := t.session, r.Trace()
	if err := session.Contain(func() error { return s.Store.SaveTrace(s.Key(), &made) }); err != nil {
		s.Log.Warn("the trace of a turn could not be kept", zap.Error(err))
	}
	s.StoreSoon()
}

// List returns traces, oldest first. which is the number of a plan, for all turns that made
// or changed it; the id of a turn such as "t3", for the newest turn with that id; the id of
// a trace such as "0a1b2c3d-t3"; or "" for the last turn. List looks in this session first,
// then in the store. It returns a refusal if there is no such trace.
func (t *Traces) List(ctx context.Context, which string) ([]trace.Trace, error) {
	if n, err := strconv.Atoi(which); err == nil {
		return t.ofPlan(ctx, n)
	}
	if found, ok := t.newest(func(r *trace.Trace) bool { return which == "" || which == r.Turn || which == r.ID }); ok {
		return []trace.Trace{found}, nil
	}
	f := store.TraceFilter{Turn: which, Limit: 1}
	if len(which) > len(t.id) && which[len(t.id)] == '-' {
		f = store.TraceFilter{ID: which, Limit: 1}
	}
	list, err := t.session.Store.Traces(ctx, t.session.Key(), f)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 0:
		return list, nil
	case which == "":
		return nil, plan.Refuse(plan.Invalid, "There is no trace yet: the next turn makes one.")
	}
	return nil, plan.Refuse(plan.Invalid, "There is no trace of %q: name a turn (t3), a trace (0a1b2c3d-t3) or a plan's number; only the newest are kept.", trace.Line(which, 40))
}

// Last returns the trace of the last turn of a conversation. It returns a refusal if no turn of it
// has one.
func (t *Traces) Last(ctx context.Context, conversation string) (trace.Trace, error) {
	if found, ok := t.newest(func(r *trace.Trace) bool { return r.Conversation == conversation }); ok {
		return found, nil
	}
	list, err := t.session.Store.Traces(ctx, t.session.Key(), store.TraceFilter{Conversation: conversation, Limit: 1})
	if err == nil && len(list) == 0 {
		err = plan.Refuse(plan.Invalid, "No turn of this conversation has a trace yet: ask for something first.")
	}
	if err != nil {
		return trace.Trace{}, err
	}
	return list[0], nil
}

// Name returns the id of a turn's trace, "" if nothing is recorded of it.
func (t *Traces) Name(turn string) string {
	if r := t.Of(turn); r == nil || r.Empty() {
		return ""
	}
	return t.id + "-" + turn
}

func (t *Traces) ofPlan(ctx context.Context, n int) ([]trace.Trace, error) {
	list, err := t.session.Store.Traces(ctx, t.session.Key(), store.TraceFilter{Plan: n})
	if err == nil && len(list) == 0 {
		return nil, plan.Refuse(plan.NoSuchPlan, "There is no trace of plan %d: only the newest turns are kept, and an import has none.", n)
	}
	return list, err
}

// newest returns the newest trace of this session that fits and is not empty.
func (t *Traces) newest(fits func(*trace.Trace) bool) (trace.Trace, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range slices.Backward(t.recorders) {
		if r.recorder.Empty() {
			continue
		}
		if found := r.recorder.Trace(); fits(&found) {
			return found, true
		}
	}
	return trace.Trace{}, false
}

// Open writes the page of a trace and returns its workspace path. which is as in
// [Traces.List]; for a plan Open takes the trace of its last turn.
func (t *Traces) Open(ctx context.Context, which string) (path string, err error) {
	list, err := t.List(ctx, which)
	if err != nil {
		return "", err
	}
	return t.Write(&list[len(list)-1])
}

// Write writes the page of a trace and returns its workspace path.
func (t *Traces) Write(of *trace.Trace) (path string, err error) {
	own := t.session.Workspace.Own()
	if _, _, err := own.Write(TracePage, []byte(of.Page())); err != nil {
		return "", err
	}
	return own.Path(TracePage), nil
}

// Observer returns an observer that records the requests to models in a trace.
func Observer(r *trace.Recorder) *model.Observer {
	return &model.Observer{
		Asked: func(name string, req model.Request) {
			size := 0
			for _, m := range req.Messages {
				size += len(m.Content)
			}
			r.Record(trace.Step{Kind: trace.Request, Name: name, Summary: fmt.Sprintf("%d messages, %d bytes, %d tools", len(req.Messages), size, len(req.Tools))})
		},
		Called: func(c model.Call) {
			r.Record(trace.Step{Kind: trace.Tool, Name: c.Name, Summary: CallSummary(c)})
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

// shownArguments are the arguments that a trace shows, because they say what a call is about.
// Others may be whole texts, which a trace never contains.
var shownArguments = []string{"command", "path", "new_path", "pattern", "glob", "url", "name", "symbol", "new_name"}

// CallSummary describes a call in one line, without the text of a file.
func CallSummary(c model.Call) string {
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

// record records the part of an event that belongs to a trace.
func (t *Traces) record(e state.Event) {
	if e.Turn == "" || e.Kind == state.TokenArrived || e.Kind == state.Traced {
		return
	}
	r := t.Of(e.Turn)
	if r == nil {
		return
	}
	switch e.Kind {
	case state.Routed:
		r.Record(trace.Step{Kind: trace.Route, Route: e.Route, Summary: e.Summary})
	case state.ToolCalled:
		r.Record(trace.Step{Kind: trace.ToolDone, Name: e.Name, Summary: e.Summary})
	case state.OutsideWorks:
		if e.Step != nil {
			r.Record(*e.Step)
		}
	case state.HunkStaged:
		s := trace.Step{Kind: trace.Staged, Path: e.Path}
		if e.Path == "" {
			s.Summary = "to be run" // a command, which the previous step names
		}
		r.Record(s)
	case state.PlanChanged:
		if e.Plan != nil && e.Plan.Revision != 0 {
			r.Record(trace.Step{Kind: trace.Revision, Plan: e.Plan.Plan, Revision: e.Plan.Revision})
		}
	case state.QuestionAsked:
		r.Record(trace.Step{Kind: trace.Question, Summary: e.Text, Detail: strings.Join(e.Options, "\n")})
	case state.Noticed:
		r.Record(trace.Step{Kind: trace.Notice, Summary: e.Text, Error: e.Error})
	case state.TurnFinished:
		if e.Error != "" {
			r.Record(trace.Step{Kind: trace.Error, Error: e.Error})
		}
		r.End(e.State, e.Answer, e.PlanNumber)
	}
}

// telling returns an observer that does what o does, and sends an event when the turn's activity
// changes: it waits for the model, receives thoughts or an answer, works on a call, or waits to
// retry. These are not steps of the trace; their results are. Specialists of one turn ask
// concurrently, so a lock guards the last activity.
func (t *Traces) telling(turn, conversation string, o *model.Observer) *model.Observer {
	var mu sync.Mutex
	var told string // the last activity
	asking := 0     // requests without an answer
	sent := 0       // bytes of thoughts
	send := func(e state.Event) {
		e.Turn, e.Conversation = turn, conversation
		t.session.NotifyOnly(e)
	}
	news := func(e state.Event) bool {
		mu.Lock()
		defer mu.Unlock()
		now := e.Name + " " + e.Text
		same := now == told && e.Retry == 0
		told = now
		return !same
	}
	doing := func(name, text string) {
		if e := (state.Event{Kind: state.Doing, Name: name, Text: text}); news(e) {
			send(e)
		}
	}
	asks := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		asking += n
	}
	shown := func(thought string) string { // what several specialists think would be mixed up
		mu.Lock()
		defer mu.Unlock()
		room := state.MaxThought - sent
		sent += len(thought)
		if asking != 1 || room <= 0 {
			return ""
		}
		return phrase.StartBytes(thought, room)
	}
	return &model.Observer{
		Asked: func(name string, r model.Request) {
			asks(1)
			o.Asked(name, r)
			doing("model", "waiting for the model")
		},
		Called: o.Called,
		Begun:  func(c model.Call) { doing(c.Name, tool.Doing(c.Name, c.Arguments)) },
		Heard: func(e model.Event) {
			switch {
			case e.Call != nil:
				doing(e.Call.Name, tool.Doing(e.Call.Name, e.Call.Arguments))
			case e.Thought != "":
				doing("model", "the model is thinking")
				if text := shown(e.Thought); text != "" {
					send(state.Event{Kind: state.ModelThinks, Text: text})
				}
			case e.Text != "":
				doing("model", "the model is answering")
			}
		},
		Answered: func(name string, reply model.Reply, took time.Duration, err error) {
			asks(-1)
			o.Answered(name, reply, took, err)
		},
		Again: func(_ string, r model.Retry) {
			e := state.Event{Kind: state.Doing, Name: "retry", Text: r.Why, Wait: r.Wait.Milliseconds(), Retry: r.Number, GiveUp: r.Left.Milliseconds()}
			if news(e) {
				send(e)
			}
		},
	}
}
