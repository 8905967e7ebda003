//go:build amd64 || arm64

package runner

import (
	"fmt"
	"strings"
	"sync/atomic"

	"redline/internal/leash"
	"redline/workspace/leftover"
	"redline/workspace/world"
)

// apart describes how this system isolates commands in worlds.
type apart struct {
	kind world.Kind
	why  string // this kind instead of overlays; "" for overlays
	err  error  // why overlays are not possible

	bounded bool // a cgroup limits the command as a whole
	disk    bool // writes cannot be kept in memory
}

// found is the result of the test, nil before it.
var found atomic.Pointer[apart]

// Apart returns how commands in worlds that name no kind are isolated, as [Worlds] found
// out. If that is not by overlays, it also returns why, as a part of a sentence.
func Apart() (kind world.Kind, why string) {
	if a := found.Load(); a != nil {
		return a.kind, a.why
	}
	return world.Overlay, ""
}

// byBwrap tests whether bwrap can build worlds where this program may not: a policy may
// allow namespaces only to bwrap, or bwrap runs as root.
func byBwrap(left *leftover.Ledger, a apart, refused *leash.Refusal) apart {
	if _, err := findBwrap(); err != nil {
		return a
	}
	bounded, err := testWorld(left, world.Bwrap, false)
	if err != nil {
		why := *refused
		why.Why += "; nor can bwrap help: " + strings.TrimPrefix(err.Error(), cannotBuild)
		return apart{kind: world.Overlay, err: fmt.Errorf(cannotBuild+"%w", &why)}
	}
	return apart{kind: world.Bwrap, why: refused.Why, bounded: bounded}
}
