// Package guarded prevents access to a value without its lock. A [Value] opens only with
// the [Held] that locking returns, so a function that needs the lock has it among its
// parameters, and one that does not cannot reach the value.
package guarded

import "sync"

// Lock is a mutex that guards values, in one place or in many.
type Lock struct{ mu sync.Mutex }

// Lock acquires the lock.
func (l *Lock) Lock() Held {
	l.mu.Lock()
	return Held{l}
}

// Held stands for a lock that is held. It must not be used after Unlock.
type Held struct{ lock *Lock }

// Unlock releases the lock.
func (h Held) Unlock() { h.lock.mu.Unlock() }

// Value is a value that a lock guards.
type Value[T any] struct{ value T }

// New returns v as a guarded value. The zero Value has the zero value of T.
func New[T any](v T) Value[T] { return Value[T]{v} }

// Open returns the value, which may be used until h is unlocked. It panics on the zero Held.
func (v *Value[T]) Open(h Held) *T {
	if h.lock == nil {
		panic("guarded: the lock is not held")
	}
	return &v.value
}
