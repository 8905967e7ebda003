package outside

import (
	"redline/workspace/network"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// Equip returns what gives a command in a copy what the agent may have there: its state, variables and
// resources, and the request if that goes to its input. The error is a part of a sentence.
func (a *Agent) Equip(p Program, request string) func(*runner.Command) error {
	return func(c *runner.Command) error {
		reach, err := network.Parse(a.Network)
		if err != nil {
			return err
		}
		if p.OnStdin() {
			c.Input = []byte(request)
		}
		c.Network = reach
		c.Keys, c.World.State = a.Env, world.State{Paths: a.State, Keep: a.Keep}
		c.Limits.Time, c.World.Memory, c.World.Processes = a.Timeout, int64(a.Memory)<<20, a.Processes
		return nil
	}
}
