package specialists

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent/model"
)

// team returns a team whose specialists take a second each and record what they do.
type team struct {
	mu    sync.Mutex
	log   []string
	tasks map[string]string
	fail  map[string]State
	most  int // that worked at the same time
	now   int
}

func (m *team) work(ctx context.Context, j Job) Result {
	m.mu.Lock()
	m.now++
	m.most = max(m.most, m.now)
	m.tasks[j.Specialist.ID] = j.Task
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.now--
		m.mu.Unlock()
	}()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return Result{Job: j, State: Failed, Err: ctx.Err()}
	}
	if state := m.fail[j.Specialist.ID]; state != "" {
		return Result{Job: j, State: state, Reason: "It broke.", Err: errors.New("it broke")}
	}
	return Result{Job: j, State: Done, Summary: j.Specialist.ID + " did it"}
}

func (m *team) run(ctx context.Context, r *Registry, p *Plan) string {
	m.tasks = map[string]string{}
	steps := make([]string, len(p.Work))
	for i := range steps {
		steps[i] = fmt.Sprintf("s%d", i+1)
	}
	results := Run(ctx, r, p, Team{
		Spawn: func(f func()) { go f() }, Work: m.work, Steps: steps,
		Join: func(level []Result) {
			var ids []string
			for _, r := range level {
				ids = append(ids, r.Specialist.ID)
			}
			m.log = append(m.log, strings.Join(ids, " "))
		},
	})
	var out []string
	for _, r := range results {
		out = append(out, fmt.Sprintf("%s %s %s", r.Step, r.Specialist.ID, r.State))
	}
	return strings.Join(out, ", ")
}

func parsed(t *testing.T, r *Registry, order string) *Plan {
	t.Helper()
	p, err := ParsePlan(`{"priorityOrder":`+order+`,"refinedTask":"the task","instructions":{"tests":"only one"},"extractedContext":{"id":"X-1"}}`, r, 15)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRunLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m, began := registry(t), &team{}, time.Now()
		got := m.run(t.Context(), r, parsed(t, r, `["code",{"parallel":["docs","tests"]},"review"]`))
		if got != "s1 code done, s2 docs done, s3 tests done, s4 review done" || strings.Join(m.log, "|") != "code|docs tests|review" {
			t.Errorf("got %s, joined %q", got, m.log)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s: two do not work at the same time", took)
		}
		if task := m.tasks["tests"]; !strings.HasPrefix(task, "the task\n\n[Your part]\nonly one\n") || !strings.Contains(task, `"id": "X-1"`) || !strings.Contains(task, "- code: code did it") || strings.Contains(task, "docs did it") {
			t.Errorf("tests was told:\n%s", task)
		}
		if task := m.tasks["review"]; !strings.Contains(task, "- code: code did it\n- docs: docs did it\n- tests: tests did it") {
			t.Errorf("review was told:\n%s", task)
		}
	})
}

func TestRunIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := registry(t), &team{}
		m.run(t.Context(), r, parsed(t, r, `[{"parallel":["code","docs","tests","review","run","agents"]}]`))
		if m.most != maxParallel {
			t.Errorf("%d worked at the same time, want %d", m.most, maxParallel)
		}
	})
}

// A failure skips only what depends on it alone.
func TestRunFailures(t *testing.T) {
	for _, test := range []struct {
		order string
		fail  map[string]State
		want  string
	}{
		{`["code","tests","review"]`, map[string]State{"code": Failed}, "s1 code failed, s2 tests skipped, s3 review skipped"},
		{`[{"parallel":["code","docs"]},"review"]`, map[string]State{"code": Failed}, "s1 code failed, s2 docs done, s3 review done"},
		{`[{"specialist":"code","after":[]},{"specialist":"docs","after":[]},{"specialist":"tests","after":["code"]},{"specialist":"review","after":["docs"]}]`,
			map[string]State{"code": Failed}, "s1 code failed, s2 docs done, s3 tests skipped, s4 review done"},
		{`["code",{"parallel":["docs","tests"]}]`, map[string]State{"code": Stopped}, "s1 code stopped, s2 docs skipped, s3 tests skipped"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, m := registry(t), &team{fail: test.fail}
			if got := m.run(t.Context(), r, parsed(t, r, test.order)); got != test.want {
				t.Errorf("%s: got %s, want %s", test.order, got, test.want)
			}
		})
	}
}

// A turn that is cancelled in the middle of a level ends at once, and leaves no
// goroutine (synctest would say so).
func TestRunCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m, began := registry(t), &team{}, time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, cancel)
		got := m.run(ctx, r, parsed(t, r, `[{"parallel":["code","docs","tests","run","agents"]},"review"]`))
		if got != "s1 code failed, s2 docs failed, s3 tests failed, s4 run failed, s5 agents skipped, s6 review skipped" {
			// which of the five waited is not said
			if strings.Count(got, "failed") != 4 || strings.Count(got, "skipped") != 2 {
				t.Errorf("got %s", got)
			}
		}
		if took := time.Since(began); took != time.Second/2 {
			t.Errorf("it took %s", took)
		}
	})
}

// provider is a model that says how much it has used.
type provider struct {
	model.Provider
	asked []model.Request
}

func (p *provider) Complete(_ context.Context, req model.Request, _ func(model.Event)) (model.Reply, error) {
	p.asked = append(p.asked, req)
	return model.Reply{Text: "x", Calls: []model.Call{{Name: "read_file"}}, Usage: model.Usage{Prompt: 10, Completion: 5}}, nil
}

func TestBudget(t *testing.T) {
	inner := &provider{}
	hot := 0.9
	var calls []string
	b := NewBudget(3, 0)
	one := b.Provider(inner, &Specialist{Model: "big", Temperature: &hot}, func(c model.Call) { calls = append(calls, c.Name) })
	two := b.Provider(inner, nil, nil)
	for i, p := range []model.Provider{one, two, one} {
		if _, err := p.Complete(t.Context(), model.Request{}, nil); err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	var limit *LimitError
	if _, err := two.Complete(t.Context(), model.Request{}, nil); !errors.As(err, &limit) || !strings.Contains(limit.Reason, "after 3 requests") {
		t.Errorf("the fourth request: %v", err)
	}
	if inner.asked[0].Model != "big" || *inner.asked[0].Temperature != hot || inner.asked[1].Model != "" || len(calls) != 2 {
		t.Errorf("asked %+v, told of %q", inner.asked, calls)
	}
	if b.Used() != (model.Usage{Prompt: 30, Completion: 15}) {
		t.Errorf("used %+v", b.Used())
	}
	b = NewBudget(0, 20)
	for i := range 3 {
		_, err := b.Provider(inner, nil, nil).Complete(t.Context(), model.Request{}, nil)
		if (err != nil) != (i == 2) {
			t.Errorf("request %d of a budget of 20 tokens: %v", i+1, err)
		}
	}
}
