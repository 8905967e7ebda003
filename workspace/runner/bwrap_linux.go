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

// apart says how commands are kept apart here.
type apart struct {
	kind world.Kind
	why  string // this kind, and not overlays; "" for those
	err  error  // why they are not

	bounded bool // by a cgroup
	disk    bool // memory cannot hold what they write
}

// found is how, once that is tested.
var found atomic.Pointer[apart]

// Apart returns how commands are kept apart in worlds that do not say how, as [Worlds] has found,
// and if it is not by overlays why, as a part of a sentence.
func Apart() (kind world.Kind, why string) {
	if a := found.Load(); a != nil {
		return a.kind, a.why
	}
	return world.Overlay, ""
}

// byBwrap tests whether bwrap can build worlds where this program is refused: a policy may allow
// namespaces to that program only, or it runs as root.
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
