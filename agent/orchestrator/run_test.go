package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/agent/turn"
	"redline/workspace"
)

// host is a turn in memory. Its prompts are their names.
type host struct {
	mu    sync.Mutex
	steps []trace.Step
	used  model.Usage
}

func (h *host) Prompt(name string) string { return "prompt " + name }
func (h *host) Spawn(f func())            { go f() }
func (h *host) Failed(error)              {}
func (h *host) Offered([]tool.Tool)       {}
func (h *host) Check(context.Context, *draft.Draft, []orchestrator.Failure) []orchestrator.Failure {
	return nil
}
func (h *host) Staged(d *draft.Draft) string  { return "(nothing)" }
func (h *host) Hooks(*draft.Draft) loop.Hooks { return loop.Hooks{Tool: func(name, summary string) {}} }
func (h *host) Messages(_ context.Context, system, about string) ([]model.Message, error) {
	return []model.Message{{Role: model.RoleSystem, Content: system}, {Role: model.RoleUser, Content: about}, {Role: model.RoleUser, Content: "the message"}}, nil
}
func (h *host) Charge(used model.Usage) { h.used = used }

func (h *host) Record(s trace.Step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = append(h.steps, s)
}

func (h *host) Replay() draft.Replay {
	return func(*draft.Draft, plan.Operation) ([]draft.Staged, error) { return nil, errors.New("not here") }
}

func (h *host) TakeOut(context.Context, *draft.Draft, []string) (*draft.Draft, error) {
	return nil, errors.New("not here")
}

// provider answers the planner and the specialists from separate lists of replies, each
// used once.
type provider struct {
	mu      sync.Mutex
	replies map[string][]model.Reply // by a part of the system prompt
}

func (p *provider) Info() model.Info { return model.Info{} }

func (p *provider) Complete(_ context.Context, r model.Request, _ func(model.Event)) (model.Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for part, replies := range p.replies {
		if strings.Contains(r.Messages[0].Content, part) && len(replies) > 0 {
			p.replies[part] = replies[1:]
			return replies[0], nil
		}
	}
	return model.Reply{}, &model.Error{}
}

const (
	planner = "prompt planner"
	code    = "You change source code"
	docs    = "You write documentation"
)

func says(text string) model.Reply {
	return model.Reply{Text: text, Usage: model.Usage{Prompt: 1, Completion: 1}}
}

func writes(path string) model.Reply {
	arguments, _ := json.Marshal(map[string]string{"path": path, "content": "text\n"})
	return model.Reply{Calls: []model.Call{{ID: "1", Name: "write_file", Arguments: string(arguments)}}, Usage: model.Usage{Prompt: 1, Completion: 1}}
}

func request(t *testing.T, p *provider) orchestrator.Request {
	t.Helper()
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: t.TempDir()}}, workspace.Options{})
	tools := turn.Tools(tool.All())
	registry, _ := turn.Folders{Workspace: ws}.Registry(tools)
	return orchestrator.Request{
		Text: "write both", Message: "write both", MayAsk: true, Registry: registry, Tools: tools, Model: p,
		Env: &tool.Env{Draft: draft.New(ws), Workspace: ws, Named: func(string) bool { return true }},
	}
}

func TestRun(t *testing.T) {
	h, p := &host{}, &provider{replies: map[string][]model.Reply{
		planner: {says(`{"priorityOrder":["code","docs"],"refinedTask":"Write both."}`)},
		code:    {writes("a.txt"), says("Wrote a.")},
		docs:    {writes("b.txt"), says("Wrote b.")},
	}}
	r := request(t, p)
	out, err := orchestrator.Run(t.Context(), h, r)
	if err != nil || out.Err != nil || out.Question != nil {
		t.Fatalf("%+v %v", out, err)
	}
	if out.Answer != "Wrote b." || len(out.Steps) != 2 || out.Summary.Route != "code, then docs" {
		t.Errorf("answer %q, steps %+v, summary %+v", out.Answer, out.Steps, out.Summary)
	}
	var staged []string
	for _, o := range r.Env.Draft.Operations() {
		staged = append(staged, o.Step+" "+o.Path)
	}
	if got := strings.Join(staged, ", "); got != "s1 a.txt, s2 b.txt" {
		t.Errorf("staged: %s", got)
	}
	if want := "Wrote b.\n\nSpecialists: code, then docs.\nTask: Write both."; out.Description(out.Answer) != want {
		t.Errorf("description: %q", out.Description(out.Answer))
	}
	if h.used.Prompt != 5 || len(h.steps) == 0 {
		t.Errorf("charged %+v, %d steps in the trace", h.used, len(h.steps))
	}
}

