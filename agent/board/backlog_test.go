package board_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/agent/board"
	"redline/agent/session/sessiontest"
	"redline/agent/store"
)

// errFailed is a temporary failure of the store.
var errFailed = fmt.Errorf("writing: %w", store.ErrFull)

// Records are stored oldest first; one that has to wait keeps those behind it waiting.
func TestRecordsAreStoredInOrder(t *testing.T) {
	s := sessiontest.New(t, "")
	b := board.NewBacklog(s.Session)
	full := true
	var stored []string
	for _, name := range []string{"first", "second", "third"} {
		b.Add(board.Unstored{Plan: len(name), Stored: name + " is kept.", Store: func(context.Context) error {
			if full && name == "second" {
				return errFailed
			}
			stored = append(stored, name)
			return nil
		}}, "It cannot be kept yet.", errFailed)
	}
	if err := b.Store(t.Context()); !errors.Is(err, store.ErrFull) || !slices.Equal(stored, []string{"first"}) {
		t.Errorf("%v, stored %q", err, stored)
	}
	if !b.Has(len("second")) || b.Has(99) || b.Has(0) {
		t.Error("Has is wrong")
	}
	full = false
	if err := b.Store(t.Context()); err != nil || !slices.Equal(stored, []string{"first", "second", "third"}) {
		t.Errorf("%v, stored %q", err, stored)
	}
	got := s.Editor.Notices()
	if want := []string{"first is kept.", "second is kept.", "third is kept."}; len(got) != 6 || !slices.Equal(got[3:], want) || !strings.HasPrefix(got[0], "It cannot be kept yet.") {
		t.Errorf("the user was told %q", got)
	}
}

// A record that can never be stored is dropped, the user is told, and the next is stored.
func TestARecordThatCanNeverBeStored(t *testing.T) {
	s := sessiontest.New(t, "")
	b := board.NewBacklog(s.Session)
	b.Add(board.Unstored{Plan: 1, Store: func(context.Context) error { return store.ErrDamaged }}, "It cannot be kept yet.", errFailed)
	b.Add(board.Unstored{Plan: 2, Stored: "Two is kept.", Store: func(context.Context) error { return nil }}, "It cannot be kept yet.", errFailed)
	if err := b.Store(t.Context()); err != nil || b.Has(1) || b.Has(2) {
		t.Errorf("%v, plan 1 waits: %v, plan 2: %v", err, b.Has(1), b.Has(2))
	}
	if got := s.Editor.Notices(); len(got) != 4 || !strings.Contains(got[2], "cannot be kept at all") || got[3] != "Two is kept." {
		t.Errorf("the user was told %q", got)
	}
}

// A record that waits until its plan is carried out does not keep the others waiting.
func TestARecordOfAPlanThatIsCarriedOut(t *testing.T) {
	b := board.NewBacklog(sessiontest.New(t, "").Session)
	underway := true
	b.Add(board.Unstored{Plan: 1, Store: func(context.Context) error {
		if underway {
			return board.ErrUnderway
		}
		return nil
	}}, "It cannot be kept yet.", errFailed)
	b.Add(board.Unstored{Plan: 2, Store: func(context.Context) error { return nil }}, "It cannot be kept yet.", errFailed)
	if err := b.Store(t.Context()); !errors.Is(err, board.ErrUnderway) || !b.Has(1) || b.Has(2) {
		t.Errorf("%v, plan 1 waits: %v, plan 2: %v", err, b.Has(1), b.Has(2))
	}
	underway = false
	if err := b.Store(t.Context()); err != nil || b.Has(1) {
		t.Errorf("%v, plan 1 waits: %v", err, b.Has(1))
	}
}

// A record whose context ended before it was stored stays in the backlog.
func TestARecordWaitsWhenItsContextEnds(t *testing.T) {
	b := board.NewBacklog(sessiontest.New(t, "").Session)
	b.Add(board.Unstored{Plan: 1, Store: func(ctx context.Context) error { return ctx.Err() }}, "It cannot be kept yet.", errFailed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Store(ctx); !errors.Is(err, context.Canceled) || !b.Has(1) {
		t.Errorf("%v, it waits: %v", err, b.Has(1))
	}
}

// Only the outcome of the execution is dropped.
func TestDrop(t *testing.T) {
	b := board.NewBacklog(sessiontest.New(t, "").Session)
	for plan, execution := range []int64{0, 7, 8} {
		b.Add(board.Unstored{Plan: plan + 1, Execution: execution}, "It cannot be kept yet.", errFailed)
	}
	b.Drop(0)
	b.Drop(7)
	if !b.Has(1) || b.Has(2) || !b.Has(3) {
		t.Errorf("waiting are %v %v %v", b.Has(1), b.Has(2), b.Has(3))
	}
}

// Two callers at once store each record once, even while more are added.
func TestCallersAtOnce(t *testing.T) {
	b := board.NewBacklog(sessiontest.New(t, "").Session)
	const n = 50
	var counts [n]int // each record writes its own, one caller at a time
	var all sync.WaitGroup
	all.Go(func() {
		for i := range n {
			b.Add(board.Unstored{Plan: i + 1, Store: func(context.Context) error { counts[i]++; return nil }}, "It cannot be kept yet.", errFailed)
		}
	})
	for range 2 {
		all.Go(func() {
			for range n {
				if err := b.Store(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := b.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, count := range counts {
		if count != 1 {
			t.Errorf("record %d was stored %d times", i, count)
		}
	}
}

func TestMayPass(t *testing.T) {
	for err, want := range map[error]bool{
		errFailed: true, store.ErrLocked: true, store.ErrUnwritable: true, board.ErrUnderway: true,
		store.ErrDamaged: false, errors.New("a fault"): false, nil: false,
	} {
		if board.MayPass(err) != want {
			t.Errorf("MayPass(%v) is %v", err, !want)
		}
	}
}
