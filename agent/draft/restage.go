package draft

import "redline/agent/plan"

// errOther says that an operation that is staged once more comes to none, or to
// several.
type errOther int

// again stages an operation once more, as the operation that it was.
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
