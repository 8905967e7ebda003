package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"redline/agent/store"
)

// unsaved returns the other sessions' files, as a session sees them.
func unsaved(n *store.Session) []string {
	var files []string
	for _, u := range n.Others() {
		files = append(files, u.Files...)
	}
	slices.Sort(files)
	return files
}

func publish(t *testing.T, n *store.Session, files ...string) {
	t.Helper()
	if err := n.Publish("Helix", files); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsTellOneAnotherWhatIsUnsaved(t *testing.T) {
	dir := t.TempDir()
	mine, other := store.New(dir).NewSession(), store.New(dir).NewSession()
	defer other.Close()
	if publish(t, mine); len(unsaved(other)) != 0 {
		t.Error("nothing is unsaved, and something is said to be")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a session with nothing unsaved made %v", entries)
	}
	publish(t, mine, "/w/a.go", "/w/b.go")
	if got := other.Others(); len(got) != 1 || got[0].Client != "Helix" || got[0].Process != os.Getpid() || !got[0].Has("/w/b.go") || got[0].Has("/w/c.go") {
		t.Errorf("the other is told %+v", got)
	}
	if got := unsaved(mine); len(got) != 0 {
		t.Errorf("a session counts its own %q", got)
	}
	publish(t, mine, "/w/b.go")
	publish(t, other, "/w/c.go")
	if got, want := append(unsaved(other), unsaved(mine)...), []string{"/w/b.go", "/w/c.go"}; !slices.Equal(got, want) {
		t.Errorf("unsaved are %q, want %q", got, want)
	}
	publish(t, mine)
	if got := unsaved(other); len(got) != 0 {
		t.Errorf("what was saved is still unsaved: %q", got)
	}
	publish(t, mine, "/w/a.go")
	mine.Close()
	if got := unsaved(other); len(got) != 0 {
		t.Errorf("a session that has ended has %q unsaved", got)
	}
	publish(t, mine, "/w/a.go")
	if got := unsaved(other); len(got) != 0 {
		t.Errorf("a session that has ended speaks again: %q", got)
	}
}

// The files of a killed process no longer count, and are removed.
func TestADeadSessionIsSwept(t *testing.T) {
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	if err := os.Mkdir(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"dead.lock": "", "dead.json": `{"process":1,"files":["/w/a.go"]}`, "dead.tmp": "{", "note": "mine"} {
		if err := os.WriteFile(filepath.Join(sessions, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := store.New(dir).NewSession()
	if got := n.Others(); len(got) != 0 {
		t.Errorf("a dead session has unsaved %v", got)
	}
	if entries, _ := os.ReadDir(sessions); len(entries) != 1 || entries[0].Name() != "note" {
		t.Errorf("left are %v, want what is no session's", entries)
	}
}

func TestASessionThatCannotBeWrittenSaysSo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n := store.New(dir).NewSession()
	if err := n.Publish("", []string{"/w/a.go"}); err == nil {
		t.Error("nobody says that it was not published")
	}
	if got := n.Others(); got != nil {
		t.Errorf("others have %v", got)
	}
	n.Close()
}

// A reader, while others start, publish and end, sees each of them completely or not at all, and no
// session loses its file to one that removes old files.
func TestSessionsAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 20 {
				n := store.New(dir).NewSession()
				publish(t, n, "/w/a.go", "/w/b.go")
				for _, u := range n.Others() {
					if len(u.Files) != 2 {
						t.Errorf("half of a session was seen: %+v", u)
					}
				}
				n.Close()
			}
		})
	}
	work.Wait()
	if entries, _ := os.ReadDir(filepath.Join(dir, "sessions")); len(entries) != 0 {
		t.Errorf("left are %v", entries)
	}
}
