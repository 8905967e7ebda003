package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/agent/plan"
)

const ws = "/home/ada/project"

// newStore returns a store in a new directory and closes it after the test.
func newStore(t testing.TB) *Store {
	t.Helper()
	return storeIn(t, filepath.Join(t.TempDir(), "state", "redline"))
}

func storeIn(t testing.TB, dir string) *Store {
	t.Helper()
	s := New(dir)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// now has nanoseconds, and is not in UTC.
var now = time.Date(2026, 1, 2, 3, 4, 5, 678_912_345, time.FixedZone("", 3600))

// sample returns a plan with one revision that changes n files in one place.
func sample(n int) (*plan.Plan, map[plan.Blob]string) {
	p := &plan.Plan{ID: "0123456789abcdef0123456789abcdef", Conversation: "c1", Goal: "tidy up", State: plan.AwaitingApproval, Created: now.UTC(), Updated: now.UTC()}
	r, texts := revision(n, "one")
	p.Add(r, func(b plan.Blob) string { return texts[b] })
	return p, texts
}

func revision(n int, word string) (plan.Revision, map[plan.Blob]string) {
	texts := map[plan.Blob]string{}
	r := plan.Revision{
		Author: plan.AuthorModel, Created: now.UTC(), Description: "Say it — in\x00 full", Predicted: []string{},
		Steps: []plan.Step{{ID: "s1", Description: "do it", Risk: "small", DependsOn: []string{"s0"}}},
	}
	for i := range n {
		base, proposed := fmt.Sprintf("file %d\na\r\nb\n", i), fmt.Sprintf("file %d\na\r\n%s\n", i, word)
		texts[plan.BlobOf(base)], texts[plan.BlobOf(proposed)] = base, proposed
		path := fmt.Sprintf("dir/file%d.txt", i)
		args, err := json.Marshal(map[string]any{"path": path, "old_string": "b", "new_string": word, "n": 1 << 60})
		if err != nil {
			panic(err)
		}
		id := fmt.Sprintf("o%d", i+1)
		r.Operations = append(r.Operations, plan.Operation{ID: id, Step: "s1", Tool: "edit_file", Args: args, Path: path})
		r.Changes = append(r.Changes, plan.Change{
			Path: path, Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed), BaseExists: true, Mode: 0o644,
			Hunks: plan.Hunks(plan.Update, base, proposed, nil), Operations: []string{id},
		})
	}
	return r, texts
}

func create(t testing.TB, s *Store, workspace string) *plan.Plan {
	t.Helper()
	p, texts := sample(1)
	if err := s.CreatePlan(t.Context(), workspace, p, texts); err != nil {
		t.Fatal(err)
	}
	return p
}

func get(t testing.TB, s *Store, number int) *plan.Plan {
	t.Helper()
	p, err := s.Plan(t.Context(), ws, number)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func same(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("not what was stored (-want +got):\n%s", diff)
	}
}

// checkHashes recomputes the hash of every revision.
func checkHashes(t testing.TB, p *plan.Plan) {
	t.Helper()
	for i := range p.Revisions {
		if got := plan.ApprovalHash(p.Number, &p.Revisions[i]); got != p.Revisions[i].Hash {
			t.Errorf("plan %d revision %d: what was read has the hash %s, stored is %s", p.Number, i+1, got, p.Revisions[i].Hash)
		}
	}
}

func TestNewTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := New(dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
	if _, err := s.Plans(t.Context(), ws, Filter{}); err == nil {
		t.Error("a closed store answers")
	}
}

