//go:build !linux || !(amd64 || arm64)

package runner

import (
	"redline/workspace/leftover"
	"redline/workspace/world"
)

// ProbeArg is the hidden subcommand that tests a world from inside.
const ProbeArg = "probe-world"

// Worlds returns [world.ErrUnsupported].
func Worlds() error { return world.ErrUnsupported }

// WorldsNoted returns [world.ErrUnsupported].
func WorldsNoted(*leftover.Ledger) error { return world.ErrUnsupported }

// BoundedWorlds returns false.
func BoundedWorlds() bool { return false }

// Apart returns [world.Overlay].
func Apart() (kind world.Kind, why string) { return world.Overlay, "" }

// OnDisk returns false.
func OnDisk() bool { return false }

func hostNetworkOf(world.Kind, *leftover.Ledger) error { return world.ErrUnsupported }

func probeWorld(string) int { return 2 }
