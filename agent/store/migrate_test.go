package store

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/edits"
)

// storeOfVersion returns a store whose database a program of that version has
// made, with the rows in testdata.
func storeOfVersion(t *testing.T, version int) *Store {
	t.Helper()
	scripts := migrations()
	rows, err := os.ReadFile(fmt.Sprintf("testdata/version%d.sql", version))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	db := raw(t, dir)
	for _, script := range scripts[:version] {
		exec(t, db, script)
	}
	exec(t, db, fmt.Sprintf(`PRAGMA application_id = 1380207694; PRAGMA user_version = %d`, version))
	exec(t, db, string(rows))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return storeIn(t, dir)
}

// TestDatabaseOfVersion1 reads rows as the first version wrote them. Rows that
// were written once are read by every later version: extend the program, not
// the file.
func TestDatabaseOfVersion1(t *testing.T) {
	s := storeOfVersion(t, 1)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_912_345, time.UTC)
	p := get(t, s, 3)
	checkHashes(t, p)
	code := 1
	same(t, p, &plan.Plan{
		Number: 3, ID: p.ID, Conversation: "c1", Goal: "tidy up", State: plan.Reviewing, Current: 1, Created: at, Updated: at.Add(time.Second),
		NextHunk: 1, NextOperation: 2, Version: 4,
		Progress: plan.Progress{
			Hunks:    map[string]plan.HunkMark{"h1": {Status: plan.HunkRejected, Reason: "no"}},
			Files:    map[string]plan.FileMark{"a": {Revision: 1, Status: plan.FileFailed, Move: plan.FileApplied, Reason: "full"}},
			Commands: map[string]plan.CommandMark{"o2": {Status: plan.CommandFailed, ExitCode: &code, Output: "x", Reason: "y"}},
		},
		Revisions: []plan.Revision{{
			Number: 1, Author: "model", Created: at, Description: "Do it", Hash: p.Revisions[0].Hash, Predicted: []string{"a"},
			Steps: []plan.Step{{ID: "s1", Description: "d", Rationale: "r", Risk: "k", DependsOn: []string{"s0"}}},
			Operations: []plan.Operation{
				{ID: "o1", Step: "s1", Tool: "edit_file", Args: []byte(`{"path":"a"}`), Path: "a"},
				{ID: "o2", Step: "s1", Tool: "run_command", Args: []byte(`{"command":"make"}`), Command: "make"},
			},
			Changes: []plan.Change{{
				Path: "a", NewPath: "b", Action: plan.Rename, Base: plan.BlobOf("1\n"), Proposed: plan.BlobOf("2\n"), BaseExists: true, Mode: 0o644,
				Hunks:      []plan.Hunk{{ID: "h1", Old: edits.Span{End: 2}, New: edits.Span{End: 2}, Added: 1, Removed: 1, Match: "exact"}},
				Operations: []string{"o1"},
			}},
		}},
	})
	decisions, err := s.Decisions(t.Context(), ws, 3)
	if err != nil {
		t.Fatal(err)
	}
	same(t, decisions, []plan.Decision{{
		Plan: 3, Revision: 1, Hash: p.Revisions[0].Hash, Verdict: plan.VerdictApprove, Path: "a", Hunks: []string{"h1"},
		Operation: "o1", Reason: "because", Who: "user", Client: "Helix", At: at,
	}})
	executions, err := s.Unfinished(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	same(t, executions, []Execution{{ID: 1, Plan: 3, Revision: 1, Verdict: plan.VerdictApprove, Paths: []string{"a"}, Process: 42, Started: at}})
	if text, err := s.Text(t.Context(), plan.BlobOf("1\n")); err != nil || text != "1\n" {
		t.Errorf("text %q, %v", text, err)
	}
}

