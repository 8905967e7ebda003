package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inMemory returns a store that falls back to memory, and its messages.
func inMemory(t *testing.T, dir string) (s *Store, told *[]string) {
	t.Helper()
	s, told = storeIn(t, dir), new([]string)
	s.InMemory(func(text string) { *told = append(*told, text) })
	return s, told
}

func TestADirectoryThatCannotBeMadeIsReplacedByMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "redline")
	s, told := inMemory(t, dir)
	l := &life{s: s}
	for i := range lifeSteps {
		if err := l.step(t, i); err != nil {
			t.Fatalf("%s: %v", lifeSteps[i], err)
		}
	}
	if got := get(t, s, 1); got.Version != 5 || s.Kept() {
		t.Errorf("version %d, kept %t", got.Version, s.Kept())
	}
	want := "The plans, the decisions and the audit log of this session are not kept: " + dir + " cannot be written (not a directory). Repair that, or name another directory with REDLINE_STATE_DIR."
	if len(*told) != 1 || (*told)[0] != want {
		t.Errorf("the user is told %q, want %q", *told, want)
	}
	if err := os.Remove(file); err != nil { // repaired: the next session keeps its plans
		t.Fatal(err)
	}
	next, told := inMemory(t, dir)
	create(t, next, ws)
	create(t, s, ws) // which is no record of the log on the disk
	whole(t, next, 1)
	if !next.Kept() || len(*told) != 0 {
		t.Errorf("kept %t, told %q", next.Kept(), *told)
	}
}

// A damaged database stays unchanged, and a session works without it.
func TestADamagedDatabaseIsReplacedByMemory(t *testing.T) {
	dir := t.TempDir()
	content := []byte(strings.Repeat("no database ", 1000))
	if err := os.WriteFile(filepath.Join(dir, FileName), content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, told := inMemory(t, dir)
	l := &life{s: s}
	for i := range lifeSteps {
		if err := l.step(t, i); err != nil {
			t.Fatalf("%s: %v", lifeSteps[i], err)
		}
		if begun := lifeSteps[i] == "begin"; begun != s.Alive(l.execution) {
			t.Errorf("after %s the execution is alive: %t", lifeSteps[i], !begun)
		}
	}
	want := "The plans, the decisions and the audit log of this session are not kept, and the plans of earlier sessions cannot be seen: " +
		"the plan database " + s.path + " is damaged (file is not a database) and was left as it is: " +
		"restore it from a copy, or move it, its -wal file and audit.head away to begin a new one."
	if len(*told) != 1 || (*told)[0] != want || s.Kept() {
		t.Errorf("the user is told %q, want %q", *told, want)
	}
	unchanged(t, s.path, content)
	for _, name := range []string{HeadName, "executions"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// A session that has to work in memory knows all that the database has, such as where the user
// lets commands be tried.
func TestTheCopyInMemoryHasEachTable(t *testing.T) {
	s := newStore(t)
	if err := s.SetTrialFolder(t.Context(), "/home/ada/project", TrialFolder{Owner: 1000}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.FirstDestination(t.Context(), ws, "https://models.example"); err != nil {
		t.Fatal(err)
	}
	s.SaveReuse(ws, Reuse{Key: "k", Record: "{}"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, copied, err := New(s.dir).openInMemory(t.Context(), ErrUnwritable)
	if err != nil || !copied {
		t.Fatalf("copied %t, %v", copied, err)
	}
	defer db.Close()
	for _, table := range []string{"trial_folders", "destinations", "reuse"} {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil || n != 1 {
			t.Errorf("%s has %d rows, %v", table, n, err)
		}
	}
}
