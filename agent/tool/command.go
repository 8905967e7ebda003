package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

var runCommand = define(Tool{
	Name:     "run_command",
	Buffered: true,
	commands: true,
	params: buffered(
		param{name: "command", kind: stringKind, required: true, also: []string{"cmd", "command_line"}},
		cwdParam,
		param{name: "timeout_seconds", kind: integerKind, also: []string{"timeout_secs", "timeout_sec"}},
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
// answer for the model, and what it has staged of the command's changes. The error says why it was not run.
type Trying func(ctx context.Context, d *draft.Draft, c Try) (answer string, staged []draft.Staged, err error)

// Try is a command to try.
type Try struct {
	Command string
	Cwd     string // the folder to run it in, as the model gave it; "" for the workspace's root
	Seconds int    // the timeout; 0: the user's limit

	Keep []string // globs of the files whose changes are staged
	Step string   // the step that these belong to
}

// TryCommand returns the tool that tries commands. Offer it only if [Env] has a Try function,
// because trials are possible here and the user allows them, and if commands may be staged.
// hints are sentences for the model on what to try here.
func TryCommand(hints ...string) Tool {
	t := tryCommand
	t.Description = strings.Join(append([]string{strings.TrimSpace(t.Description)}, hints...), "\n")
	return t
}

// maxKeptNamed is how many of the changes that are kept of a tried command are named.
const maxKeptNamed = 20

var tryCommand = define(Tool{
	Name: "try_command",
	params: params{
		{name: "command", kind: stringKind, required: true, also: []string{"cmd", "command_line"}},
		cwdParam,
		{name: "timeout_seconds", kind: integerKind, also: []string{"timeout_secs", "timeout_sec"}},
		{name: "keep", kind: stringsKind, also: []string{"keep_files", "stage"}},
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		what := "try " + phrase.Clip(phrase.OneLine(secrets.MaskedCommand(c.text("command"))), 120)
		if env.Try == nil {
			return failure(what, errors.New("commands cannot be tried here; continue without it, and say what was not checked"))
		}
		try := Try{Command: c.text("command"), Cwd: c.text("cwd"), Seconds: c.int("timeout_seconds"), Keep: c.strings("keep")}
		if len(try.Keep) > 0 {
			if !env.Edits {
				return failure(what, errors.New("nothing can be staged here, so nothing can be kept: try it without keep"))
			}
			var err error
			if try.Step, err = env.stepOf("", false); err != nil {
				return failure(what, err)
			}
		}
		answer, kept, err := env.Try(ctx, env.Draft, try)
		if err != nil {
			return failure(what, err)
		}
		r := Result{Summary: spaced(what + ": " + phrase.FirstLine(answer, 80)), Staged: kept}
		answer = phrase.ClipBytes(answer, MaxResult-maxListing)
		for i, s := range kept {
			one := staged(call{tool: "change"}, s, nil)
			if i < maxKeptNamed {
				answer += one.Text + "\n"
			}
			if i == 0 {
				r.Summary += "; " + one.Summary
			}
		}
		if more := len(kept) - maxKeptNamed; more > 0 {
			answer += fmt.Sprintf("staged: %s\n", phrase.Count(more, "more change"))
		}
		if more := len(kept) - 1; more > 0 {
			r.Summary += fmt.Sprintf(" and %d more", more)
		}
		r.Text = answer
		return r
	},
})

// Remote is a tool of a tool server that the user has configured.
type Remote struct {
	Name        string
	Description string          // for the model
	Schema      json.RawMessage // the schema of the arguments
}

// Looking makes a tool that runs at once. look asks the server; its answer for the model must be
// fenced and limited in size, because it is data. The caller must ensure that look cannot change
// anything.
func Looking(r Remote, look func(ctx context.Context, name string, arguments json.RawMessage) (text string, isError bool)) Tool {
	return Tool{Name: r.Name, Description: r.Description, Schema: r.Schema, OfServer: true, run: func(ctx context.Context, _ *Env, c call) Result {
		text, isError := look(ctx, r.Name, c.raw)
		if len(text) > MaxResult {
			text = strings.ToValidUTF8(text[:MaxResult], "")
		}
		return Result{Text: text, IsError: isError, Summary: "ask " + r.Name}
	}}
}

// Buffered makes a tool whose calls are staged as commands, to run after approval. line formats
// a call for the user. Nothing here can run one.
func Buffered(r Remote, line func(name string, arguments json.RawMessage) (string, error)) Tool {
	return Tool{Name: r.Name, Description: r.Description, Schema: r.Schema, OfServer: true, Buffered: true, commands: true, run: func(_ context.Context, env *Env, c call) Result {
		if len(bytes.TrimSpace(c.raw)) == 0 {
			c.raw = json.RawMessage("{}")
		}
		shown, err := line(r.Name, c.raw)
		if err != nil {
			return failure(r.Name, err)
		}
		s, err := env.Draft.Command(shown, "", plan.Operation{Step: c.step, Tool: r.Name, Args: c.raw})
		if err != nil {
			return failure(r.Name, err)
		}
		return Result{
			Text:    "staged: " + phrase.ClipBytes(spaced(shown), maxListing) + "\nIt is called after the user has approved it; its answer is not known in this turn.",
			Summary: CommandSummary(shown, ""), Staged: []draft.Staged{s},
		}
	}}
}

// Fetched is a text from the network.
type Fetched struct {
	URL  string // after redirects
	Type string // its media type, "" if unknown
	Text string // UTF-8; of HTML, the visible text
	Cut  bool   // the text was cut at the limit
}

// FetchURL returns the tool that gets texts from the network. It is offered only if [Env] has
// a Fetch function, because the user's settings allow a host.
func FetchURL() Tool { return fetchURL }

var fetchURL = define(Tool{
	Name: "fetch_url",
	params: params{
		{name: "url", kind: stringKind, required: true, about: "The address, https://…"},
		charsParam,
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		what := "fetch " + phrase.ClipBytes(c.text("url"), 200)
		if env.Fetch == nil {
			return failure(what, errors.New("the user allows no host; continue without it"))
		}
		page, err := env.Fetch(ctx, c.text("url"))
		if err != nil {
			return failure(what, err)
		}
		head := fmt.Sprintf("[%s, %d bytes, data from outside]\n", spaced(page.URL), len(page.Text))
		r := Result{
			Text:    head + phrase.ClipBytes(page.Text, MaxResult-len(head)-16),
			Summary: spaced(fmt.Sprintf("%s: %d bytes", what, len(page.Text))),
		}
		if page.Cut {
			r.Text += "\n… cut"
		}
		return c.withinChars(r)
	},
})
