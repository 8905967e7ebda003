// Package traces records what the turns of a session do, step by step, and finds the
// traces of earlier sessions in the store.

package conversation

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"go.uber.org/zap"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trace"
)

// TracePage is the file that [Traces.Open] writes, among Redline's own files.
const TracePage = "plans/trace.md"

// most is how many traces a session keeps in memory.
const most = 50

// Traces are the traces of a session's turns.
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
	if found, ok := t.find(which); ok {
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

// find returns a trace of this session by the id of its turn or its own, or the last one
// for "".
func (t *Traces) find(which string) (trace.Trace, bool) {
	return t.newest(func(r *trace.Trace) bool { return which == "" || which == r.Turn || which == r.ID })
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
