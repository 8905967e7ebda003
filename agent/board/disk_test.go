package board_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// watch follows the disk in the background until the test ends.
func (s *session) watch() {
	s.t.Helper()
	done := make(chan struct{})
	go func() { s.Board.Follower.Watch(s.t.Context(), time.Millisecond); close(done) }()
	s.t.Cleanup(func() { <-done })
}

// lastTold returns a file of a plan as the last event has it.
func (s *session) lastTold(n, file int) (told state.File) {
	for _, e := range s.Editor.Events(state.PlanChanged) {
		if e.PlanNumber == n && file < len(e.Plan.Files) {
			told = e.Plan.Files[file]
		}
	}
	return told
}

// awaitTold waits until an event has a file with the status for the reason.
func (s *session) awaitTold(n, file int, status, reason string) {
	s.t.Helper()
	s.Until(fmt.Sprintf("the file is %s (%s)", status, reason), func() bool {
		told := s.lastTold(n, file)
		return told.Status == status && told.Reason == reason
	})
}

func (s *session) path(name string) string { return filepath.Join(s.Dir, filepath.FromSlash(name)) }

func TestWhatHappensOnDiskIsNoticed(t *testing.T) {
	begin := func(t *testing.T) *session {
		s := newSession(t, map[string]string{"src/shop.go": shop, "doc/x": ""})
		s.Plan("tax", edit("src/shop.go", "a / 5", "a / 4"))
		s.watch()
		return s
	}
	const gone = "the file is gone"
	t.Run("changed", func(t *testing.T) {
		s := begin(t)
		s.Write("src/shop.go", "// One line more.\n"+shop)
		for ctx := s.Context(); s.lastTold(1, 0).Line(0) != 7; {
			if ctx.Err() != nil {
				t.Fatalf("the hunk is at %+v", s.lastTold(1, 0))
			}
		}
		s.Write("src/shop.go", "package shop\n")
		s.awaitTold(1, 0, "stale", "its lines were changed since it was proposed")
		s.Write("src/shop.go", shop)
		s.awaitTold(1, 0, "pending", "")
	})
	t.Run("changed by hand to what is proposed", func(t *testing.T) {
		s := begin(t)
		s.Write("src/shop.go", strings.Replace(shop, "a / 5", "a / 4", 1))
		s.awaitTold(1, 0, "applied", "the text has this change already")
	})
	t.Run("deleted and restored", func(t *testing.T) {
		s := begin(t)
		s.Must(os.Remove(s.path("src/shop.go")))
		s.awaitTold(1, 0, "stale", gone)
		s.Write("src/shop.go", shop)
		s.awaitTold(1, 0, "pending", "")
		s.MustApprove(view.Request{Plan: 1})
	})
	t.Run("renamed", func(t *testing.T) {
		s := begin(t)
		s.Must(os.Rename(s.path("src/shop.go"), s.path("src/store.go")))
		s.awaitTold(1, 0, "stale", gone+"; it seems to be src/store.go now")
		s.Must(os.Rename(s.path("src/store.go"), s.path("doc/store.go")))
		s.awaitTold(1, 0, "stale", gone+"; it seems to be doc/store.go now")
		_, err := s.Approve(s.Context(), view.Request{Plan: 1})
		s.WantRefused(err, plan.Stale)
		s.Must(os.Rename(s.path("doc/store.go"), s.path("src/shop.go")))
		s.awaitTold(1, 0, "pending", "")
	})
	t.Run("its folder deleted, said by the editor", func(t *testing.T) {
		s := newSession(t, map[string]string{"src/shop.go": shop})
		s.Plan("tax", edit("src/shop.go", "a / 5", "a / 4"))
		s.Must(os.RemoveAll(s.path("src")))
		s.Board.Disk.Changed([]string{"doc", "sr"})
		s.Board.Disk.Changed([]string{"src"})
		s.awaitTold(1, 0, "stale", gone)
	})
	t.Run("something in the way of a creation and a move", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "old\n"})
		s.Plan("two files", call("write_file", map[string]any{"path": "new.txt", "content": "new\n"}),
			call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}))
		s.watch()
		s.Write("new.txt", "another\n")
		s.awaitTold(1, 0, "stale", "a file of the name new.txt exists now")
		s.Write("moved.txt", "another\n")
		s.awaitTold(1, 1, "stale", "a file of the name moved.txt exists now")
		s.Must(os.Remove(s.path("moved.txt")))
		s.Must(os.Rename(s.path("old.txt"), s.path("moved.txt")))
		s.awaitTold(1, 1, "applied", "the text has this change already")
		s.WantFile("new.txt", "another\n")
	})
	t.Run("not what the editor shows", func(t *testing.T) {
		s := begin(t)
		s.Open("src/shop.go")
		s.Write("src/shop.go", "package shop\n")
		s.Write("doc/x", "")
		s.Board.Disk.Changed([]string{"."})
		if got := s.PlanNow(1).Files[0].Status; got != "pending" {
			t.Errorf("the file is %s, though the editor still shows it as it was", got)
		}
	})
}

// More files than are checked in one go are all checked, in turns.
func TestManyFilesAreLookedAtInTurns(t *testing.T) {
	s := newSession(t, nil)
	var names []string
	for i := range 600 {
		names = append(names, fmt.Sprintf("f%03d.txt", i))
		s.Write(names[i], "one\n")
	}
	p := s.Plan("many", call("apply_patch", map[string]any{"patch": patchOf(names)}))
	if len(p.Files) != 600 {
		t.Fatalf("%d files", len(p.Files))
	}
	s.watch()
	for _, i := range []int{0, 300, 599} {
		s.Must(os.Remove(s.path(names[i])))
		s.awaitTold(1, i, "stale", "the file is gone")
	}
}

func patchOf(names []string) string {
	text := "*** Begin Patch\n"
	for _, name := range names {
		text += "*** Update File: " + name + "\n@@\n-one\n+two\n"
	}
	return text + "*** End Patch\n"
}

// An edit that the editor never answered is settled by the file on disk.
func TestTheDiskSettlesWhatNobodyAnswered(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.Editor.OnApply = decidetest.Unanswered
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.watch()
	text := "package shop\n\nfunc Add(a, b int) int { return a + b }\n\n// text outside the BMP: 🛒𝔘\n\nfunc Tax(a int) int { return a / 5 }\n\nfunc Sum() int { return Add(1, 2) }\n"
	s.Write("shop.go", text)
	s.awaitTold(1, 0, "applied", "")
}

// A cancelled search for a missing file is made again by the next request.
func TestALookForAFileThatWasCutOffIsMadeAgain(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.PlanRename()
	s.Must(os.Rename(s.path("shop.go"), s.path("store.go")))
	s.PlanNow(1) // finds that the file is missing
	cancelled, cancel := context.WithCancel(s.Context())
	cancel()
	s.Board.SeekGone(cancelled, s.Board.Held(1))
	s.Board.SeekGone(s.Context(), s.Board.Held(1))
	if got, want := s.PlanNow(1).Files[0].Reason, "the file is gone; it seems to be store.go now"; got != want {
		t.Errorf("the reason is %q, want %q", got, want)
	}
}
