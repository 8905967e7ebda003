package board_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"redline/agent/board"
	"redline/agent/session/sessiontest"
	"redline/edits"
)

// two returns two sessions of one workspace, with a file a.txt.
func two(t *testing.T) (mine, other *sessiontest.Fixture, p, q *board.Presence) {
	mine = sessiontest.New(t, "")
	mine.Write("a.txt", "one\n")
	other = mine.Again()
	p, q = board.NewPresence(mine.Session), board.NewPresence(other.Session)
	t.Cleanup(p.Close)
	t.Cleanup(q.Close)
	q.Name("other editor")
	return mine, other, p, q
}

// typed opens a.txt and types in it.
func typed(t *testing.T, s *sessiontest.Fixture) (uri string) {
	t.Helper()
	uri = s.Workspace.URI("a.txt")
	s.Workspace.Open(uri, "", 1, "one\n")
	b, _ := s.Workspace.Buffer("a.txt")
	e := edits.Edit{New: "zero\n"}
	if err := s.Workspace.Update(uri, 2, b.Lines.Replace(e), []edits.Edit{e}); err != nil {
		t.Fatal(err)
	}
	return uri
}

// until waits for something that the other session publishes by itself, which this one
// reads from the disk.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatal("not " + what)
		case <-time.After(time.Millisecond):
		}
	}
}

// A file that is unsaved in another editor is seen and guarded until it is saved there.
func TestAFileThatIsUnsavedElsewhere(t *testing.T) {
	mine, other, p, q := two(t)
	if p.Elsewhere()("a.txt") != "" || p.Guard("a.txt") != "" {
		t.Error("a file that nobody has opened is unsaved elsewhere")
	}
	uri := typed(t, other)
	until(t, "seen", func() bool { return p.Elsewhere()("a.txt") != "" })
	if q.Elsewhere()("a.txt") != "" || p.Elsewhere()("b.txt") != "" {
		t.Error("a session sees its own file, or a file that is saved")
	}
	if why := p.Guard("a.txt"); !strings.Contains(why, "another editor") || !strings.Contains(why, "other editor, process ") {
		t.Errorf("the reason is %q", why)
	}
	if others := mine.Store.NewSession().Others(); len(others) != 1 || !strings.HasPrefix(p.Elsewhere()("a.txt"), "other editor, process ") {
		t.Errorf("the others are %+v", others)
	}
	other.Workspace.Close(uri)
	until(t, "gone", func() bool { return p.Elsewhere()("a.txt") == "" })
}

// While edits of a file are taken back it may be changed, until the last caller is done.
func TestTakingBackGoesOn(t *testing.T) {
	_, other, p, q := two(t)
	typed(t, other)
	q.Publish(false)
	first, second := p.WhileTakingBack("a.txt"), p.WhileTakingBack("a.txt")
	first()
	if why := p.Guard("a.txt"); why != "" {
		t.Errorf("while it is taken back: %q", why)
	}
	second()
	if p.Guard("a.txt") == "" {
		t.Error("it may be changed afterwards")
	}
}

// A file that an editor saves without a notification is found saved on the disk.
func TestAFileThatWasSavedWithoutAWord(t *testing.T) {
	_, other, p, q := two(t)
	typed(t, other)
	q.Publish(false)
	if p.Elsewhere()("a.txt") == "" {
		t.Fatal("the file is not published")
	}
	other.Write("a.txt", "zero\none\n")
	q.Publish(true)
	if p.Elsewhere()("a.txt") != "" {
		t.Error("the file still counts as unsaved")
	}
}

// What a session has published is gone when the session ends.
func TestTheEndOfASession(t *testing.T) {
	mine, other, p, q := two(t)
	typed(t, other)
	q.Publish(false)
	q.Close()
	q.Publish(true)
	if others := mine.Store.NewSession().Others(); p.Elsewhere()("a.txt") != "" || len(others) != 0 {
		t.Errorf("the others are %+v", others)
	}
}
