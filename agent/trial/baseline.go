package trial

import (
	"context"
	"fmt"
	"time"

	"redline/agent/commands"
	"redline/agent/view"
)

// baseline is the result of a command without a plan's edits.
type baseline struct {
	exitCode *int
	took     time.Duration
	failures []string // the failures in its output, see [commands.Failures]
	at       time.Time
}

// baselineFor is how long a result stays valid, since anything that the command reads may
// change.
const baselineFor = 10 * time.Minute

// maxBaselines is how many results are remembered.
const maxBaselines = 100

// baseline runs a command on texts without the plan's edits, or returns its earlier result on
// the same texts.
func (t *Trials) baseline(ctx context.Context, c Command, without view.TriedTexts) (baseline, error) {
	key := fmt.Sprintf("%q %q %v", c.Line, c.Cwd, without.Names())
	t.mu.Lock()
	known, ok := t.baselines[key]
	t.mu.Unlock()
	if ok && t.session.Now().Sub(known.at) < baselineFor {
		return known, nil
	}
	seen, err := t.observe(ctx, c, without, nil)
	if err != nil {
		return baseline{}, err
	}
	b := baseline{exitCode: seen.ExitCode, took: seen.took, failures: commands.Failures(seen.Output), at: t.session.Now()}
	if b.exitCode == nil { // the next run may end
		return b, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.baselines) >= maxBaselines {
		clear(t.baselines)
	}
	t.baselines[key] = b
	return b, nil
}

// forget drops the results, because a file was saved.
func (t *Trials) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.baselines)
}
