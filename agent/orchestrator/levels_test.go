package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// registry returns the built-in specialists, with a few tools.
func registry(t *testing.T) *Registry {
	t.Helper()
	tools := []Tool{
		{Name: "read_file", Kind: Reads},
		{Name: "edit_file", Kind: Edits},
		{Name: "run_command", Kind: Runs},
	}
	r, notices := NewRegistry(tools, nil, nil)
	if len(notices) > 0 {
		t.Fatalf("notices: %q", notices)
	}
	return r
}

// fakeTeam is a team whose specialists take a second each and record what they do.
type fakeTeam struct {
	mu    sync.Mutex
	log   []string
	tasks map[string]string
	fail  map[string]State
	most  int // the most that worked at once
	now   int
}

func (m *fakeTeam) work(ctx context.Context, j Job) Result {
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

func (m *fakeTeam) run(ctx context.Context, r *Registry, p *Plan) string {
	m.tasks = map[string]string{}
	steps := make([]string, len(p.Work))
	for i := range steps {
		steps[i] = fmt.Sprintf("s%d", i+1)
	}
	results := team{
		spawn: func(f func()) { go f() }, work: m.work, steps: steps, diff: func() string { return "the diff" },
		join: func(level []Result) {
			var ids []string
			for _, r := range level {
				ids = append(ids, r.Specialist.ID)
			}
			m.log = append(m.log, strings.Join(ids, " "))
		},
	}.run(ctx, r, p)
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
		r, m, began := registry(t), &fakeTeam{}, time.Now()
		got := m.run(t.Context(), r, parsed(t, r, `["code",{"parallel":["docs","tests"]},"review"]`))
		if got != "s1 code done, s2 docs done, s3 tests done, s4 review done" || strings.Join(m.log, "|") != "code|docs tests|review" {
			t.Errorf("got %s, joined %q", got, m.log)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s: two do not work at the same time", took)
		}
		if task := m.tasks["tests"]; !strings.HasPrefix(task, "the task\n\n[Your part]\nonly one\n") || !strings.Contains(task, `"id": "X-1"`) || !strings.Contains(task, "- code: code did it") || strings.Contains(task, "docs did it") || !strings.HasSuffix(task, "]\nthe diff") {
			t.Errorf("tests was told:\n%s", task)
		}
		if task := m.tasks["review"]; !strings.Contains(task, "- code: code did it\n- docs: docs did it\n- tests: tests did it") {
			t.Errorf("review was told:\n%s", task)
		}
		if task := m.tasks["code"]; strings.Contains(task, "the diff") {
			t.Errorf("the request to code mentions earlier work:\n%s", task)
		}
	})
}

func TestRunIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m := registry(t), &fakeTeam{}
		m.run(t.Context(), r, parsed(t, r, `[{"parallel":["code","docs","tests","review","run","agents"]}]`))
		if m.most != maxParallel {
			t.Errorf("%d worked at the same time, want %d", m.most, maxParallel)
		}
	})
}

// A failure skips a step only if the step depends on nothing else.
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
			r, m := registry(t), &fakeTeam{fail: test.fail}
			if got := m.run(t.Context(), r, parsed(t, r, test.order)); got != test.want {
				t.Errorf("%s: got %s, want %s", test.order, got, test.want)
			}
		})
	}
}

// A turn that is cancelled in the middle of a level ends at once and leaves no goroutine:
// synctest would fail.
func TestRunCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, m, began := registry(t), &fakeTeam{}, time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, cancel)
		got := m.run(ctx, r, parsed(t, r, `[{"parallel":["code","docs","tests","run","agents"]},"review"]`))
		if got != "s1 code failed, s2 docs failed, s3 tests failed, s4 run failed, s5 agents skipped, s6 review skipped" {
			// any of the five may be the one that waited
			if strings.Count(got, "failed") != 4 || strings.Count(got, "skipped") != 2 {
				t.Errorf("got %s", got)
			}
		}
		if took := time.Since(began); took != time.Second/2 {
			t.Errorf("it took %s", took)
		}
	})
}
