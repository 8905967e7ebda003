//go:build amd64 || arm64

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"redline/internal/leash"
	"redline/workspace/world"
)

// ProbeArg is the hidden subcommand by which a world is tested from inside.
const ProbeArg = "probe-world"

// probeTime bounds a test of a world.
const probeTime = 20 * time.Second

// Worlds reports whether commands can be run in worlds here: nil, or why not, as a part of a
// sentence. The first call builds a world around things of its own making, and tries to reach
// them and more from inside. Where anything is reached there are no worlds. Where the system
// refuses what a world needs, the error is a [leash.Refusal].
var Worlds = sync.OnceValue(testWorld)

func testWorld() error {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	b, err := world.Lay()
	if err != nil {
		return fmt.Errorf("it cannot be tested whether commands are kept apart: %w", err)
	}
	defer b.Remove()
	targets, err := json.Marshal(b.Targets)
	if err != nil {
		return err
	}
	o, err := Run(ctx, Command{Dir: b.Folder, World: &b.World, probe: string(targets)}, nil)
	if err != nil {
		return fmt.Errorf("commands cannot be kept apart from the rest of the system: %w", leash.Refused(err))
	}
	var found probed
	if o.End != Exited || json.Unmarshal([]byte(o.Stdout), &found) != nil || found.Tried == 0 {
		return fmt.Errorf("it cannot be tested whether commands are kept apart: the test ended with %s %d %s", o.End, o.ExitCode, strings.TrimSpace(o.Stderr))
	}
	if len(found.Reached) > 0 {
		return fmt.Errorf("commands are not kept apart from the rest of the system: in a test one could %s", strings.Join(found.Reached, ", "))
	}
	if err := b.Untouched(); err != nil {
		return fmt.Errorf("commands are not kept apart from the rest of the system: in a test %w", err)
	}
	return nil
}

// probed is what a probe prints.
type probed struct {
	Reached []string
	Tried   int
}

// probeWorld is the main function of a probe, which runs in a world.
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
