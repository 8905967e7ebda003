package trace

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Recorder records the trace of one turn. Its methods may be called from any
// goroutine: specialists work side by side.
type Recorder struct {
	now  func() time.Time
	tell func(Step)

	mu    sync.Mutex
	trace Trace
	bytes int
	ends  int // steps beyond the limits
}

// NewRecorder begins a trace. tell, which may be nil, is called with every step
// that was recorded, in order; it must not record any.
func NewRecorder(t Trace, now func() time.Time, tell func(Step)) *Recorder {
	t.Began, t.State = now().UTC(), "running"
	t.Request = Line(t.Request, MaxSummary)
	return &Recorder{now: now, tell: tell, trace: t}
}

// Record puts a step into the trace, at the present time and in bounds. A trace
// that is full only takes the kinds that tell how a turn ended, and counts the
// others.
func (r *Recorder) Record(s Step) {
	s.Name, s.Summary, s.Error = Line(s.Name, MaxSummary), Line(s.Summary, MaxSummary), Line(s.Error, MaxSummary)
	s.Route = Line(s.Route, MaxSummary)
	s.Path, s.Detail = Line(s.Path, MaxSummary), block(s.Detail, MaxDetail)
	r.mu.Lock()
	defer r.mu.Unlock()
	s.At = r.now().UTC()
	if s.Kind == Revision && r.repeated(s) {
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

// repeated tells whether a revision is recorded already: a plan is told of each
// time that something about it changes. The caller holds r.mu.
func (r *Recorder) repeated(s Step) bool {
	return slices.ContainsFunc(r.trace.Steps, func(old Step) bool {
		return old.Kind == Revision && old.Plan == s.Plan && old.Revision == s.Revision
	})
}

// End closes the trace with how the turn ended. What is recorded later is still
// taken.
func (r *Recorder) End(state, answer string, plan int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace.State, r.trace.Plan, r.trace.Ended = state, plan, r.now().UTC()
	r.trace.Answer = Line(answer, MaxSummary)
}

// Trace returns what was recorded until now.
func (r *Recorder) Trace() Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.trace
	t.Steps = append([]Step{}, t.Steps...)
	return t
}

// Empty tells whether nothing was recorded yet.
func (r *Recorder) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.trace.Steps) == 0 && r.trace.Left == 0
}

type recorderKey struct{}

// With returns a context whose steps go to r. A trace follows a turn through
// every package that works on it, also those that know nothing of turns; that is
// what a context's value is for.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Record puts a step into the trace of the turn that ctx belongs to. Without one
// it does nothing.
func Record(ctx context.Context, s Step) {
	if r, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		r.Record(s)
	}
}
