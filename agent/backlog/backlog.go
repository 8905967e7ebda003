// Package backlog keeps the records that the store could not take when they were made,
// as on a full disk, and stores them when it can. Until then they are in memory alone,
// and what is shown is as if they were stored. An approval or an undo never waits here:
// its record must be stored before anything is sent to an editor.
package backlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/session"
	"redline/agent/store"
	"redline/internal/phrase"
)

// Record is one record that waits.
type Record struct {
	Plan      int   // the plan that it is about, 0 for none or one that has no number yet
	Execution int64 // the execution whose outcome it is, 0 for anything else
	Store     func(context.Context) error
	Stored    string // what to tell the user once it is stored
}

// Backlog is the records of a session that wait, oldest first.
type Backlog struct {
	session *session.Session
	storing sync.Mutex // held while records are stored, one after the other

	mu      sync.Mutex
	records []*Record
}

// New returns an empty backlog.
func New(s *session.Session) *Backlog { return &Backlog{session: s} }

// ErrUnderway says that a plan is being carried out, so that nothing can be staged in it
// at this moment.
var ErrUnderway = errors.New("the plan is being carried out")

// MayPass reports whether something that could not be stored may be stored later: the
// failure goes by itself, the user can end it while the session goes on, or the plan is
// being carried out.
func MayPass(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrUnwritable) || errors.Is(err, ErrUnderway)
}

// Add keeps a record that could not be stored because of err, and tells the user. what
// says in a sentence what is not kept yet.
func (b *Backlog) Add(r Record, what string, err error) {
	b.mu.Lock()
	b.records = append(b.records, &r)
	b.mu.Unlock()
	b.session.Log.Warn("a record could not be stored yet", zap.Int("plan", r.Plan), zap.Error(err))
	b.session.Notify(event.Event{Kind: event.Noticed, Error: fmt.Sprintf("%s Redline tries again by itself; until then it is lost if Redline ends. (%s)", what, err)})
}

// Store stores what can be stored by now. It returns why that does not work yet, nil
// when nothing is left. It drops a record that can never be stored and notifies the user.
func (b *Backlog) Store(ctx context.Context) error {
	b.storing.Lock()
	defer b.storing.Unlock()
	for {
		r := b.first()
		if r == nil {
			return nil
		}
		err := r.Store(ctx)
		if err != nil && (MayPass(err) || ctx.Err() != nil) {
			return err
		}
		b.remove(func(other *Record) bool { return other == r })
		notice := event.Event{Kind: event.Noticed, Text: r.Stored}
		if err != nil {
			notice = event.Event{Kind: event.Noticed, Error: "What could not be kept before cannot be kept at all: " + phrase.SentenceOf(err)}
		}
		b.session.Notify(notice)
	}
}

// Has reports whether something of a plan waits.
func (b *Backlog) Has(plan int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.records, func(r *Record) bool { return r.Plan == plan && plan != 0 })
}

// Drop forgets the outcome of an execution, which was stored after all.
func (b *Backlog) Drop(execution int64) {
	b.remove(func(r *Record) bool { return r.Execution != 0 && r.Execution == execution })
}

func (b *Backlog) first() *Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.records) == 0 {
		return nil
	}
	return b.records[0]
}

func (b *Backlog) remove(of func(*Record) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = slices.DeleteFunc(b.records, of)
}
