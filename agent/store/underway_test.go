package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestUnderway(t *testing.T) {
	dir := t.TempDir()
	died, lives := New(dir), New(dir)
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	begin := func(s *Store, workspace, request string) func() {
		t.Helper()
		end, err := s.Undertake(workspace, Underway{Began: began, Request: request})
		if err != nil {
			t.Fatal(err)
		}
		began = began.Add(time.Second)
		return end
	}
	endOne := begin(died, "/a", "one")
	endTwo := begin(lives, "/a", "two")
	begin(lives, "/b", "three")
	if cut := lives.CutOff("/a"); len(cut) != 0 {
		t.Fatalf("while they go on: %+v", cut)
	}
	endOne()
	endTwo()
	if cut := lives.CutOff("/a"); len(cut) != 0 {
		t.Fatalf("after they have ended: %+v", cut)
	}
	// The leftovers of a killed process: both files, and no owner of the lock.
	left := lives.underwayDir("/a")
	for name, text := range map[string]string{
		"1.lock": "", "1.json": `{"began":"2026-01-02T03:04:07Z","request":"later"}`,
		"2.lock": "", "2.json": `{"began":"2026-01-02T03:04:06Z","request":"earlier"}`,
		"3.lock": "", "3.json": `{"began`, // half of it was written
		"4.lock": "", // killed before it had said anything
	} {
		if err := os.WriteFile(filepath.Join(left, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cut := lives.CutOff("/a")
	if len(cut) != 2 || cut[0].Request != "earlier" || cut[1].Request != "later" {
		t.Errorf("cut off: %+v", cut)
	}
	if again := died.CutOff("/a"); len(again) != 0 {
		t.Errorf("told twice: %+v", again)
	}
	if files, _ := os.ReadDir(left); len(files) != 0 {
		t.Errorf("left over: %v", files)
	}
	if cut := died.CutOff("/b"); len(cut) != 0 {
		t.Errorf("of another workspace, and going on: %+v", cut)
	}
}
