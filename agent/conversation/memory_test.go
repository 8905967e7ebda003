package conversation_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent/conversation"
	"redline/agent/recall"
	"redline/agent/session/sessiontest"
)

func memoryOf(f *fixture, conv string) *conversation.Memory {
	return f.Find(&conversation.Request{Message: conversation.Message{Conversation: conv}}).Memory
}

func requests(m recall.Memory) []string {
	var out []string
	for _, e := range m.Exchanges {
		out = append(out, e.Request)
	}
	return out
}

// Another session reads earlier exchanges, and later ones.
func TestASessionRecollectsWhatAnotherHasSaid(t *testing.T) {
	f := newFixture(t)
	mine := memoryOf(f, "c1")
	mine.Remember("one", "1", recall.Read{})
	again := on(t, f.Again())
	other := memoryOf(again, "c1")
	other.Recollect(t.Context())
	mine.Remember("two", "2", recall.Read{})
	other.Recollect(t.Context())
	other.Recollect(t.Context())
	if got := requests(other.Value()); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q", got)
	}
}

// A secret stays in the session: it is not stored.
func TestSecretsAreNotStored(t *testing.T) {
	f := newFixture(t)
	secret := "sk-" + strings.Repeat("a1B2", 10)
	memoryOf(f, "c1").Remember("the key is "+secret, "Thanks.", recall.Read{})
	stored, err := f.Session.Store.Conversation(t.Context(), f.Key(), "c1", 0)
	if err != nil || len(stored.Exchanges) != 1 || strings.Contains(stored.Exchanges[0].Request, secret) {
		t.Errorf("stored is %+v, %v", stored, err)
	}
}

// An exchange that is being stored is not read back as another session's.
func TestRecollectWhileAnExchangeIsStored(t *testing.T) {
	f := newFixture(t)
	m := memoryOf(f, "c1")
	const n = 40
	var all sync.WaitGroup
	all.Go(func() {
		for range n {
			m.Remember("said", "answered", recall.Read{})
		}
	})
	all.Go(func() {
		for range n {
			m.Recollect(t.Context())
		}
	})
	all.Wait()
	if got := len(m.Value().Exchanges); got != n {
		t.Errorf("the memory has %d exchanges of %d", got, n)
	}
}

// Folding while exchanges are added and stored loses none and duplicates none.
func TestFoldWhileAnExchangeIsStored(t *testing.T) {
	f := newFixture(t)
	m := memoryOf(f, "c1")
	m.Remember("first", "1", recall.Read{})
	m.Remember("second", "2", recall.Read{})
	const n = 30
	var all sync.WaitGroup
	all.Go(func() {
		for range n {
			m.Remember("more", "3", recall.Read{})
		}
	})
	was := m.Value()
	m.Fold(t.Context(), was, was.Fold(2, "Two things were said.", 1000), 2)
	all.Wait()
	got := m.Value()
	if got.Summary.Turns != 2 || len(got.Exchanges) != n {
		t.Errorf("the summary is of %d turns, besides %d exchanges", got.Summary.Turns, len(got.Exchanges))
	}
	again := memoryOf(on(t, f.Again()), "c1")
	again.Recollect(sessiontest.Timeout(t))
	if stored := again.Value(); stored.Upto != got.Upto || len(stored.Exchanges) != n || stored.Summary.Turns != 2 {
		t.Errorf("stored is %+v, want %+v", stored, got)
	}
}