func TestDatabaseOfVersion2(t *testing.T) {
	s := storeOfVersion(t, 2)
	p := get(t, s, 4)
	if r := p.Revisions[0]; p.Rating != 5 || r.Note != "back to revision 1" || r.Tokens != (plan.Tokens{Prompt: 120, Completion: 34}) {
		t.Errorf("rating %d, note %q, tokens %+v", p.Rating, r.Note, r.Tokens)
	}
	decisions, err := s.Decisions(t.Context(), ws, 4)
	if err != nil || len(decisions) != 1 {
		t.Fatalf("%+v, %v", decisions, err)
	}
	same(t, decisions[0].Stale, []string{"h2"})
}

func TestDatabaseOfVersion4(t *testing.T) {
	s := storeOfVersion(t, 4)
	decisions, err := s.Decisions(t.Context(), ws, 5)
	if err != nil || len(decisions) != 1 {
		t.Fatalf("%+v, %v", decisions, err)
	}
	same(t, decisions[0].Commands, []string{"o1"})
	executions, err := s.Unfinished(t.Context(), ws)
	if err != nil || len(executions) != 1 {
		t.Fatalf("%+v, %v", executions, err)
	}
	same(t, executions[0].Commands, []string{"o1"})
}

func TestDatabaseOfVersion9(t *testing.T) {
	s := storeOfVersion(t, 9)
	same(t, get(t, s, 6).Revisions[0].Unfinished, plan.Unfinished{
		Stopped: "Ended.", Refused: []plan.Refused{{Path: "c.go", Reason: "not there"}}, NotTaken: "Blocks.",
	})
}

func TestDatabaseOfVersion10(t *testing.T) {
	s := storeOfVersion(t, 10)
	p := get(t, s, 7)
	one := 1
	same(t, p.Trials, []plan.Trial{{
		ID: "t1", Command: "go test ./...", Revision: 1, Texts: []plan.TriedText{{Path: "a.go"}}, ExitCode: &one, Millis: 2300,
		Baseline: &plan.Baseline{ExitCode: new(int), Millis: 5}, Output: "FAIL", World: "overlay", At: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC),
	}})
	if got := p.AddTrial(plan.Trial{}).ID; got != "t2" {
		t.Errorf("the next trial is %s", got)
	}
	allowed, err := s.TrialFolders(t.Context())
	if err != nil || len(allowed) != 1 || allowed["/home/ada/project"] != (TrialFolder{Owner: 1000, Allowed: true}) {
		t.Errorf("%+v, %v", allowed, err)
	}
}

func TestDatabaseOfVersion11(t *testing.T) {
	s := storeOfVersion(t, 11)
	said, err := s.TrialFolders(t.Context())
	if err != nil || len(said) != 1 || said["/home/ada/other"] != (TrialFolder{Owner: 1000}) {
		t.Errorf("%+v, %v", said, err)
	}
	if err := s.SetTrialFolder(t.Context(), "/home/ada/other", TrialFolder{Owner: 1001, Allowed: true}); err != nil {
		t.Fatal(err)
	}
	said, err = s.TrialFolders(t.Context())
	if err != nil || len(said) != 1 || said["/home/ada/other"] != (TrialFolder{Owner: 1001, Allowed: true}) {
		t.Errorf("%+v, %v", said, err)
	}
}

func TestDatabaseOfVersion12(t *testing.T) {
	s := storeOfVersion(t, 12)
	choices, err := s.Choices(t.Context(), ws, "c1")
	if err != nil || choices != `{"agent":{"name":"plan"},"mode":"plan"}` {
		t.Errorf("%q, %v", choices, err)
	}
	for _, want := range []string{`{"mode":"ask"}`, ""} {
		if err := s.SaveChoices(t.Context(), ws, "c1", want, time.Now()); err != nil {
			t.Fatal(err)
		}
		if choices, err = s.Choices(t.Context(), ws, "c1"); err != nil || choices != want {
			t.Errorf("%q, %v", choices, err)
		}
	}
	if choices, err = s.Choices(t.Context(), ws, "c2"); err != nil || choices != "" {
		t.Errorf("a conversation without choices has %q, %v", choices, err)
	}
}

