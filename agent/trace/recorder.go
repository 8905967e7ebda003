package trace

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Recorder records the trace of one turn. Its methods may be called from any goroutine,
// since several specialists may work at the same time.
type Recorder struct {
	now  func() time.Time
	tell func(Step)

	mu    sync.Mutex
	trace Trace
	bytes int
	ends  int // steps beyond the limits
}

// NewRecorder begins a trace. It calls tell, which may be nil, with every recorded step, in
// order; tell must not record a step.
func NewRecorder(t Trace, now func() time.Time, tell func(Step)) *Recorder {
	t.Began, t.State = now().UTC(), "running"
	t.Request = Line(t.Request, MaxSummary)
	return &Recorder{now: now, tell: tell, trace: t}
}

// Record adds a step to the trace with the current time, and shortens its texts. A full trace
// only accepts the steps about the end of a turn, and counts the others.
func (r *Recorder) Record(s Step) {
	s.Name, s.Summary, s.Error = Line(s.Name, MaxSummary), Line(s.Summary, MaxSummary), Line(s.Error, MaxSummary)
	s.Route = Line(s.Route, MaxSummary)
	s.Path, s.Detail = Line(s.Path, MaxSummary), block(s.Detail, MaxDetail)
	r.mu.Lock()
	defer r.mu.Unlock()
	s.At = r.now().UTC()
	if s.Kind == Revision && r.trace.hasRevision(s.Plan, s.Revision) {
		return
	}
	size := len(s.Name) + len(s.Route) + len(s.Summary) + len(s.Error) + len(s.Path) + len(s.Detail)
	if len(r.trace.Steps) >= MaxSteps || r.bytes+size > maxBytes {
		if r.ends == maxEnds || !slices.Contains([]Kind{Revision, Limit, Error, Reflection}, s.Kind) {
			r.trace.Left++
			return
		}
		r.ends++
	}
	r.bytes += size
	r.trace.Steps = append(r.trace.Steps, s)
	if r.tell != nil {
		r.tell(s)
	}
}

// hasRevision reports whether a revision is recorded already: there is an event for each
// change of a plan.
func (t *Trace) hasRevision(plan, revision int) bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool {
		return s.Kind == Revision && s.Plan == plan && s.Revision == revision
	})
}

// End sets how the turn ended. Steps can still be recorded after it.
func (r *Recorder) End(state, answer string, plan int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace.State, r.trace.Plan, r.trace.Ended = state, plan, r.now().UTC()
	r.trace.Answer = Line(answer, MaxSummary)
}

// Trace returns the trace so far.
func (r *Recorder) Trace() Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.trace
	t.Steps = append([]Step{}, t.Steps...)
	return t
}

// Empty reports whether nothing was recorded yet.
func (r *Recorder) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.trace.Steps) == 0 && r.trace.Left == 0
}

type recorderKey struct{}

// With returns a context for which [Record] adds steps to r. A context carries the recorder
// since a turn goes through packages that know nothing of turns.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Record adds a step to the trace of the turn that ctx belongs to, if there is one.
func Record(ctx context.Context, s Step) {
	if r, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		r.Record(s)
	}
}