func TestOnlyTheUserCanRead(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	info, err := os.Stat(s.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
	files, err := filepath.Glob(s.path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files: %v, %v; want the database and its log", files, err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestPlanComesBackAsItWas(t *testing.T) {
	s := newStore(t)
	p, texts := sample(3)
	p.Revisions[0].Operations[1].Args = nil
	p.Revisions[0].Operations[2] = plan.Operation{ID: "o3", Tool: "run_command", Command: "make <&>", Args: json.RawMessage(`{ "command": "make <&>" }`)}
	code := 2
	p.NextOperation = 3
	p.Progress.MarkHunk("h1", plan.HunkRejected, "not now")
	p.Progress.MarkFile(1, "dir/file1.txt", plan.FileFailed, "the disk is full")
	p.Progress.MarkCommand("o3", plan.CommandMark{Status: plan.CommandFailed, ExitCode: &code, Output: "no\n"})
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	if p.Number != 1 || p.Version != 1 {
		t.Errorf("number %d, version %d", p.Number, p.Version)
	}
	checkHashes(t, p)

	again := storeIn(t, s.dir)
	got := get(t, again, 1)
	checkHashes(t, got)
	argsAreEqual := cmp.Transformer("args", func(raw json.RawMessage) (v any) {
		if len(raw) > 0 && json.Unmarshal(raw, &v) != nil {
			v = string(raw)
		}
		return v
	})
	if diff := cmp.Diff(p, got, cmpopts.EquateEmpty(), argsAreEqual); diff != "" {
		t.Errorf("not what was stored (-want +got):\n%s", diff)
	}
	for blob, want := range texts {
		for range 2 { // from the database, then from memory
			if text, err := again.Text(t.Context(), blob); err != nil || text != want {
				t.Errorf("text %q, %v; want %q", text, err, want)
			}
		}
	}
}

func TestAnyTextIsKept(t *testing.T) {
	s := newStore(t)
	for i, text := range []string{"", "\x00", "\xff\xfe", "\r\n\r", "𝄞"} {
		p := &plan.Plan{State: plan.AwaitingApproval, Conversation: "c", Goal: text}
		p.Add(plan.Revision{
			Description: text,
			Changes:     []plan.Change{{Path: "f", Action: plan.Create, Base: plan.BlobOf(""), Proposed: plan.BlobOf(text)}},
		}, func(plan.Blob) string { return text })
		texts := map[plan.Blob]string{plan.BlobOf(""): "", plan.BlobOf(text): text}
		if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := get(t, s, i+1)
		checkHashes(t, got)
		same(t, got, p)
		if kept, err := s.Text(t.Context(), plan.BlobOf(text)); err != nil || kept != text {
			t.Errorf("got %q, %v; want %q", kept, err, text)
		}
	}
}

func TestNameThatIsNotUTF8IsRefused(t *testing.T) {
	s := newStore(t)
	p := &plan.Plan{State: plan.AwaitingApproval}
	p.Add(plan.Revision{Changes: []plan.Change{{Path: "a\xff", Action: plan.Delete, Base: plan.BlobOf(""), Proposed: plan.BlobOf("")}}},
		func(plan.Blob) string { return "" })
	if err := s.CreatePlan(t.Context(), ws, p, map[plan.Blob]string{plan.BlobOf(""): ""}); err == nil {
		t.Error("a name was stored that cannot be read back as it was")
	}
	none(t, s)
	if p.Number != 0 || p.Version != 0 {
		t.Errorf("the plan has number %d", p.Number)
	}
}

// none checks that nothing was kept of what failed.
func none(t *testing.T, s *Store) {
	t.Helper()
	if plans, err := s.Plans(t.Context(), ws, Filter{}); err != nil || len(plans) > 0 {
		t.Errorf("plans: %v, %v", plans, err)
	}
}

func TestRevisionNeedsItsTexts(t *testing.T) {
	s := newStore(t)
	p, texts := sample(1)
	missing := p.Revisions[0].Changes[0].Proposed
	text := texts[missing]
	delete(texts, missing)
	if err := s.CreatePlan(t.Context(), ws, p, texts); !errors.Is(err, ErrNoSuchText) {
		t.Errorf("without a text: %v", err)
	}
	texts[missing] = text + "!"
	if err := s.CreatePlan(t.Context(), ws, p, texts); err == nil {
		t.Error("with another text: no error")
	}
	none(t, s)
	texts[missing] = text
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	if err := s.CreatePlan(t.Context(), ws, p.Clone(), nil); err != nil {
		t.Errorf("with texts that are stored: %v", err)
	}
	if _, err := s.Text(t.Context(), plan.BlobOf("other")); !errors.Is(err, ErrNoSuchText) {
		t.Errorf("unknown text: %v", err)
	}
}

func TestRevisionsAreAdded(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	r, texts := revision(2, "two")
	known := func(b plan.Blob) string {
		text, err := s.Text(t.Context(), b)
		if err != nil {
			return texts[b]
		}
		return text
	}
	p.Add(r, known)
	p.State, p.Updated = plan.Reviewing, now.Add(time.Second).UTC()
	if err := s.AddRevision(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	if p.Version != 2 {
		t.Errorf("version %d", p.Version)
	}
	got := get(t, s, 1)
	checkHashes(t, got)
	same(t, got, p)
}

func TestDecisions(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	want := []plan.Decision{
		{Plan: 1, Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove, Path: "a", Hunks: []string{"h1", "h2"}, Who: "user", Client: "Neovim", At: now.UTC()},
		{Plan: 1, Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictReject, Operation: "o1", Reason: "später", Who: "rule x", At: now.UTC()},
	}
	for i := range want {
		p.State = []plan.State{plan.Executing, plan.Cancelled}[i]
		if err := s.Save(t.Context(), ws, p, &want[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Decisions(t.Context(), ws, 1)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	same(t, get(t, s, 1), p)

	unknown := want[0]
	unknown.Revision = 9
	version := p.Version
	p.State = plan.Failed
	if err := s.Save(t.Context(), ws, p, &unknown); err == nil {
		t.Error("a decision on a revision that is not there was stored")
	}
	if got := get(t, s, 1); got.State != plan.Cancelled || p.Version != version {
		t.Errorf("after it: state %s, version %d", got.State, p.Version)
	}
	if _, err := s.Decisions(t.Context(), ws, 2); !errors.Is(err, ErrNoSuchPlan) {
		t.Errorf("decisions of no plan: %v", err)
	}
}

func TestExecutions(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	d := &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove, Who: "user", At: now.UTC()}
	p.State = plan.Executing
	id, err := s.Begin(t.Context(), ws, p, d, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Execution{{ID: id, Plan: 1, Revision: 1, Verdict: plan.VerdictApprove, Paths: []string{"a", "b"}, Process: os.Getpid(), Started: now.UTC()}}
	unfinished := func(want []Execution) {
		t.Helper()
		got, err := storeIn(t, s.dir).Unfinished(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	}
	unfinished(want)
	if got := get(t, s, 1); got.State != plan.Executing {
		t.Errorf("state %s", got.State)
	}
	if err := s.Finish(t.Context(), ws, p, id, true); err != nil {
		t.Fatal(err)
	}
	unfinished(want)
	p.State, p.Updated = plan.Completed, now.Add(time.Minute).UTC()
	if err := s.Finish(t.Context(), ws, p, id, false); err != nil {
		t.Fatal(err)
	}
	unfinished(nil)
	var finished time.Time
	var outcome plan.State
	row := raw(t, s.dir).QueryRow(`SELECT finished, outcome FROM executions`)
	if err := row.Scan(asTime{&finished}, &outcome); err != nil || !finished.Equal(p.Updated) || outcome != plan.Completed {
		t.Errorf("the record says %s at %s, %v", outcome, finished, err)
	}
	if list, err := s.Decisions(t.Context(), ws, 1); err != nil || len(list) != 1 {
		t.Errorf("decisions: %v, %v", list, err)
	}
}

func TestPlansAreListedByWorkspace(t *testing.T) {
	s := newStore(t)
	for range 3 {
		create(t, s, ws)
	}
	other := create(t, s, ws+"2")
	if other.Number != 1 {
		t.Errorf("the other workspace begins with %d", other.Number)
	}
	closed := get(t, s, 2)
	closed.State = plan.Completed
	if err := s.Save(t.Context(), ws, closed, nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		f    Filter
		want []int
	}{
		{Filter{}, []int{3, 2, 1}},
		{Filter{Open: true}, []int{3, 1}},
		{Filter{Limit: 2}, []int{3, 2}},
		{Filter{Open: true, Limit: 1}, []int{3}},
	} {
		plans, err := s.Plans(t.Context(), ws, tt.f)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, p := range plans {
			got = append(got, p.Number)
			same(t, p, get(t, s, p.Number))
		}
		same(t, got, tt.want)
	}
	if _, err := s.Plan(t.Context(), ws+"2", 2); !errors.Is(err, ErrNoSuchPlan) {
		t.Errorf("plan 2 of the other workspace: %v", err)
	}
}

func TestContextThatIsDone(t *testing.T) {
	s := newStore(t)
	p, texts := sample(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.CreatePlan(ctx, ws, p, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
}

func TestTextCacheIsBounded(t *testing.T) {
	var c textCache
	for i := range 100 {
		text := fmt.Sprintf("%0*d", textCacheSize/10, i)
		c.put(plan.BlobOf(text), text)
		if c.size > textCacheSize || len(c.texts) != len(c.order) {
			t.Fatalf("%d bytes in %d texts, %d in order", c.size, len(c.texts), len(c.order))
		}
	}
	if len(c.texts) < 9 {
		t.Errorf("only %d texts are held", len(c.texts))
	}
	large := string(make([]byte, textCacheSize))
	c.put(plan.BlobOf(large), large)
	if _, ok := c.get(plan.BlobOf(large)); ok {
		t.Error("a text as large as the cache drove out the others")
	}
}
