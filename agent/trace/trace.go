// Package trace records what the agent did in a turn, step by step, for a user to read: the
// route of the turn, the requests to models, the calls of tools and their results. A trace
// is a plain value with short summaries; it never has the text of a file, a prompt or a key.
package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Kind says what happened in a step.
type Kind string

// The kinds of steps, in the order in which a turn usually has them. Only turns of
// specialists have those whose names begin with Planner and Specialist.
const (
	Route              Kind = "route"            // the route of the turn, and why
	PlannerRequest     Kind = "planner_request"  // the planner of specialists is asked
	PlannerResponse    Kind = "planner_response" // its answer, in `detail`
	SpecialistRoute    Kind = "heap_route"       // the order of the specialists, and the task
	SpecialistExpand   Kind = "heap_expand"      // a specialist that only delegates is replaced by `name`
	Specialist         Kind = "heap_specialist"  // the specialist `name` starts or ends
	SpecialistTool     Kind = "heap_tool"        // a specialist calls the tool `name`
	SpecialistToolDone Kind = "heap_tool_done"   // the result, in one line
	Request            Kind = "request"          // a request is sent to the model `name`, and its size
	Reply              Kind = "reply"            // the model's reply: its size, tokens and time, or the error
	Tool               Kind = "tool"             // the model calls the tool `name`, with the names in the call: paths, patterns, a command line
	ToolDone           Kind = "tool_done"        // the result, in one line
	Staged             Kind = "staged"           // an operation on the file `path` is staged
	Server             Kind = "server"           // the tool server `name` has started or ended
	Question           Kind = "question"         // the model asks the user a question
	Revision           Kind = "revision"         // a revision of the plan is made
	Limit              Kind = "limit"            // a limit ended the turn
	Notice             Kind = "notice"           // a message to the user
	Fallback           Kind = "fallback"         // a model failed and rules replaced it; `name` says for what: `planner`, `classification` or `prediction`
	Reflection         Kind = "reflection"       // the analysis that `redline run --reflect` asks for, in `detail`
	Error              Kind = "error"            // the turn failed
)

// The names of fallbacks.
const (
	ByKeywords = "planner"        // keywords chose the specialists
	ByRules    = "classification" // rules classified the message
	ByForm     = "prediction"     // words that look like paths became the files of a plan in words
)

// Step is one thing that happened. Fields that its kind does not use are empty.
type Step struct {
	Kind     Kind      `json:"kind"`               // what happened, see [traces](../records.md#traces)
	At       time.Time `json:"at"`                 // when it was recorded, in UTC (RFC 3339)
	Name     string    `json:"name,omitempty"`     // the name of the tool, the model, the tool server or the specialist
	Route    string    `json:"route,omitempty"`    // of the kind `route`: the route of the turn
	Summary  string    `json:"summary,omitempty"`  // one line, at most 300 bytes
	Detail   string    `json:"detail,omitempty"`   // several lines, at most 4096 bytes
	Path     string    `json:"path,omitempty"`     // the file, relative to the workspace's root
	Plan     int       `json:"plan,omitempty"`     // the number of the plan
	Revision int       `json:"revision,omitempty"` // the revision of that plan
	Usage    *Usage    `json:"usage,omitempty"`    // the tokens that it used
	Took     int64     `json:"tookMs,omitempty"`   // the duration in milliseconds, in the step that ends something
	Error    string    `json:"error,omitempty"`    // what went wrong, in one sentence
}

// UnmarshalJSON also reads the duration under its name of before, took_ms: stored traces have it.
func (s *Step) UnmarshalJSON(data []byte) error {
	type step Step
	if err := json.Unmarshal(data, (*step)(s)); err != nil || !bytes.Contains(data, []byte(`"took_ms"`)) {
		return err
	}
	before := struct {
		Took int64 `json:"took_ms"`
	}{s.Took}
	err := json.Unmarshal(data, &before)
	s.Took = before.Took
	return err
}

// Usage counts tokens, as the model's provider reported them.
type Usage struct {
	Prompt     int `json:"prompt"`     // tokens sent
	Completion int `json:"completion"` // tokens received
}

// Trace is what happened in one turn.
type Trace struct {
	ID           string    `json:"id"`               // unique among all sessions: the session's id, a dash, the turn's id
	Turn         string    `json:"turn"`             // the turn's id in its session: `t1`, `t2` …
	Conversation string    `json:"conversation"`     // the conversation of the turn
	Request      string    `json:"request"`          // the message, shortened to one line
	Plan         int       `json:"plan,omitempty"`   // the plan that it made or changed
	State        string    `json:"state"`            // `running`, `done`, `failed`, `cancelled` or `waiting`
	Began        time.Time `json:"began"`            // when it started, in UTC
	Ended        time.Time `json:"ended,omitzero"`   // when it ended, in UTC
	Answer       string    `json:"answer,omitempty"` // the answer, shortened to one line
	Steps        []Step    `json:"steps"`            // what happened, in order
	Left         int       `json:"left,omitempty"`   // how many steps are missing because the trace was full
}

// Limits of a trace.
const (
	MaxSteps   = 1000 // steps that say how a turn ended are kept beyond this limit
	MaxSummary = 300  // bytes
	MaxDetail  = 4 << 10
	maxBytes   = 256 << 10 // of all texts together
	maxEnds    = 50        // steps that are kept beyond the limits
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
