package board_test

import (
	"testing"

	"redline/agent/conversation"
	"redline/workspace"
)

// A conversation that begins before the plans were read is about the plan that waits in it all the same.
func TestAConversationBegunBeforeItsPlanIsRead(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	s.Plan("first", edit("a.txt", "one", "1"))
	s.Plan("second", edit("b.txt", "one", "1"))
	other := s.Another()
	conv := other.Conversations.Find(&conversation.Request{Message: conversation.Message{Conversation: "c1"}})
	about := func(want int) {
		t.Helper()
		if h := other.Board.Threads.Plan(conv.ID); h == nil || h.Number() != want {
			t.Errorf("its next message is about %v, want plan %d", h, want)
		}
	}
	if h := other.Board.Threads.Plan(conv.ID); h != nil {
		t.Errorf("plan %d was read", h.Number())
	}
	s.Must(other.Board.Follower.Refresh(s.Context()))
	about(2)

	s.Plan("third", edit("a.txt", "one", "I"))
	s.Must(other.Board.Follower.Refresh(s.Context()))
	about(2) // as long as that waits
}

// Where a session that has decided on its plan learns of one that another process has made in the same
// conversation, the next message is about that.
func TestAConversationWithAPlanOfAnotherProcess(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	other := s.Another()
	s.Must(other.Board.Follower.Refresh(s.Context()))
	other.Board.Threads.Add("c1")
	s.Plan("first", edit("a.txt", "one", "1"))
	s.Plan("second", edit("a.txt", "one", "I"))
	s.Must(other.Board.Follower.Refresh(s.Context()))
	if h := other.Board.Threads.Plan("c1"); h == nil || h.Number() != 2 {
		t.Errorf("its next message is about %v, want plan 2", h)
	}
}

// With another folder in the place of the first, plans have other numbers: a conversation is not about the
// plan that has the number of its own by chance.
func TestAConversationInAnotherWorkspace(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Board.Threads.Add("c1")
	s.Plan("here", edit("a.txt", "one", "1"))
	s.Board.Threads.TakeUp("c1", 1)
	there := s.AnotherIn(t.TempDir())
	there.Write("a.txt", "one\n")
	there.Plan("older", edit("a.txt", "one", "1"))
	there.Plan("newer", edit("a.txt", "one", "I"))
	for _, c := range []struct {
		dir  string
		want string
	}{{there.Dir, "newer"}, {s.Dir, "here"}} {
		s.Workspace.SetFolders([]workspace.Folder{{Dir: c.dir}})
		s.Must(s.Board.Follower.Refresh(s.Context()))
		if h := s.Board.Threads.Plan("c1"); h == nil || h.Plan().Goal != c.want {
			t.Errorf("its next message is about %v, want %q", h, c.want)
		}
	}
}
