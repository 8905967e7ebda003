// Package trace records what the agent did in a turn, step by step, for a user to read: the
// route of the turn, the requests to models, the calls of tools and their results. A trace
// is a plain value with short summaries; it never has the text of a file, a prompt or a key.
package trace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"redline/edits"
	"redline/internal/modeline"
	"redline/internal/phrase"
	"redline/workspace/secrets"
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
	Outside            Kind = "outside"          // the outside agent `name` does something in its copy, in one line
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

// Page returns a trace as a Markdown page. Each part of the turn is a section, so that editors
// fold and list them: the route, each request to a model with the calls that follow it, each
// revision, a question, the end. The texts of models and files are in code blocks, which nothing
// in them can end; headings contain only names. The first and the last five lines are the page's
// own, so that no text sets an option of an editor.
func (t *Trace) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWhat the agent did. Redline writes this page; a change here has no effect.\n\nThe request:\n\n%s\n",
		t.Heading(), indented(strings.TrimSpace(t.Request), "    "))
	for _, s := range t.sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title())
		for i := range s.steps {
			b.WriteString(t.stepLine(&s.steps[i], "    "))
		}
	}
	if t.Left > 0 {
		fmt.Fprintf(&b, "\n## Left out\n\n%d more, since a trace has at most %d steps.\n", t.Left, MaxSteps)
	}
	return b.String() + modeline.Foot("This is the end of the trace.", "Redline writes this page again whenever it shows a trace.")
}

// section is a part of a turn. Its first step is its subject.
type section struct {
	steps  []Step
	number int // of a request, from 1
}

// begins are the kinds of steps that begin a section. Other steps belong to the section before.
var begins = []Kind{
	Route, PlannerRequest, SpecialistRoute, SpecialistExpand, Specialist, Request, Question, Revision, Limit, Reflection, Error,
}

func (t *Trace) sections() []section {
	var list []section
	requests := 0
	for _, s := range t.Steps {
		if len(list) == 0 || slices.Contains(begins, s.Kind) {
			next := section{}
			if s.Kind == Request {
				requests++
				next.number = requests
			}
			list = append(list, next)
		}
		last := &list[len(list)-1]
		last.steps = append(last.steps, s)
	}
	return list
}

// title describes a section and its result in one line.
func (s *section) title() string {
	first := &s.steps[0]
	switch first.Kind {
	case Route:
		return "Route: " + span(cmp.Or(first.Route, first.Name))
	case Request:
		return s.request(first)
	case PlannerRequest:
		return "The planner is asked"
	case SpecialistRoute:
		return "Specialists"
	case SpecialistExpand, Specialist:
		return "Specialist " + span(first.Name)
	case Question:
		return "Question"
	case Revision:
		return fmt.Sprintf("Plan %d, revision %d", first.Plan, first.Revision)
	case Limit:
		return "A limit"
	case Reflection:
		return "Reflection"
	case Error:
		return "The turn has failed"
	}
	return "The turn begins"
}

// request returns the title of a request to a model: the model, the time that it took and what
// it called.
func (s *section) request(first *Step) string {
	parts := []string{fmt.Sprintf("Request %d: %s", s.number, span(first.Name))}
	var tools []string
	calls := map[string]int{}
	failed := false
	for i := range s.steps {
		switch step := &s.steps[i]; step.Kind {
		case Reply:
			for _, part := range []string{step.took(), step.usage()} {
				if part != "" {
					parts = append(parts, part)
				}
			}
			failed = failed || step.Error != ""
		case Tool, SpecialistTool:
			if calls[step.Name]++; calls[step.Name] == 1 {
				tools = append(tools, step.Name)
			}
		}
	}
	for i, name := range tools {
		tools[i] = span(name)
		if n := calls[name]; n > 1 {
			tools[i] += fmt.Sprintf(" ×%d", n)
		}
	}
	if tools != nil {
		parts = append(parts, strings.Join(tools, ", "))
	}
	if failed {
		parts = append(parts, "failed")
	}
	return strings.Join(parts, " · ")
}

// span formats a name as a code span, in which nothing is Markdown.
func span(name string) string {
	return "`" + strings.ReplaceAll(cmp.Or(name, "-"), "`", "'") + "`"
}

// stepLine formats a step with the time since the turn began: "    2.1 s  tool             read_file ·
// sum.go". by precedes each line.
func (t *Trace) stepLine(s *Step, by string) string {
	text := fmt.Sprintf("%s%9s  %s\n", by, duration(s.At.Sub(t.Began)), s.Line())
	if s.Detail != "" {
		text += indented(s.Detail, by+strings.Repeat(" ", 13)) + "\n"
	}
	return text
}

func duration(d time.Duration) string {
	if d = max(d, 0); d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func indented(text, by string) string {
	return by + strings.ReplaceAll(cmp.Or(text, "-"), "\n", "\n"+by)
}

// Heading returns one line on the turn of a trace and how it ended.
func (t *Trace) Heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Turn %s (%s), %s, %s", t.Turn, t.ID, t.Began.UTC().Format(time.DateTime+"Z"), t.State)
	if !t.Ended.IsZero() {
		fmt.Fprintf(&b, " after %s", duration(t.Ended.Sub(t.Began)))
	}
	if t.Plan != 0 {
		fmt.Fprintf(&b, ", plan %d", t.Plan)
	}
	return b.String()
}

// Text returns a trace for people: the heading, the request, then each step on a line of its
// own with the time since the turn began.
func (t *Trace) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", t.Heading(), t.Request)
	for i := range t.Steps {
		b.WriteString(t.stepLine(&t.Steps[i], ""))
	}
	if t.Left > 0 {
		fmt.Fprintf(&b, "%11sand %d more, since a trace has at most %d steps\n", "", t.Left, MaxSteps)
	}
	return b.String()
}

// Line returns a step as one line, without its time and detail.
func (s *Step) Line() string {
	parts := []string{fmt.Sprintf("%-16s", s.Kind)}
	for _, part := range []string{s.Name, s.Route, s.Summary, s.Path, s.revision(), s.usage(), s.took(), s.Error} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.TrimRight(parts[0]+" "+strings.Join(parts[1:], " · "), " ")
}

// Spent returns the tokens and the time of a step: "120 + 30 tokens, 2.1 s", "" for none.
func (s *Step) Spent() string {
	if s.usage() == "" || s.took() == "" {
		return s.usage() + s.took()
	}
	return s.usage() + ", " + s.took()
}

func (s *Step) revision() string {
	if s.Plan == 0 {
		return ""
	}
	return fmt.Sprintf("plan %d, revision %d", s.Plan, s.Revision)
}

func (s *Step) usage() string {
	if s.Usage == nil || *s.Usage == (Usage{}) {
		return ""
	}
	return fmt.Sprintf("%d + %d tokens", s.Usage.Prompt, s.Usage.Completion)
}

func (s *Step) took() string {
	if s.Took == 0 {
		return ""
	}
	return duration(time.Duration(s.Took) * time.Millisecond)
}

// Line formats text as one line of at most max bytes, without what looks like a secret and with
// invisible characters made visible.
func Line(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return phrase.ClipBytes(edits.Visible(secrets.Masked(text)), max)
}

// block does what [Line] does, for several lines.
func block(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))
	return phrase.ClipBytes(edits.Visible(secrets.Masked(text)), max)
}

// clip limits how much of a text is processed.
func clip(text string, max int) string {
	if len(text) > max {
		return text[:max]
	}
	return text
}
