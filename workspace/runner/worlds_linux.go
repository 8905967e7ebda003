//go:build amd64 || arm64

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redline/internal/leash"
	"redline/workspace/leftover"
	"redline/workspace/network"
	"redline/workspace/world"
)

// ProbeArg is the hidden subcommand that tests a world from inside.
const ProbeArg = "probe-world"

// probeTime is the timeout of a test of a world.
const probeTime = 20 * time.Second

// Worlds reports whether commands can run in worlds on this system: nil, or why not, as a
// part of a sentence. The first call builds a world around test files, and tries to reach
// them and more from inside. If it reaches anything, Worlds returns an error. If the
// system refuses something that a world needs, the error is a [leash.Refusal]. If only
// bwrap may build worlds, bwrap builds them.
func Worlds() error { return WorldsNoted(nil) }

// WorldsNoted is [Worlds] for commands with left as their Left: if this process is killed
// during the test, a later process removes the test files. If memory cannot hold what
// commands write, it must be possible to keep that in a folder on a disk.
func WorldsNoted(left *leftover.Ledger) error {
	tested.Do(func() {
		a := apart{kind: world.Overlay}
		a.bounded, a.err = testWorld(left, world.Overlay, false)
		if _, ok := errors.AsType[*forgotten](a.err); ok {
			a.disk = true
			a.bounded, a.err = testWorld(left, world.Overlay, true)
		}
		if refused, ok := errors.AsType[*leash.Refusal](a.err); ok {
			a = byBwrap(left, a, refused)
		}
		found.Store(&a)
	})
	return found.Load().err
}

// BoundedWorlds reports whether the memory and process limits of a command in a world
// apply to all of its processes together, and not only to each by itself.
func BoundedWorlds() bool { return Worlds() == nil && found.Load().bounded }

// OnDisk reports whether the writes of commands in worlds are kept on a disk while they
// run.
func OnDisk() bool { a := found.Load(); return a != nil && a.disk }

// forgotten is the error if keeping writes in memory is the only problem.
type forgotten struct{ error }

// tested runs the test once.
var tested sync.Once

// cannotBuild is the beginning of the error if no world can be built.
const cannotBuild = "commands cannot be kept apart from the rest of the system: "

func testWorld(left *leftover.Ledger, kind world.Kind, disk bool) (bounded bool, err error) {
	return testWith(left, kind, disk, network.Access{})
}

// hostNetworkOf reports whether commands in worlds of a kind can have the host's network: nil, or why not. Its
// first call tests that nothing else of the host is reached through it.
func hostNetworkOf(kind world.Kind, left *leftover.Ledger) error {
	hostNetworks.Lock()
	defer hostNetworks.Unlock()
	err, tested := hostNetworks.of[kind]
	if !tested {
		_, err = testWith(left, kind, OnDisk(), network.Access{Host: true})
		hostNetworks.of[kind] = err
	}
	return err
}

var hostNetworks = struct {
	sync.Mutex
	of map[world.Kind]error
}{of: map[world.Kind]error{}}

// testWith is [Worlds] for a kind, a place for what is written and a network.
func testWith(left *leftover.Ledger, kind world.Kind, disk bool, access network.Access) (bounded bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	dir := filepath.Join(os.TempDir(), leftover.Name(leftover.World))
	defer left.Note(dir)()
	b, err := world.Lay(dir)
	if err != nil {
		return false, fmt.Errorf("it cannot be tested whether commands are kept apart: %w", err)
	}
	defer b.Remove()
	targets, err := json.Marshal(b.Targets)
	if err != nil {
		return false, err
	}
	b.World.Kind = kind
	o, err := Run(ctx, Command{Dir: b.Folder, World: &b.World, Network: access, Left: left, disk: disk, probe: string(targets)}, nil)
	if err != nil {
		return false, fmt.Errorf(cannotBuild+"%w", leash.Refused(err))
	}
	var found probed
	if o.End != Exited || json.Unmarshal([]byte(o.Stdout), &found) != nil || found.Tried == 0 {
		return false, fmt.Errorf("it cannot be tested whether commands are kept apart: the test ended with %s %d %s", o.End, o.ExitCode, strings.TrimSpace(o.Stderr))
	}
	if access.Host {
		found.Reached = slices.DeleteFunc(found.Reached, func(what string) bool { return slices.Contains(world.OnNetwork, what) })
	}
	if len(found.Reached) > 0 {
		err := fmt.Errorf("commands are not kept apart from the rest of the system: in a test one could %s", strings.Join(found.Reached, ", "))
		if slices.Equal(found.Reached, []string{world.Forgotten}) {
			return false, &forgotten{err}
		}
		return false, err
	}
	if err := b.Untouched(); err != nil {
		return false, fmt.Errorf("commands are not kept apart from the rest of the system: in a test %w", err)
	}
	return o.Bounded, nil
}

// probed is the output of a probe.
type probed struct {
	Reached []string
	Tried   int
}

// probeWorld is the main function of a probe, which runs inside a world.
func probeWorld(targets string) int {
	var t world.Targets
	if json.Unmarshal([]byte(targets), &t) != nil {
		return 2
	}
	var p probed
	p.Reached, p.Tried = world.Probe(t)
	if json.NewEncoder(os.Stdout).Encode(p) != nil {
		return 1
	}
	return 0
}

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
