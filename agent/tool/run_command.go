package tool

import (
	"bytes"
	"context"
	"encoding/json"
)

var runCommand = define(Tool{
	Name:     "run_command",
	Buffered: true,
	commands: true,
	params: buffered(
		param{name: "command", kind: stringKind, required: true, also: []string{"cmd", "command_line"}, about: "For the shell."},
		cwdParam,
		param{name: "timeout_seconds", kind: integerKind, also: []string{"timeout_secs", "timeout_sec"}, about: "When to stop it."},
		param{name: "on_failure", kind: stringKind, oneOf: []string{"stop", "continue"}, about: "What the rest of the plan does then; default stop."},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		o, cwd := c.operation(), ""
		if name := c.text("cwd"); name != "" {
			var err error
			if cwd, err = env.Workspace.WorkFolder(name); err != nil {
				return failure(c.tool, err)
			}
			if o.Args, err = inFolder(c.raw, cwd); err != nil {
				return failure(c.tool, err)
			}
		}
		s, err := env.Draft.Command(c.text("command"), cwd, o)
		return staged(c, s, err)
	},
})

// inFolder replaces the folder in a command's arguments with Redline's spelling, and removes the
// workspace's root. The result is shown, covered by the approval hash, and run.
func inFolder(raw json.RawMessage, folder string) (json.RawMessage, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	var given string
	if json.Unmarshal(args["cwd"], &given) == nil && given == folder && folder != "" {
		return raw, nil
	}
	delete(args, "cwd")
	if folder != "" {
		name, err := json.Marshal(folder)
		if err != nil {
			return nil, err
		}
		args["cwd"] = name
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // users read the command line too
	err := enc.Encode(args)
	return bytes.TrimSpace(out.Bytes()), err
}