func TestDatabaseOfVersion13(t *testing.T) {
	if p := get(t, storeOfVersion(t, 13), 8); !p.Revisions[0].Report {
		t.Errorf("the plan is %+v", p)
	}
	if p := get(t, storeOfVersion(t, 10), 7); p.Revisions[0].Report {
		t.Errorf("a plan of version 10 asks for a report: %+v", p)
	}
	s := newStore(t)
	p, texts := sample(1)
	p.Revisions[0].Report = true
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, s, p.Number).Revisions, p.Revisions)
}

func TestDatabaseOfVersion14(t *testing.T) {
	s := storeOfVersion(t, 14)
	for _, c := range []struct {
		workspace, destination string
		first                  bool
	}{
		{"/home/ada/project", "https://api.anthropic.com/v1", false},
		{"/home/ada/project", "https://openrouter.ai/api/v1", true},
		{"/home/ada/project", "https://openrouter.ai/api/v1", false},
		{"/home/ada/other", "https://api.anthropic.com/v1", true},
	} {
		if first, err := s.FirstDestination(t.Context(), c.workspace, c.destination); err != nil || first != c.first {
			t.Errorf("%+v: first %v, %v", c, first, err)
		}
	}
}

func TestDatabaseOfVersion17(t *testing.T) {
	s := storeOfVersion(t, 17)
	const folder, agent, reach = "/home/ada/project", "mine", `{"program":"/usr/bin/agent"}`
	allowed := func(folder, agent, reach string, owner int) bool {
		t.Helper()
		ok, err := s.OutsideAllowed(t.Context(), folder, agent, reach, owner)
		if err != nil {
			t.Error(err)
		}
		return ok
	}
	if !allowed(folder, agent, reach, 1000) || allowed(folder, agent, reach, 1001) || allowed(folder, agent, "{}", 1000) ||
		allowed(folder, "other", reach, 1000) || allowed("/home/ada/other", agent, reach, 1000) {
		t.Error("an outside agent is allowed where it was not, or the other way")
	}
	if err := s.AllowOutside(t.Context(), folder, agent, reach, 1001); err != nil || !allowed(folder, agent, reach, 1001) || allowed(folder, agent, reach, 1000) {
		t.Errorf("the folder has another owner: %v", err)
	}
	if err := s.AllowOutside(t.Context(), folder, agent, "{}", 1001); err != nil {
		t.Error(err)
	}
	if err := s.AllowOutside(t.Context(), folder, "other", reach, 1001); err != nil {
		t.Error(err)
	}
	if err := s.ForbidOutside(t.Context(), folder, agent); err != nil || allowed(folder, agent, reach, 1001) || allowed(folder, agent, "{}", 1001) {
		t.Errorf("it is forbidden again, whatever it may reach: %v", err)
	}
	if !allowed(folder, "other", reach, 1001) {
		t.Error("another agent was forbidden too")
	}
}

// The part that a turn left undone is kept with its revision, and a revision of an earlier version
// has none.
func TestWhatWasLeftUndoneIsKept(t *testing.T) {
	s := newStore(t)
	p, texts := sample(1)
	p.Revisions[0].Unfinished = plan.Unfinished{Stopped: "Ended.", Refused: []plan.Refused{{Path: "c.go", Reason: "not there"}}}
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, s, p.Number).Revisions, p.Revisions)
	if before := get(t, storeOfVersion(t, 2), 4).Revisions[0].Unfinished; !before.None() {
		t.Errorf("a revision of version 2 has left undone: %+v", before)
	}
}

// Plans of before have ids of their own, which stay.
func TestDatabaseOfVersion19(t *testing.T) {
	if p := get(t, storeOfVersion(t, 19), 1); p.ID != "00112233445566778899aabbccddeeff" {
		t.Errorf("the plan has the id %q", p.ID)
	}
	ids := map[string]bool{}
	for range 2 {
		s := storeOfVersion(t, 18)
		id := get(t, s, 1).ID
		if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id) || ids[id] {
			t.Errorf("a plan of version 18 has the id %q; others have %v", id, ids)
		}
		ids[id] = true
		if again := get(t, storeIn(t, s.dir), 1).ID; again != id {
			t.Errorf("a plan has the id %s, and then %s", id, again)
		}
	}
}

