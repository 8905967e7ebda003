package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"redline/agent/draft"
	"redline/internal/phrase"
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

// Trying runs a command, isolated, on the files with the draft's operations, and returns the
// answer for the model. The error says why it was not run.
type Trying func(ctx context.Context, d *draft.Draft, c Try) (answer string, err error)

// Try is a command to try.
type Try struct {
	Command string
	Cwd     string // the folder to run it in, as the model gave it; "" for the workspace's root
	Seconds int    // the timeout; 0: the user's limit
}

// TryCommand returns the tool that tries commands. Offer it only if [Env] has a Try function,
// because trials are possible here and the user allows them, and if commands may be staged.
// hints are sentences for the model on what to try here.
func TryCommand(hints ...string) Tool {
	t := tryCommand
	t.Description = strings.Join(append([]string{strings.TrimSpace(t.Description)}, hints...), "\n")
	return t
}

var tryCommand = define(Tool{
	Name: "try_command",
	params: params{
		{name: "command", kind: stringKind, required: true, also: []string{"cmd", "command_line"}, about: "For the shell."},
		cwdParam,
		{name: "timeout_seconds", kind: integerKind, also: []string{"timeout_secs", "timeout_sec"}, about: "When to stop it."},
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		what := "try " + phrase.Clip(phrase.OneLine(c.text("command")), 120)
		if env.Try == nil {
			return failure(what, errors.New("commands cannot be tried here; continue without it, and say what was not checked"))
		}
		answer, err := env.Try(ctx, env.Draft, Try{
			Command: c.text("command"), Cwd: c.text("cwd"), Seconds: c.int("timeout_seconds"),
		})
		if err != nil {
			return failure(what, err)
		}
		return Result{Text: phrase.ClipBytes(answer, MaxResult), Summary: spaced(what + ": " + phrase.FirstLine(answer, 80))}
	},
})
