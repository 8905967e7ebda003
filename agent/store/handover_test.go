package store

import (
	"errors"
	"testing"
	"time"

	"redline/agent/plan"
)

// handOver stores plan 1 and a handover of its approval.
func handOver(t *testing.T, s *Store, take, begin time.Duration) (*plan.Plan, *Handover) {
	t.Helper()
	p, texts := sample(1)
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	h := &Handover{Plan: 1, Revision: 1, Hash: p.Latest().Hash, Choice: `{"approve":{"plan":true}}`, Way: "web", Client: "redline review"}
	if err := s.HandOver(t.Context(), ws, h, take, begin); err != nil {
		t.Fatal(err)
	}
	return p, h
}

// begins begins an approval of plan 1 that was handed over.
func begins(t *testing.T, s *Store, p *plan.Plan, id int64) error {
	t.Helper()
	next := p.Clone()
	next.State = plan.Executing
	_, err := s.Begin(t.Context(), ws, next, &plan.Decision{Plan: 1, Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove, Handover: id, At: time.Now()}, nil)
	return err
}

func handoverState(t *testing.T, s *Store, id int64) HandoverState {
	t.Helper()
	h, err := s.Handover(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h.State
}

func take(t *testing.T, s *Store, id int64) bool {
	t.Helper()
	ok, err := s.TakeHandover(t.Context(), id, "Neovim")
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestDatabaseOfVersion18(t *testing.T) {
	s := storeOfVersion(t, 18)
	h, err := s.Handover(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 6, 678_912_345, time.UTC)
	same(t, h, Handover{
		ID: 7, Plan: 1, Revision: 1, Hash: "sha256:00", Choice: `{"approve":{"plan":true}}`, Way: "web", Client: "redline review", Process: 4711,
		Asked: at, TakeBy: at.Add(5 * time.Second), BeginBy: at.Add(time.Minute), State: HandoverEnded, Editor: "Neovim", Answer: `{"failed":"no"}`,
	})
}

// One process takes a handover, begins it, and answers it; meanwhile the others see that it lives.
func TestAHandover(t *testing.T) {
	page := newStore(t)
	p, h := handOver(t, page, time.Hour, time.Hour)
	editor, other := storeIn(t, page.dir), storeIn(t, page.dir)
	waiting, err := editor.Handovers(t.Context(), ws)
	if err != nil || len(waiting) != 1 || waiting[0].ID != h.ID || waiting[0].Choice != h.Choice || !waiting[0].TakeBy.Equal(h.TakeBy) {
		t.Fatalf("%+v, %v", waiting, err)
	}
	if elsewhere, err := editor.Handovers(t.Context(), "/elsewhere"); len(elsewhere) > 0 || err != nil {
		t.Errorf("%+v, %v", elsewhere, err)
	}
	if err := begins(t, editor, p, h.ID); !errors.Is(err, ErrTooLate) {
		t.Errorf("it begins before it is taken: %v", err)
	}
	if !take(t, editor, h.ID) || take(t, other, h.ID) || take(t, editor, h.ID) || !page.Carries(h.ID) {
		t.Fatal("not exactly one process takes it")
	}
	if err := begins(t, editor, p, h.ID); err != nil {
		t.Fatal(err)
	}
	if ok, err := page.WithdrawHandover(t.Context(), h.ID); ok || err != nil || handoverState(t, page, h.ID) != HandoverBegun {
		t.Errorf("it is withdrawn though it was begun: %v", err)
	}
	for _, state := range []HandoverState{HandoverRunning, HandoverEnded} {
		if now, ok, err := page.HandedOver(t.Context(), ws, 1); !ok || err != nil || now.ID != h.ID {
			t.Errorf("%+v, %v, %v", now, ok, err)
		}
		if err := editor.AnswerHandover(t.Context(), h.ID, state, `{}`); err != nil || handoverState(t, page, h.ID) != state {
			t.Errorf("%s: %v", state, err)
		}
	}
	if page.Carries(h.ID) {
		t.Error("it is carried out though it is answered")
	}
	if now, ok, err := page.HandedOver(t.Context(), ws, 1); ok || err != nil {
		t.Errorf("%+v, %v", now, err)
	}
}

// What was withdrawn, or comes too late, is never begun, whoever has taken it.
func TestAVoidHandover(t *testing.T) {
	t.Run("not taken in time", func(t *testing.T) {
		s := newStore(t)
		_, h := handOver(t, s, -time.Second, time.Hour)
		if list, err := s.Handovers(t.Context(), ws); len(list) > 0 || err != nil || take(t, s, h.ID) || s.Carries(h.ID) {
			t.Errorf("%+v, %v", list, err)
		}
	})
	t.Run("not begun in time", func(t *testing.T) {
		s := newStore(t)
		p, h := handOver(t, s, time.Hour, -time.Second)
		if !take(t, s, h.ID) {
			t.Fatal("it cannot be taken")
		}
		if err := begins(t, s, p, h.ID); !errors.Is(err, ErrTooLate) {
			t.Error(err)
		}
		if got := get(t, s, 1); got.State != plan.AwaitingApproval {
			t.Errorf("the plan is %s", got.State)
		}
	})
	t.Run("withdrawn before it was taken", func(t *testing.T) {
		s := newStore(t)
		_, h := handOver(t, s, time.Hour, time.Hour)
		if ok, err := s.WithdrawHandover(t.Context(), h.ID); !ok || err != nil || take(t, s, h.ID) {
			t.Error("it can be taken", err)
		}
	})
	t.Run("withdrawn after it was taken", func(t *testing.T) {
		s := newStore(t)
		p, h := handOver(t, s, time.Hour, time.Hour)
		if !take(t, s, h.ID) {
			t.Fatal("it cannot be taken")
		}
		if ok, err := s.WithdrawHandover(t.Context(), h.ID); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := begins(t, s, p, h.ID); !errors.Is(err, ErrTooLate) {
			t.Error(err)
		}
		if err := s.AnswerHandover(t.Context(), h.ID, HandoverEnded, `{}`); err != nil || handoverState(t, s, h.ID) != HandoverWithdrawn {
			t.Error("it is answered", err)
		}
	})
	t.Run("a clock that was put back", func(t *testing.T) {
		s := newStore(t)
		_, h := handOver(t, s, time.Hour, time.Hour)
		exec(t, raw(t, s.dir), `UPDATE handovers SET asked = asked + 3600000000000`)
		if take(t, s, h.ID) {
			t.Error("it is taken before it was asked")
		}
	})
}

// The end of a process ends what it carries out. A plan is deleted with its handovers.
func TestAHandoverOfWhatIsGone(t *testing.T) {
	s := newStore(t)
	_, h := handOver(t, s, time.Hour, time.Hour)
	editor := storeIn(t, s.dir)
	if !take(t, editor, h.ID) {
		t.Fatal("it cannot be taken")
	}
	editor.Close()
	if s.Carries(h.ID) {
		t.Error("it is carried out by a process that has ended")
	}
	exec(t, raw(t, s.dir), `PRAGMA foreign_keys = ON; DELETE FROM revisions; DELETE FROM plans`) // as an older program does
	if now, err := s.Handover(t.Context(), h.ID); !errors.Is(err, ErrNoSuchPlan) {
		t.Errorf("%+v, %v", now, err)
	}
}

// An editor has a workspace open until it closes it or its process ends.
func TestEditors(t *testing.T) {
	s := newStore(t)
	names := func(workspace string) (all []string) {
		for _, e := range s.Editors(workspace) {
			all = append(all, e.Client)
		}
		return all
	}
	same(t, names("/a"), []string(nil))
	end, err := s.Serve("/a", "Neovim")
	if err != nil {
		t.Fatal(err)
	}
	same(t, names("/a"), []string{"Neovim"})
	same(t, names("/b"), []string(nil))
	end()
	same(t, names("/a"), []string(nil))
}
