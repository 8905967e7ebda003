// Package backlog keeps records that could not be stored, as on a full disk, and stores them as
// soon as it can. Until then they are only in memory, and look to the user as if they were
// stored. An approval or an undo never waits here: its record must be stored before anything is
// sent to an editor.

package board

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/phrase"
)

// Unstored is one record that could not be stored yet.
type Unstored struct {
	Plan      int                         // the number of its plan, 0 for none or one without a number yet
	Execution int64                       // the execution whose outcome it is, else 0
	Store     func(context.Context) error // stores the record
	Stored    string                      // the message to the user once it is stored
}

// Backlog holds the records of a session that could not be stored yet, oldest first. Its
// methods may be called from any goroutine.
type Backlog struct {
	session *session.Session
	storing sync.Mutex // locked while records are stored

	mu      sync.Mutex
	records []*Unstored
}

// NewBacklog returns an empty backlog.
func NewBacklog(s *session.Session) *Backlog { return &Backlog{session: s} }

// ErrUnderway means that a plan is being carried out, so nothing can be staged in it now.
var ErrUnderway = errors.New("the plan is being carried out")

// MayPass reports whether a record that could not be stored because of err may be stored
// later: the failure is temporary, the user can fix it during the session, or the plan is
// being carried out.
func MayPass(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrUnwritable) || errors.Is(err, ErrUnderway)
}

// Add adds a record that could not be stored because of err, and notifies the user with
// what, a sentence that says what is not stored yet.
func (b *Backlog) Add(r Unstored, what string, err error) {
	b.mu.Lock()
	b.records = append(b.records, &r)
	b.mu.Unlock()
	b.session.Log.Warn("a record could not be stored yet", zap.Int("plan", r.Plan), zap.Error(err))
	b.session.Notify(state.Event{Kind: state.Noticed, Error: fmt.Sprintf("%s Redline tries again by itself; until then it is lost if Redline ends. (%s)", what, err)})
}

// Store stores the records, oldest first, and notifies the user of each. It stops at the first
// that cannot be stored yet and returns why; nil means that none is left. A record whose plan is
// being carried out does not delay the others. Store drops a record that can never be stored.
func (b *Backlog) Store(ctx context.Context) error {
	b.storing.Lock()
	defer b.storing.Unlock()
	var waits []*Unstored
	var underway error
	for {
		r := b.firstBut(waits)
		if r == nil {
			return underway
		}
		err := r.Store(ctx)
		switch {
		case errors.Is(err, ErrUnderway):
			waits, underway = append(waits, r), err
			continue
		case err != nil && (MayPass(err) || ctx.Err() != nil):
			return err
		}
		b.remove(func(other *Unstored) bool { return other == r })
		notice := state.Event{Kind: state.Noticed, Text: r.Stored}
		if err != nil {
			notice = state.Event{Kind: state.Noticed, Error: "What could not be kept before cannot be kept at all: " + phrase.SentenceOf(err)}
		}
		b.session.Notify(notice)
	}
}

// Has reports whether a record of a plan waits.
func (b *Backlog) Has(plan int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.records, func(r *Unstored) bool { return r.Plan == plan && plan != 0 })
}

// Drop removes the outcome of an execution, which was stored in another way.
func (b *Backlog) Drop(execution int64) {
	b.remove(func(r *Unstored) bool { return r.Execution != 0 && r.Execution == execution })
}

// firstBut returns the oldest record that is not in waits, nil for none.
func (b *Backlog) firstBut(waits []*Unstored) *Unstored {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.records {
		if !slices.Contains(waits, r) {
			return r
		}
	}
	return nil
}

func (b *Backlog) remove(of func(*Unstored) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = slices.DeleteFunc(b.records, of)
}
