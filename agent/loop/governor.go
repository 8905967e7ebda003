package loop

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"redline/agent/draft"
)

// Limits end a turn that does not end by itself. Zero is the default.
type Limits struct {
	Requests int           // to the model; 50
	Steps    int           // different steps that operations belong to; 15
	Repeats  int           // in how many replies the same call may come with nothing changed in between: the last of them is not run any more; 3
	Wall     time.Duration // 0: none
	Tokens   int           // of all prompts and completions; 0: none

	// Calls are shared by runs that are one turn; nil for a run that is one alone.
	Calls *Calls
}

// governor watches the limits of one turn. Each method returns why the turn
// has to end, in one sentence for the user, or "".
type governor struct {
	limits  Limits
	repeats repeats
}

func newGovernor(l Limits) *governor {
	l.Requests, l.Steps, l.Repeats = cmp.Or(l.Requests, 50), cmp.Or(l.Steps, 15), cmp.Or(l.Repeats, 3)
	return &governor{limits: l, repeats: repeats{most: l.Repeats, shared: l.Calls}}
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

func (g *governor) tooManySteps(d *draft.Draft) string {
	if d.Steps() <= g.limits.Steps {
		return ""
	}
	return fmt.Sprintf("The turn was ended because the plan has more than %d steps, the limit for one plan; what was staged until then is kept.", g.limits.Steps)
}
