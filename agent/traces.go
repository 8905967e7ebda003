package agent

import (
	"context"
	"slices"

	"redline/agent/store"
	"redline/agent/trace"
)

// tracePage is the page that OpenTrace writes, among Redline's own files.
const tracePage = "plans/trace.md"

// Traces returns what the agent did, oldest first. which is a plan's number, for
// all turns that made or changed it; a turn's id, as in "t3", for the newest turn
// of that name; the id of a trace, as in "0a1b2c3d-t3", for that one; or "" for
// the last turn. Turns of this session come before those that are stored. It is
// refused when there is none.
func (a *Agent) Traces(ctx context.Context, which string) ([]trace.Trace, error) {
	if n, ok := numberedTurn(which); ok {
		return a.tracesOfPlan(ctx, n)
	}
	if t, ok := a.tracing.find(which); ok {
		return []trace.Trace{t}, nil
	}
	f := store.TraceFilter{Turn: which, Limit: 1}
	if len(which) > len(a.tracing.session) && which[len(a.tracing.session)] == '-' {
		f = store.TraceFilter{ID: which, Limit: 1}
	}
	list, err := a.store.Traces(ctx, a.workspaceKey(), f)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 0:
		return list, nil
	case which == "":
		return nil, refuse(Invalid, "There is no trace yet: it is made by the next turn.")
	}
	return nil, refuse(Invalid, "There is no trace of %q: name a turn (t3), a trace (0a1b2c3d-t3) or a plan's number; only the newest are kept.", trace.Line(which, 40))
}

func (a *Agent) tracesOfPlan(ctx context.Context, n int) ([]trace.Trace, error) {
	list, err := a.store.Traces(ctx, a.workspaceKey(), store.TraceFilter{Plan: n})
	if err == nil && len(list) == 0 {
		return nil, refuse(NoSuchPlan, "There is no trace of plan %d: only the newest turns are kept, and an import has none.", n)
	}
	return list, err
}

// find returns the trace of a turn of this session: the last for "".
func (t *tracing) find(which string) (trace.Trace, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range slices.Backward(t.recorders) {
		if !r.recorder.Empty() && (which == "" || which == r.turn || which == t.session+"-"+r.turn) {
			return r.recorder.Trace(), true
		}
	}
	return trace.Trace{}, false
}

// OpenTrace writes the page of a trace, which is as in [Agent.Traces], and
// returns its workspace path. Of a plan it is the trace of the last turn.
func (a *Agent) OpenTrace(ctx context.Context, which string) (path string, err error) {
	list, err := a.Traces(ctx, which)
	if err != nil {
		return "", err
	}
	if _, _, err := a.ws.Own().Write(tracePage, []byte(list[len(list)-1].Page())); err != nil {
		return "", err
	}
	return a.ws.Own().Path(tracePage), nil
}
