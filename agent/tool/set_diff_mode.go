package tool

import "context"

// DiffModes are the ways to show differences.
var DiffModes = []string{"unified", "split"}

var setDiffMode = define(Tool{
	Name: "set_diff_mode",
	params: params{
		{name: "mode", kind: stringKind, required: true, oneOf: DiffModes, about: "unified: old and new lines below each other. split: side by side."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		mode := c.text("mode")
		return show(env, "show differences "+mode, func(e Editor) error { return e.SetDiffMode(mode) })
	},
})
