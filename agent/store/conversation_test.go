package store

import (
	"fmt"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/recall"
)

func TestDatabaseWithConversations(t *testing.T) {
	s := storeOfVersion(t, 7)
	m, err := s.Conversation(t.Context(), "/home/ada/project", "c0a1b2c3d", 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, m, recall.Memory{
		Summary: recall.Summary{Text: "They tidied up.", Names: []string{"a.go"}, Left: 2, Turns: 1}, Upto: 3,
		Exchanges: []recall.Exchange{{
			Seq: 4, At: time.Date(2026, 1, 2, 3, 4, 5, 678_912_345, time.UTC), Request: "tidy up", Answer: "Done.",
		}},
	})
}

// speak stores an exchange from a number of days ago.
func speak(t testing.TB, s *Store, workspace, conversation, request string, days int) recall.Exchange {
	t.Helper()
	e := recall.Exchange{At: now.AddDate(0, 0, -days).UTC(), Request: request, Answer: "Yes."}
	var err error
	if e.Seq, err = s.SaveExchange(t.Context(), workspace, conversation, e); err != nil {
		t.Fatal(err)
	}
	return e
}

func memory(t testing.TB, s *Store, workspace, conversation string, after int64) recall.Memory {
	t.Helper()
	m, err := s.Conversation(t.Context(), workspace, conversation, after)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConversation(t *testing.T) {
	s := newStore(t)
	same(t, memory(t, s, ws, "c1", 0), recall.Memory{})
	one := speak(t, s, ws, "c1", "one", 0)
	speak(t, s, ws, "c2", "elsewhere", 0)
	speak(t, s, "/other", "c1", "elsewhere", 0)
	two := speak(t, s, ws, "c1", "two", 0)
	same(t, memory(t, s, ws, "c1", 0), recall.Memory{Exchanges: []recall.Exchange{one, two}})
	same(t, memory(t, s, ws, "c1", one.Seq), recall.Memory{Exchanges: []recall.Exchange{two}})

	sum := recall.Summary{Text: "One.", Turns: 1}
	if err := s.SaveSummary(t.Context(), ws, "c1", sum, one.Seq); err != nil {
		t.Fatal(err)
	}
	want := recall.Memory{Summary: sum, Upto: one.Seq, Exchanges: []recall.Exchange{two}}
	same(t, memory(t, s, ws, "c1", 0), want)
	// A process that has not seen it makes the same summary.
	if err := s.SaveSummary(t.Context(), ws, "c1", recall.Summary{Text: "Late.", Turns: 1}, one.Seq); err != nil {
		t.Fatal(err)
	}
	same(t, memory(t, s, ws, "c1", 0), want)
	if n := rows(t, s, "exchanges"); n != 3 {
		t.Errorf("%d exchanges are kept, want 3", n)
	}
}

// Only the most recent conversations are kept, and those of open plans.
// The newest conversation is that of the last exchange, or of a plan or a question that came later.
func TestNewestConversation(t *testing.T) {
	s := newStore(t)
	newest := func(workspace, want string) {
		t.Helper()
		if got, err := s.NewestConversation(t.Context(), workspace); err != nil || got != want {
			t.Errorf("the newest conversation of %s is %q, %v, want %q", workspace, got, err, want)
		}
	}
	newest(ws, "")
	speak(t, s, ws, "c1", "one", 4)
	speak(t, s, ws, "c2", "two", 3)
	speak(t, s, "/other", "c3", "three", 2)
	newest(ws, "c2")
	speak(t, s, ws, "c1", "again", 1)
	newest(ws, "c1")
	newest("/other", "c3")
	ask(t, s, "c4") // now
	newest(ws, "c4")
}

func TestConversationsAreBounded(t *testing.T) {
	s := newStore(t)
	p := keep(t, s, ws, 0, plan.AwaitingApproval, "a", "b")
	speak(t, s, ws, p.Conversation, "open", 3)
	speak(t, s, ws, "old", "old", 2)
	speak(t, s, "/other", "old", "old", 2)
	for i := range keepConversations {
		speak(t, s, ws, fmt.Sprintf("new%d", i), "new", 1)
	}
	for name, want := range map[string]int{p.Conversation: 1, "old": 0, "new0": 1} {
		if got := len(memory(t, s, ws, name, 0).Exchanges); got != want {
			t.Errorf("of %s %d exchanges are kept, want %d", name, got, want)
		}
	}
	if len(memory(t, s, "/other", "old", 0).Exchanges) != 1 {
		t.Error("that of another workspace is gone")
	}
	if n := rows(t, s, "exchanges"); n != keepConversations+2 {
		t.Errorf("%d exchanges are kept", n)
	}
}

// Conversations are removed with the last of their plans, and by age.
func TestConversationsArePruned(t *testing.T) {
	s := newStore(t)
	keep(t, s, ws, 90, plan.Completed, "a", "b") // of c1
	keep(t, s, ws, 90, plan.AwaitingApproval, "c", "d")
	for name, days := range map[string]int{"c1": 90, "old": 90, "new": 1} {
		speak(t, s, ws, name, "hello", days)
	}
	speak(t, s, "/other", "old", "hello", 90)
	r := Retention{Workspace: ws, Before: now.AddDate(0, 0, -30)}
	forget := func() {
		t.Helper()
		p, ok, err := s.BeginPruning(t.Context(), r)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		defer p.End()
		if err := p.RemoveConversations(t.Context(), r.Workspace, r.Before); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(workspace, name string) bool { return len(memory(t, s, workspace, name, 0).Exchanges) > 0 }
	prune(t, s, r, false)
	forget()
	if !kept(ws, "c1") || kept(ws, "old") || !kept(ws, "new") || !kept("/other", "old") {
		t.Errorf("kept: c1 %v, old %v, new %v, of another workspace %v", kept(ws, "c1"), kept(ws, "old"), kept(ws, "new"), kept("/other", "old"))
	}

	s = newStore(t)
	keep(t, s, ws, 90, plan.Completed, "a", "b")
	speak(t, s, ws, "c1", "hello", 1)
	keep(t, s, ws, 0, plan.Completed, "c", "d")
	prune(t, s, r, false)
	if !kept(ws, "c1") {
		t.Error("it is gone, and one of its plans is there")
	}
	p := keep(t, s, ws, 90, plan.Completed, "e", "f")
	speak(t, s, ws, p.Conversation+"x", "hello", 1)
	if _, err := s.handle.Exec(`UPDATE plans SET conversation = 'alone' WHERE number = ?`, p.Number); err != nil {
		t.Fatal(err)
	}
	speak(t, s, ws, "alone", "hello", 90)
	keep(t, s, ws, 0, plan.Completed, "g", "h")
	prune(t, s, r, false)
	if kept(ws, "alone") {
		t.Error("its last plan is gone, and it is there")
	}
}

// BenchmarkSaveExchange measures the cost of storing an exchange at the end of a turn.
func BenchmarkSaveExchange(b *testing.B) {
	s := newStore(b)
	for b.Loop() {
		speak(b, s, ws, "c1", "tidy up", 0)
	}
}
