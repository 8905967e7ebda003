package tool

import "context"

var runCommand = define(Tool{
	Name:     "run_command",
	Buffered: true,
	commands: true,
	params: buffered(
		param{name: "command", kind: stringKind, required: true, about: "The command line, for the shell."},
		param{name: "cwd", kind: stringKind, about: "The folder to run it in, relative to the workspace; its root when absent."},
		param{name: "timeout_seconds", kind: integerKind, about: "After how many seconds it is stopped."},
		param{name: "on_failure", kind: stringKind, oneOf: []string{"stop", "continue"}, about: "What happens to the rest of the plan when it fails: stop (the default), or continue."},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		cwd := ""
		if name := c.text("cwd"); name != "" {
			clean, err := env.Workspace.Clean(name)
			if err != nil {
				return failure(c.tool, err)
			}
			cwd = clean
		}
		s, err := env.Draft.Command(c.text("command"), cwd, c.operation())
		return staged(c, s, err)
	},
})
