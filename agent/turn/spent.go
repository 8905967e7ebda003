package turn

import (
	"redline/agent/model"
	"redline/agent/state"
)

// asUsage returns what a model has used as clients see it.
func asUsage(u model.Usage) state.Usage {
	return state.Usage{Prompt: u.Prompt, Completion: u.Completion, Cost: u.Cost}
}
