package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/decision"
	"redline/agent/event"
	"redline/agent/refusal"
	"redline/agent/state"
)

// watch follows what happens on disk, with nobody asking, until the test ends.
func (s *session) watch() {
	s.t.Helper()
	done := make(chan struct{})
	go func() { s.agent.Watch(s.t.Context(), time.Millisecond); close(done) }()
	s.t.Cleanup(func() { <-done })
}

// lastOf is the plan as an editor was told of it last.
func lastOf(ed *fakeEditor, n int) (told state.Plan) {
	ed.mu.Lock()
	defer ed.mu.Unlock()
	for _, e := range ed.events {
		if e.Kind == event.PlanChanged && e.PlanNumber == n {
			told = *e.Plan
		}
	}
	return told
}

// lastTold is the file of the plan as the editor was told of it last.
func (s *session) lastTold(n, file int) (told state.File) {
	if p := lastOf(s.ed, n); file < len(p.Files) {
		told = p.Files[file]
	}
	return told
}

// awaitTold waits until the editor was told, without asking, that a file has the
// status for the reason.
func (s *session) awaitTold(n, file int, status, reason string) {
	s.t.Helper()
	ctx := s.ctx()
	for ctx.Err() == nil {
		next := s.ed.next()
		if told := s.lastTold(n, file); told.Status == status && told.Reason == reason {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
		}
	}
	told := s.lastTold(n, file)
	s.t.Fatalf("the editor was told that the file is %s (%s), want %s (%s)", told.Status, told.Reason, status, reason)
}

func (s *session) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *session) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestWhatHappensOnDiskIsNoticed(t *testing.T) {
	begin := func(t *testing.T) *session {
		s := newSession(t, map[string]string{"src/shop.go": shop, "doc/x": ""})
		s.model.stages(edit("src/shop.go", "a / 5", "a / 4"))
		s.plan("tax")
		s.watch()
		return s
	}
	const gone = "the file is gone"
	t.Run("changed", func(t *testing.T) {
		s := begin(t)
		s.writeFile("src/shop.go", "// One line more.\n"+shop)
		for ctx := s.ctx(); s.lastTold(1, 0).Line(0) != 7; {
			if ctx.Err() != nil {
				t.Fatalf("the hunk is at %+v", s.lastTold(1, 0))
			}
		}
		s.writeFile("src/shop.go", "package shop\n")
		s.awaitTold(1, 0, "stale", "its lines were changed since it was proposed")
		s.writeFile("src/shop.go", shop)
		s.awaitTold(1, 0, "pending", "")
	})
	t.Run("changed by hand to what is proposed", func(t *testing.T) {
		s := begin(t)
		s.writeFile("src/shop.go", strings.Replace(shop, "a / 5", "a / 4", 1))
		s.awaitTold(1, 0, "applied", "the text has this change already")
	})
	t.Run("deleted and restored", func(t *testing.T) {
		s := begin(t)
		s.must(os.Remove(s.path("src/shop.go")))
		s.awaitTold(1, 0, "stale", gone)
		s.writeFile("src/shop.go", shop)
		s.awaitTold(1, 0, "pending", "")
		s.approve(decision.Request{Plan: 1})
	})
	t.Run("renamed", func(t *testing.T) {
		s := begin(t)
		s.must(os.Rename(s.path("src/shop.go"), s.path("src/store.go")))
		s.awaitTold(1, 0, "stale", gone+"; it seems to be src/store.go now")
		s.must(os.Rename(s.path("src/store.go"), s.path("doc/store.go")))
		s.awaitTold(1, 0, "stale", gone+"; it seems to be doc/store.go now")
		_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1})
		s.wantRefused(err, refusal.Stale)
		s.must(os.Rename(s.path("doc/store.go"), s.path("src/shop.go")))
		s.awaitTold(1, 0, "pending", "")
	})
	t.Run("its folder deleted, said by the editor", func(t *testing.T) {
		s := newSession(t, map[string]string{"src/shop.go": shop})
		s.model.stages(edit("src/shop.go", "a / 5", "a / 4"))
		s.plan("tax")
		s.must(os.RemoveAll(s.path("src")))
		s.agent.OnDisk([]string{"doc", "sr"})
		s.agent.OnDisk([]string{"src"})
		s.awaitTold(1, 0, "stale", gone)
	})
	t.Run("something in the way of a creation and a move", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "old\n"})
		s.model.stages(call("write_file", map[string]any{"path": "new.txt", "content": "new\n"}),
			call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}))
		s.plan("two files")
		s.watch()
		s.writeFile("new.txt", "another\n")
		s.awaitTold(1, 0, "stale", "a file of the name new.txt exists now")
		s.writeFile("moved.txt", "another\n")
		s.awaitTold(1, 1, "stale", "a file of the name moved.txt exists now")
		s.must(os.Remove(s.path("moved.txt")))
		s.must(os.Rename(s.path("old.txt"), s.path("moved.txt")))
		s.awaitTold(1, 1, "applied", "the text has this change already")
		s.wantFile("new.txt", "another\n")
	})
	t.Run("not what the editor shows", func(t *testing.T) {
		s := begin(t)
		s.open("src/shop.go")
		s.writeFile("src/shop.go", "package shop\n")
		s.writeFile("doc/x", "")
		s.agent.OnDisk([]string{"."})
		if got := s.state1(1).Files[0].Status; got != "pending" {
			t.Errorf("the file is %s, though the editor still shows it as it was", got)
		}
	})
}

// More files than are looked at in one go are all looked at, and nobody is told
// of those that stay as they are.
func TestManyFilesAreLookedAtInTurns(t *testing.T) {
	s := newSession(t, nil)
	var names []string
	for i := range 600 {
		names = append(names, fmt.Sprintf("f%03d.txt", i))
		s.writeFile(names[i], "one\n")
	}
	s.model.stages(call("apply_patch", map[string]any{"patch": patchOf(names)}))
	p := s.plan("many")
	if len(p.Files) != 600 {
		t.Fatalf("%d files", len(p.Files))
	}
	s.watch()
	for _, i := range []int{0, 300, 599} {
		s.must(os.Remove(s.path(names[i])))
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

// An edit that no editor answered for is settled by what comes to the disk.
func TestTheDiskSettlesWhatNobodyAnswered(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.ed.apply = unanswered
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.watch()
	text := "package shop\n\nfunc Add(a, b int) int { return a + b }\n\n// text outside the BMP: 🛒𝔘\n\nfunc Tax(a int) int { return a / 5 }\n\nfunc Sum() int { return Add(1, 2) }\n"
	s.writeFile("shop.go", text)
	s.awaitTold(1, 0, "applied", "")
}

// A request that is cancelled while it looks for a file leaves that to the next.
func TestALookForAFileThatWasCutOffIsMadeAgain(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	renamed(s)
	s.must(os.Rename(s.path("shop.go"), s.path("store.go")))
	if _, err := s.agent.State(s.ctx(), false); err != nil { // it is gone
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(s.ctx())
	cancel()
	s.agent.SeekGone(cancelled, 1)
	s.agent.SeekGone(s.ctx(), 1)
	if got, want := s.state1(1).Files[0].Reason, "the file is gone; it seems to be store.go now"; got != want {
		t.Errorf("the reason is %q, want %q", got, want)
	}
}
