//go:build unix

package conversation_test

import (
	"testing"

	"redline/agent/conversation"
	"redline/agent/recall"
	"redline/agent/session/sessiontest"
	"redline/agent/store/storetest"
)

// onDisk returns a fixture and the disk of its store, which can fail.
func onDisk(t *testing.T) (*fixture, *storetest.Disk) {
	disk := storetest.New()
	f := on(t, sessiontest.New(t, disk.Name))
	if _, err := f.Session.Store.Questions(sessiontest.Timeout(t), f.Key()); err != nil { // opens the store
		t.Fatal(err)
	}
	return f, disk
}

// An exchange that cannot be stored is stored with the next one, or by Store.
func TestWhatCannotBeStoredIsStoredLater(t *testing.T) {
	f, disk := onDisk(t)
	m := memoryOf(f, "c1")
	disk.Fail(storetest.FullDisk)
	m.Remember("one", "1", recall.Read{})
	if m.Value().Last() != 0 || f.Conversations.Store(t.Context()) == nil {
		t.Errorf("the memory is %+v", m.Value())
	}
	disk.Repair()
	if err := f.Conversations.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m.Value().Last() == 0 {
		t.Errorf("the memory is %+v", m.Value())
	}
}

// A question that cannot be stored is stored by the backlog, with its state at that time.
func TestAQuestionThatCannotBeStored(t *testing.T) {
	for _, c := range []struct {
		name   string
		then   func(f *fixture)
		stored int
	}{
		{"waits", func(*fixture) {}, 1},
		{"given up", func(f *fixture) { f.GiveUpFor(&conversation.Message{Client: "me"}) }, 0},
		{"answered", func(f *fixture) {
			id, _ := f.say("yes")
			f.next()
			f.answer(func(_ *conversation.Turn, a *conversation.Waiting) { a.Done() })
			f.wantState(id, conversation.Done)
		}, 0},
		{"waits again", func(f *fixture) {
			id, _ := f.say("yes")
			f.next()
			f.answer(func(turn *conversation.Turn, a *conversation.Waiting) { a.WaitAgain(turn) })
			f.wantState(id, conversation.Done)
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, disk := onDisk(t)
			disk.Fail(storetest.FullDisk)
			f.asks("do it")
			c.then(f)
			disk.Repair()
			if err := f.backlog.Store(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := f.stored(); len(got) != c.stored {
				t.Errorf("stored are %+v, want %d", got, c.stored)
			}
		})
	}
}