// What came from elsewhere is kept with its plan; plans of before have nothing of the kind.
func TestDatabaseOfVersion20(t *testing.T) {
	const content = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	s := storeOfVersion(t, 20)
	p := get(t, s, 1)
	if p.Shared == nil || p.Shared.By != "Ada <ada@example.org>" || p.Shared.Comments != 2 || !slices.Equal(p.Shared.Revisions, []int{1}) || p.Revisions[0].Content != content {
		t.Errorf("the plan has %+v, and its revision the content %q", p.Shared, p.Revisions[0].Content)
	}
	if document, err := s.Document(t.Context(), ws, 1); err != nil || document != `{"format":"redline-plan"}` {
		t.Errorf("its document is %q: %v", document, err)
	}
	if list, err := s.Decisions(t.Context(), ws, 1); err != nil || len(list) != 1 || list[0].Way != "web" {
		t.Errorf("its decisions are %+v: %v", list, err)
	}
	if n, err := s.PlanWithID(t.Context(), ws, p.ID); err != nil || n != 1 {
		t.Errorf("the plan with its id is %d: %v", n, err)
	}
	before := storeOfVersion(t, 19)
	if p := get(t, before, 1); p.Shared != nil {
		t.Errorf("a plan of version 19 has %+v", p.Shared)
	}
	if document, err := before.Document(t.Context(), ws, 1); err != nil || document != "" {
		t.Errorf("a plan of version 19 has the document %q: %v", document, err)
	}
}

// An id that another plan of the workspace has is not given twice; in another workspace the same plan may be.
func TestIDsOfPlans(t *testing.T) {
	s := newStore(t)
	create := func(workspace, id string) string {
		p, texts := sample(1)
		p.ID = id
		if err := s.CreatePlan(t.Context(), workspace, p, texts); err != nil {
			t.Fatal(err)
		}
		stored, err := s.Plan(t.Context(), workspace, p.Number)
		if err != nil || stored.ID != p.ID || len(p.ID) != 32 {
			t.Fatalf("plan %d has the id %q in the store, and %q here: %v", p.Number, stored.ID, p.ID, err)
		}
		return p.ID
	}
	first := create(ws, "")
	if second := create(ws, first); second == first {
		t.Error("two plans of a workspace have one id")
	}
	if elsewhere := create("/elsewhere", first); elsewhere != first {
		t.Errorf("a plan of elsewhere has lost its id: %s, %s", first, elsewhere)
	}
}

// Every released version has its test.
func TestEveryVersionIsTested(t *testing.T) {
	scripts := migrations()
	for version := range len(scripts) {
		storeOfVersion(t, version+1)
	}
}

func TestLaterScriptsRunOnce(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	scripts := migrations()
	later := append(slices.Clone(scripts), `ALTER TABLE plans ADD COLUMN stars INTEGER NOT NULL DEFAULT 5`)
	db := raw(t, s.dir)
	for range 2 {
		if err := s.migrate(t.Context(), db, later); err != nil {
			t.Fatal(err)
		}
	}
	var version, stars int
	if err := db.QueryRow(`SELECT user_version, stars FROM pragma_user_version, plans`).Scan(&version, &stars); err != nil {
		t.Fatal(err)
	}
	if version != len(later) || stars != 5 {
		t.Errorf("version %d, column %d", version, stars)
	}
}

func TestScriptThatFailsChangesNothing(t *testing.T) {
	s := newStore(t)
	create(t, s, ws)
	scripts := migrations()
	broken := append(slices.Clone(scripts), `CREATE TABLE half (x); DROP TABLE nowhere`)
	if err := s.migrate(t.Context(), raw(t, s.dir), broken); err == nil {
		t.Fatal("no error")
	}
	again := storeIn(t, s.dir)
	get(t, again, 1)
	var tables int
	if err := raw(t, s.dir).QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name = 'half'`).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables, %v", tables, err)
	}
}