// A specialist's question ends the run. The same request continues from the parked state,
// even after it was stored.
func TestRunContinues(t *testing.T) {
	question := model.Call{ID: "1", Name: tool.AskUser, Arguments: `{"question":"Which one?"}`}
	p := &provider{replies: map[string][]model.Reply{
		planner: {says(`{"priorityOrder":["code","docs"],"refinedTask":"Write both."}`)},
		code:    {writes("a.txt"), says("Wrote a.")},
		docs:    {{Calls: []model.Call{question}}},
	}}
	r := request(t, p)
	out, err := orchestrator.Run(t.Context(), &host{}, r)
	if err != nil || out.Question == nil || !strings.Contains(out.Question.Text, "Which one?") {
		t.Fatalf("%+v %v", out, err)
	}
	stored, err := json.Marshal(out.Parked)
	if err != nil {
		t.Fatal(err)
	}
	r.Parked = new(orchestrator.Parked)
	if err := json.Unmarshal(stored, r.Parked); err != nil {
		t.Fatal(err)
	}
	r.Answer, r.Answers = "the second", "\n\nthe second"
	p.replies = map[string][]model.Reply{
		planner: {says(`{"priorityOrder":["docs"]}`)},
		docs:    {writes("b.txt"), says("Wrote b.")},
	}
	out, err = orchestrator.Run(t.Context(), &host{}, r)
	if err != nil || out.Err != nil || out.Question != nil {
		t.Fatalf("%+v %v", out, err)
	}
	var ids []string
	for _, s := range out.Steps {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); out.Answer != "Wrote b." || got != "s1 s2 s3" {
		t.Errorf("answer %q, steps %s", out.Answer, got)
	}
}

// A specialist that works alone works as the turn would without specialists: it gets the turn's own
// messages, stages in the turn's draft, and continues after a question without another request to
// the planner.
func TestOneIsEnough(t *testing.T) {
	ask := model.Call{ID: "2", Name: tool.AskUser, Arguments: `{"question":"Which one?"}`}
	asks := writes("a.txt")
	asks.Calls = append(asks.Calls, ask)
	p := &provider{replies: map[string][]model.Reply{
		planner:                             {says(`{"one":"code","instructions":{"code":"be short"}}`)},
		"prompt specialist-alone\n\nprompt": {asks},
	}}
	r := request(t, p)
	out, err := orchestrator.Run(t.Context(), &host{}, r)
	if err != nil || out.Question == nil || out.Question.Text != "Which one?" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := r.Env.Draft.Operations(); len(got) != 1 || got[0].Step != "s1" {
		t.Errorf("staged: %+v", got)
	}
	stored, err := json.Marshal(out.Parked)
	if err != nil {
		t.Fatal(err)
	}
	r.Parked, r.Answer, r.Answers = new(orchestrator.Parked), "the second", "\n\nthe second"
	if err := json.Unmarshal(stored, r.Parked); err != nil {
		t.Fatal(err)
	}
	p.replies = map[string][]model.Reply{code: {writes("b.txt"), says("Wrote both.")}}
	out, err = orchestrator.Run(t.Context(), &host{}, r)
	if err != nil || out.Err != nil || out.Question != nil || out.Answer != "Wrote both." || out.Summary.Route != "code" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := r.Env.Draft.Operations(); len(got) != 2 || got[1].Step != "s1" || len(out.Steps) != 1 || out.Steps[0].ID != "s1" {
		t.Errorf("staged: %+v, steps %+v", got, out.Steps)
	}
	if want := "Wrote both.\n\nSpecialists: code."; out.Description(out.Answer) != want {
		t.Errorf("description: %q", out.Description(out.Answer))
	}
}

