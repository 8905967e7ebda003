package loop

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/tool"
)

// Limits end a turn that does not end by itself. Zero means the default.
type Limits struct {
	Requests int           // requests to the model; 50
	Steps    int           // different steps of the operations; 15
	Repeats  int           // how many replies may have the same call with no change in between; the last one is not run; 3
	Wall     time.Duration // 0: no limit
	Tokens   int           // tokens of all prompts and completions; 0: no limit

	// Calls is shared by the runs of one turn; nil for a single run.
	Calls *Calls
}

// governor checks the limits of one turn. Each check returns one sentence for the user on why
// the turn must end, or "".
type governor struct {
	limits  Limits
	repeats repeats
}

func newGovernor(l Limits) *governor {
	l.Requests, l.Steps, l.Repeats = cmp.Or(l.Requests, 50), cmp.Or(l.Steps, 15), cmp.Or(l.Repeats, 3)
	return &governor{limits: l, repeats: repeats{most: l.Repeats, shared: l.Calls}}
}

// errWall is the cause of a context that ended because its turn took too long.
var errWall = fmt.Errorf("the turn took too long: %w", context.DeadlineExceeded)

// clock returns a context that ends when the turn has taken too long.
func (g *governor) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	if g.limits.Wall <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, g.limits.Wall, errWall)
}

func (g *governor) outOfTime(ctx context.Context) string {
	if context.Cause(ctx) != errWall {
		return ""
	}
	return fmt.Sprintf("The turn was ended after %s, the limit for one turn; what was staged until then is kept.", g.limits.Wall)
}

func (g *governor) beforeRequest(ctx context.Context, out Outcome) string {
	used := out.Usage.Prompt + out.Usage.Completion
	switch {
	case out.Requests >= g.limits.Requests:
		return fmt.Sprintf("The turn was ended after %d requests to the model, the limit for one turn; what was staged until then is kept.", out.Requests)
	case g.limits.Tokens > 0 && used >= g.limits.Tokens:
		return fmt.Sprintf("The turn was ended after %d tokens, over the limit of %d for one turn; what was staged until then is kept.", used, g.limits.Tokens)
	}
	return g.outOfTime(ctx)
}

func (g *governor) tooManySteps(d *draft.Draft) string {
	steps := map[string]bool{}
	for _, o := range d.Operations() {
		steps[o.Step] = true
	}
	if len(steps) <= g.limits.Steps {
		return ""
	}
	return fmt.Sprintf("The turn was ended because the plan has more than %d steps, the limit for one plan; what was staged until then is kept.", g.limits.Steps)
}

// Calls counts the failed calls of several concurrent runs. A run does not know the answers of
// the others, but the same mistake counts for all of them. Reading what another run has read is
// not a mistake.
type Calls struct {
	mu     sync.Mutex
	failed map[string]int // in how many replies, by name and canonical arguments
}

func (c *Calls) add(key string, n int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = map[string]int{}
	}
	c.failed[key] += n
}

func (c *Calls) of(key string) int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed[key]
}

// repeats counts in how many replies each call came. The same call several times in one reply
// counts once. Counting starts over after a change: something else was staged or taken out, or
// the user has typed.
type repeats struct {
	most   int
	shared *Calls // shared by several runs of one turn, nil for a single run

	calls  map[string]int     // in how many replies, by name and canonical arguments
	failed map[string]int     // this run's failed calls that shared has counted
	reply  map[string]earlier // the calls of this reply
	typed  int                // see Hooks.Typed
	staged int                // how often this run has staged something or taken something out
}

// earlier is the result of an earlier call of the same reply.
type earlier struct {
	result tool.Result
	edits  bool // the call stages an edit
	staged int  // repeats.staged after the call
}

// begin begins a reply.
func (r *repeats) begin() { r.reply = map[string]earlier{} }

// hear records how much the user has typed so far.
func (r *repeats) hear(typed int) {
	if typed != r.typed {
		r.typed = typed
		r.changed("")
	}
}

// changed starts counting over, except for the call that made the change.
func (r *repeats) changed(by string) {
	maps.DeleteFunc(r.calls, func(key string, _ int) bool { return key != by })
	for key, n := range r.failed {
		r.shared.add(key, -n)
	}
	clear(r.failed)
}

// before counts a call. If the call must not be run, it returns the answer: the reply has the
// same call already, or too many replies had it, and then why says so.
func (r *repeats) before(c model.Call) (answer *tool.Result, why string) {
	key := keyOf(c)
	if e, ok := r.reply[key]; ok {
		return e.once(r.staged), ""
	}
	if r.calls == nil {
		r.calls, r.failed = map[string]int{}, map[string]int{}
	}
	r.calls[key]++
	n := r.calls[key] + r.shared.of(key) - r.failed[key]
	if n < r.most {
		return nil, ""
	}
	again := notRun(fmt.Sprintf("it is the same call for the %s time, and nothing has changed in between: the result would be the same. Do something else, or end the turn with an answer", ordinal(n)))
	r.reply[key] = earlier{result: again, staged: r.staged}
	return &again, fmt.Sprintf("The turn was ended because the model made the same call of %s %d times; what was staged until then is kept.", clip(c.Name), n)
}

// once returns the answer to a call that the same reply has already. It returns nil if the call
// must run again because its result may be different now.
func (e earlier) once(staged int) *tool.Result {
	switch {
	case e.edits && len(e.result.Staged) > 0:
		again := notRun("it is the same call as one above in this reply, and that is staged; nothing is staged twice. If it is meant twice, make it again in another reply")
		return &again
	case e.staged != staged || !e.edits && len(e.result.Staged) > 0: // a command may be meant to run before and after an edit
		return nil
	case e.result.IsError:
		again := e.result
		return &again
	}
	return &tool.Result{Text: "The same call came above in this reply, and its answer is there.", Summary: e.result.Summary}
}

// after records the result of a call. edits is true if its tool stages edits.
func (r *repeats) after(c model.Call, result tool.Result, edits bool) {
	key := keyOf(c)
	switch {
	case len(result.Staged) > 0 || result.TakenBack:
		r.staged++
		r.changed(key)
	case result.IsError:
		if _, twice := r.reply[key]; !twice && r.shared != nil {
			r.failed[key]++
			r.shared.add(key, 1)
		}
	}
	r.reply[key] = earlier{result, edits, r.staged}
}

func keyOf(c model.Call) string { return c.Name + "\x00" + canonical(c.Arguments) }

// canonical returns arguments in a form that does not depend on spaces and the order of members.
// It returns text that is not JSON unchanged.
func canonical(arguments string) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader([]byte(arguments)))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return arguments
	}
	doc, err := json.Marshal(v)
	if err != nil {
		return arguments
	}
	return string(doc)
}

// ordinal returns a number as a position: "first".
func ordinal(n int) string {
	switch n {
	case 1:
		return "first"
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}
