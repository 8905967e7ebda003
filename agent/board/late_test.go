package board_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"redline/agent/decide/decidetest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// An edit that arrives while “the editor has not answered” is being stored settles the plan.
func TestALateEditWhileTheResultIsStored(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.Open("a.txt")
	p := s.Plan("count", edit("a.txt", "one\n", "1\n"))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.State, store.FileName))
	s.Must(err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		_, err := db.Exec("BEGIN IMMEDIATE") // the result cannot be stored until this ends
		s.Must(err)
		return decidetest.Unanswered(c)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
		done <- err
	}()
	ctx := s.Context()
	for h := s.Board.Held(1); !s.Board.Waits(h); { // no event tells it
		if ctx.Err() != nil || s.Board.Unstored(h) {
			t.Fatal("that the editor has not answered is known only after it was to be stored")
		}
		time.Sleep(time.Millisecond)
	}
	s.Retype("a.txt", "1\n")
	_, err = db.Exec("ROLLBACK")
	s.Must(err)
	s.Must(<-done)
	s.AwaitState(1, "completed")
}
