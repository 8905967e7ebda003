package loop

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/tool"
)

// Limits end a turn that does not end by itself. Zero is the default.
type Limits struct {
	Requests int           // to the model; 50
	Steps    int           // different steps that operations belong to; 15
	Repeats  int           // how often the same call may come: the last of them is not run any more; 3
	Wall     time.Duration // 0: none
	Tokens   int           // of all prompts and completions; 0: none

	// Calls are shared by runs that are one turn; nil for a run that is one alone.
	Calls *Calls
}

// Calls counts the calls that came to nothing in any of several runs, which may go
// on at the same time: no run knows what the others were answered, but the same
// mistake made over and over is one for all of them. To look at what another has
// looked at is none.
type Calls struct {
	mu     sync.Mutex
	failed map[string]int // by name and canonical arguments
}

func (c *Calls) add(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = map[string]int{}
	}
	c.failed[key]++
}

func (c *Calls) of(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed[key]
}

// governor watches the limits of one turn. Each method returns why the turn
// has to end, in one sentence for the user, or "".
type governor struct {
	limits Limits
	calls  map[string]int  // how often each call came, by name and canonical arguments
	looks  map[string]bool // those of calls that only looked
	failed map[string]int  // how often each failed here, of those that Limits.Calls has
}

func newGovernor(l Limits) *governor {
	l.Requests, l.Steps, l.Repeats = cmp.Or(l.Requests, 50), cmp.Or(l.Steps, 15), cmp.Or(l.Repeats, 3)
	return &governor{limits: l, calls: map[string]int{}, looks: map[string]bool{}, failed: map[string]int{}}
}

// errWall is why the context of a turn ended that took too long.
var errWall = fmt.Errorf("the turn took too long: %w", context.DeadlineExceeded)

// clock returns the context that a turn works under.
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

// repeated counts a call.
func (g *governor) repeated(c model.Call) string {
	key := keyOf(c)
	g.calls[key]++
	n := g.calls[key]
	if g.limits.Calls != nil {
		n += g.limits.Calls.of(key) - g.failed[key]
	}
	if n >= g.limits.Repeats {
		return fmt.Sprintf("The turn was ended because the model made the same call of %s %d times; what was staged until then is kept.", clip(c.Name), n)
	}
	return ""
}

// answered takes note of what came of a call. Once something was staged, it is
// no repetition to look at the same thing again.
func (g *governor) answered(c model.Call, result tool.Result) {
	switch {
	case result.Staged != nil:
		g.lookAgain()
	case !result.IsError:
		g.looks[keyOf(c)] = true
	case g.limits.Calls != nil:
		g.failed[keyOf(c)]++
		g.limits.Calls.add(keyOf(c))
	}
}

// lookAgain has what was looked at not count as a repetition when it is looked at
// once more.
func (g *governor) lookAgain() {
	for key := range g.looks {
		delete(g.calls, key)
	}
	clear(g.looks)
}

func keyOf(c model.Call) string { return c.Name + "\x00" + canonical(c.Arguments) }

// canonical makes arguments that differ in blanks and the order of members the
// same. What is not JSON stays as it is.
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

func (g *governor) tooManySteps(d *draft.Draft) string {
	if d.Steps() <= g.limits.Steps {
		return ""
	}
	return fmt.Sprintf("The turn was ended because the plan has more than %d steps, the limit for one plan; what was staged until then is kept.", g.limits.Steps)
}
