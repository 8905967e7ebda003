package outside

import (
	"context"
	"io"
	"slices"

	"redline/workspace/network"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// Talk is what is said to an agent in a turn, and how that has ended. Read what is below To only after its
// command has ended.
type Talk struct {
	Turn
	To    Sink
	Began bool  // the agent was started
	End   End   // of one that speaks ACP
	Err   error // what [Converse] returned
}

// Equip returns what gives a command in a copy what the agent may have there: its state, variables and
// resources. An agent that speaks ACP is talked to, another gets the request if that goes to its input. The
// error is a part of a sentence.
func (a *Agent) Equip(p Program, t *Talk) func(*runner.Command) error {
	return func(c *runner.Command) error {
		reach, err := network.Parse(a.Network)
		if err != nil {
			return err
		}
		switch {
		case p.ACP:
			c.Talk = func(ctx context.Context, stream io.ReadWriter) error {
				asked := t.Turn
				t.Began = true
				asked.Others = slices.Clone(asked.Others)
				for i, dir := range asked.Others {
					if in, ok := inPlain(c, dir); ok {
						asked.Others[i] = in
					}
				}
				asked.Dir, asked.Others = c.Dir, slices.DeleteFunc(asked.Others, func(dir string) bool { return dir == c.Dir })
				t.End, t.Err = Converse(ctx, stream, *a, asked, t.To)
				return t.Err
			}
		case p.OnStdin():
			c.Input = []byte(t.Request)
		}
		t.Began = !p.ACP
		c.Network = reach
		c.Keys, c.World.State = a.Env, world.State{Paths: a.State, Keep: a.Keep}
		if c.Plain != nil { // it has the user's own
			c.Write = append(slices.Clip(c.Write), a.State...)
		}
		c.Limits.Time, c.World.Memory, c.World.Processes = a.Timeout, int64(a.Memory)<<20, a.Processes
		return nil
	}
}

// inPlain returns the name in the plain copy of a command, if it has one.
func inPlain(c *runner.Command, dir string) (in string, ok bool) {
	if c.Plain == nil {
		return "", false
	}
	return c.Plain.In(dir)
}
