package trial

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"redline/agent/plan"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// longest is the longest time that a command gets without the user's word: a cold build of a large
// project fits, and one that hangs ends.
const longest = 10 * time.Minute

// lastRuns is how many of a command's last runs count.
const lastRuns = 3

// spent is how one run of a command spent its time.
type spent struct {
	at    time.Time
	took  time.Duration
	ended bool // by itself; otherwise its time had run out
}

// paces is what is known of the time that a command takes in this workspace.
type paces struct {
	took time.Duration // the longest of its last runs that ended by themselves, 0 for none
	cut  time.Duration // when the newest run was ended, because its time had run out; 0 if it was not
}

// pacesOf returns what is known of a command: from the trials of all plans here, and from this
// session's.
func (t *Trials) pacesOf(c Command) (p paces) {
	t.mu.Lock()
	runs := slices.Clone(t.spent[nameOf(c)])
	t.mu.Unlock()
	for _, v := range t.board.Snapshot().Plans {
		for _, one := range v.Plan.Trials {
			took := time.Duration(one.Millis) * time.Millisecond
			if ended := one.ExitCode != nil; one.Command == c.Line && one.Cwd == c.Cwd && (ended || one.Why == outOfTime) {
				runs = append(runs, spent{one.At, took, ended})
			}
		}
	}
	slices.SortStableFunc(runs, func(a, b spent) int { return b.at.Compare(a.at) })
	for i, r := range runs[:min(len(runs), lastRuns)] {
		if r.ended {
			p.took = max(p.took, r.took)
		} else if i == 0 {
			p.cut = r.took
		}
	}
	return p
}

// maxPaced is how many commands are remembered.
const maxPaced = 100

// spend remembers the time of a run.
func (t *Trials) spend(c Command, r spent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.spent) >= maxPaced {
		clear(t.spent)
	}
	name := nameOf(c)
	runs := append(t.spent[name], r)
	t.spent[name] = slices.Clone(runs[max(0, len(runs)-lastRuns):])
}

// nameOf names a command with its folder: `"go test" "tools"`.
func nameOf(c Command) string { return fmt.Sprintf("%q %q", c.Line, c.Cwd) }

// most returns the longest time that a command may take: what the user has set, or else two minutes,
// and more for one that is known to take more.
func (t *Trials) most(p paces) time.Duration {
	usual := cmp.Or(t.options.Command.Limits.Time, usualTime)
	if t.options.TimeSet {
		return usual
	}
	return max(usual, min(max(3*p.took, 2*p.cut), longest))
}

// limit returns the time that a command gets: what the model asks for, but no less than twice what it
// is known to take, within what it may take.
func (t *Trials) limit(c Command, p paces) time.Duration {
	if c.Timeout <= 0 {
		return t.most(p)
	}
	most := t.most(p)
	if !t.options.TimeSet {
		most = max(most, longest)
	}
	return min(max(c.Timeout, 2*p.took), most)
}

// outOfTime is why a command could not be run if its time ran out.
const outOfTime = "it ran out of time"

// help says what helps a command that ran out of time, in a sentence or two. given is what it got.
func (t *Trials) help(c Command, p paces, given time.Duration) string {
	if p.took > 0 && 2*p.took < given {
		return fmt.Sprintf("It has ended here after %s before: it may wait for something.", phrase.Took(p.took.Milliseconds()))
	}
	raise := "raise `trials.timeout_seconds`"
	if build := buildOf(c.Line); build != "" {
		return fmt.Sprintf("Cold: build once outside: `%s`%s, or %s.", phrase.Clip(phrase.OneLine(secrets.MaskedCommand(build)), 120), plan.InFolder(c.Cwd), raise)
	}
	return "Try a part of it, or " + raise + "."
}

// again tells the model how long the command may take if it is tried again, "" if no longer.
func (t *Trials) again(c Command, given time.Duration) string {
	switch {
	case t.options.TimeSet && c.Timeout > given:
		return fmt.Sprintf("timeout_seconds was %.0f, and %.0f are the most here (trials.timeout_seconds).", c.Timeout.Seconds(), given.Seconds())
	case t.options.TimeSet && c.Timeout > 0 && c.Timeout < t.most(paces{}):
		return fmt.Sprintf("timeout_seconds may be %.0f.", t.most(paces{}).Seconds())
	case !t.options.TimeSet && given < longest:
		return fmt.Sprintf("timeout_seconds may be %.0f; without it, the next try gets %.0f.", longest.Seconds(), t.most(t.pacesOf(c)).Seconds())
	}
	return ""
}
