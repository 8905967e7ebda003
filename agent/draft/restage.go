package draft

import "redline/agent/plan"

// errOther says that an operation staged once more became none, or several.
type errOther int

// again stages an operation once more, under its id and step.
func (d *content) again(replay Replay, o plan.Operation) ([]Staged, error) {
	at := len(d.operations)
	alone := &Draft{guarded: *d}
	staged, err := replay(alone, o)
	*d = alone.guarded
	if n := len(d.operations) - at; err == nil && n != 1 {
		err = errOther(n)
	}
	if err != nil {
		return nil, err
	}
	o.Path = d.operations[at].Path
	d.operations[at] = o
	d.steps[o.Step] = true
	return staged, nil
}
