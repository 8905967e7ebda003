package tool

import (
	"context"
	"errors"
	"strings"

	"redline/agent/draft"
	"redline/internal/phrase"
)

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