// A specialist that worked alone and is gone when its question is answered leaves the rest to the
// planner.
func TestTheOneIsGone(t *testing.T) {
	p := &provider{replies: map[string][]model.Reply{
		planner: {says(`{"one":"code"}`)},
		code:    {{Calls: []model.Call{{ID: "1", Name: tool.AskUser, Arguments: `{"question":"Which one?"}`}}}},
	}}
	r := request(t, p)
	out, err := orchestrator.Run(t.Context(), &host{}, r)
	if err != nil || out.Question == nil {
		t.Fatalf("%+v %v", out, err)
	}
	r.Parked = out.Parked
	r.Parked.Plan.Work[0].Specialist = "gone"
	p.replies = map[string][]model.Reply{planner: {says(`{"one":"docs"}`)}, docs: {says("Done by docs.")}}
	if out, err = orchestrator.Run(t.Context(), &host{}, r); err != nil || out.Answer != "Done by docs." {
		t.Fatalf("%+v %v", out, err)
	}
}

// The planner asks several things at once and says what it has planned so far. The answer goes
// to it with that plan, also after it has asked once more; if it gives no other then, that plan is
// carried out.
func TestThePlannersQuestionsKeepItsPlan(t *testing.T) {
	p := &provider{replies: map[string][]model.Reply{
		planner: {says(`{"priorityOrder":["code","docs"],"refinedTask":"Write both.","questions":[{"question":"Which file?","options":["a","b"]},"Which language?"]}`)},
	}}
	r := request(t, p)
	out, err := orchestrator.Run(t.Context(), &host{}, r)
	if err != nil || out.Question == nil || out.Question.Text != "1. Which file?\n   - a\n   - b\n2. Which language?" || out.Question.Options != nil {
		t.Fatalf("%+v %v", out.Question, err)
	}
	for _, replies := range [][]model.Reply{
		{says(`{"question":"Really?"}`)},
		{says("I have said it."), says("No.")},
	} {
		stored, err := json.Marshal(out.Parked)
		if err != nil {
			t.Fatal(err)
		}
		r.Parked, r.Answer, r.Answers = new(orchestrator.Parked), "a, and German", "\n\na, and German"
		if err := json.Unmarshal(stored, r.Parked); err != nil {
			t.Fatal(err)
		}
		p.replies = map[string][]model.Reply{
			planner: replies,
			code:    {writes("a.txt"), says("Wrote a.")},
			docs:    {writes("b.txt"), says("Wrote b.")},
		}
		if out, err = orchestrator.Run(t.Context(), &host{}, r); err != nil || out.Err != nil {
			t.Fatalf("%+v %v", out, err)
		}
	}
	if out.Question != nil || out.Summary.Route != "code, then docs" || out.Summary.RefinedTask != "Write both." || out.Answer != "Wrote b." {
		t.Errorf("%+v %+v", out, out.Summary)
	}
}

// What cannot be asked is no question: the planner is asked for a plan.
func TestQuestionsThatCannotBeAsked(t *testing.T) {
	for name, object := range map[string]string{
		"too many": `{"questions":["1","2","3","4","5","6"]}`,
		"too long": `{"questions":["` + strings.Repeat("x", 3000) + `","y"]}`,
	} {
		p := &provider{replies: map[string][]model.Reply{
			planner: {says(object), says(`{"priorityOrder":["code","docs"]}`)},
			code:    {says("Nothing.")},
			docs:    {says("Nothing.")},
		}}
		out, err := orchestrator.Run(t.Context(), &host{}, request(t, p))
		if err != nil || out.Question != nil || out.Summary.Route != "code, then docs" {
			t.Errorf("%s: %+v %v", name, out, err)
		}
	}
}

// The planner is asked at most twice; then keyword rules choose.
func TestRunWithoutAPlan(t *testing.T) {
	h, p := &host{}, &provider{replies: map[string][]model.Reply{
		planner:                      {says("no"), says("no"), says("no")},
		"You do the task as a whole": {says("Nothing to do.")},
	}}
	r := request(t, p)
	r.Text = "what is it"
	out, err := orchestrator.Run(t.Context(), h, r)
	if err != nil || out.Err != nil || out.Summary.By != "rules" || out.Answer != "Nothing to do." {
		t.Fatalf("%+v %v", out, err)
	}
	if left := len(p.replies[planner]); left != 1 {
		t.Errorf("%d replies of the planner are left, want 1", left)
	}
}
