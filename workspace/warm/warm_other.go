//go:build !linux

package warm

import (
	"context"

	"redline/workspace/world"
)

// Taken does nothing on this system, which has no worlds.
type Taken struct{}

// Take returns nil.
func (*Keeper) Take(context.Context, Build) *Taken { return nil }

// Kept returns none.
func (*Taken) Kept() world.Kept { return world.Kept{} }

// Changes returns none.
func (*Taken) Changes() []world.Change { return nil }

// Return does nothing.
func (*Taken) Return(End) {}

// Sweep does nothing.
func Sweep(string) {}

// Forget does nothing.
func (*Keeper) Forget(string) {}
