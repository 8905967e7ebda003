package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/edits"
	"redline/internal/smallfile"
)

// runFiles are the files of a run besides the workspace: what the model reads too, and where the
// plan goes.
type runFiles struct {
	input, export string // their names, "" for none
	output        string // the text of the input
}

func (f *runFiles) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.input, "input", "", "show the model this `file` too, such as the output of a failed build, but only its telling lines; - is standard input")
	flags.StringVar(&f.export, "export", "", "write the plan into this new `file`, as redline plans export does")
}

// maxInput is the size limit of an input, in bytes.
const maxInput = 64 << 20

// open reads the input, and refuses a file that the plan cannot go into: the model is asked
// only after that.
func (f *runFiles) open(stdin io.Reader) (err error) {
	if f.output, err = inputFrom(f.input, stdin); err != nil || f.export == "" {
		return err
	}
	if _, err := os.Lstat(f.export); err == nil {
		return f.taken()
	}
	if info, err := os.Stat(filepath.Dir(f.export)); err != nil || !info.IsDir() {
		return usage(fmt.Errorf("--export %s: there is no folder %s", f.export, filepath.Dir(f.export)))
	}
	return nil
}

// inputFrom returns the text of the input with a name, "" for none.
func inputFrom(name string, stdin io.Reader) (text string, err error) {
	switch {
	case name == "":
		return "", nil
	case name != "-":
		text, err = smallfile.Read(name, maxInput)
	case isTerminal(stdin):
		return "", usage(errors.New("--input - reads standard input, which is your terminal: send it the output of a command, or name a file"))
	default:
		var data []byte
		data, err = io.ReadAll(io.LimitReader(stdin, maxInput+1))
		text = string(data)
	}
	switch {
	case err != nil:
		return "", usage(fmt.Errorf("--input %s cannot be read (%s)", name, plainError(err)))
	case len(text) > maxInput:
		return "", usage(fmt.Errorf("--input %s is larger than %d MiB: give its last lines", name, maxInput>>20))
	}
	return text, nil
}

// keep writes the plan of a run into the file for it, if there is one. It returns the error of
// the run, or its own if the run has none.
func (f *runFiles) keep(ctx context.Context, a *agent.Agent, con *console, result *runResult, run error) error {
	if f.export == "" || result.Plan == nil || ctx.Err() != nil {
		return run
	}
	n := result.Plan.Plan
	if err := f.write(ctx, a, n); err != nil {
		if run == nil || errors.As(run, new(status)) {
			return err
		}
		return run
	}
	if !con.json {
		fmt.Fprintf(con.out, "Plan %d is in %s: redline plans import makes a new plan of it, in any copy of this folder.\n", n, oneLine(f.export))
	}
	return run
}

// tellLater says what the user can do with a plan that waits. A plan that is only in its file
// cannot be named by its number.
func (f *runFlags) tellLater(con *console, kept bool, n int) {
	if kept || f.files.export == "" {
		con.tellLater(kept, n)
	}
}

func (f *runFiles) taken() error {
	return plan.Refuse(plan.NotAllowed, "%s exists already: remove it, or name another file for the plan.", f.export)
}

// write writes plan n into the file for it. The file is only the user's, since it has the texts
// of their files.
func (f *runFiles) write(ctx context.Context, a *agent.Agent, n int) error {
	data, err := exported(ctx, a, n, false)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return f.taken()
	}
	if err == nil {
		_, err = file.Write(data)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return plan.Refuse(plan.ApplyFailed, "Plan %d cannot be written into %s (%s).", n, f.export, plainError(err))
	}
	return nil
}

// forOnce are the settings that a user can change for one run.
type forOnce struct{ model, timeout string }

func (o *forOnce) define(flags *pflag.FlagSet) {
	flags.StringVar(&o.model, "model", "", "ask the model of this `name`, of the same provider, for this run (default: the setting model.name)")
	flags.StringVar(&o.timeout, "timeout", "", "how long the turn may take, a `duration` such as 90s or 5m (default: the setting limits.wall_seconds)")
}

// read checks the given values and adds them to the settings.
func (o *forOnce) read(flags *pflag.FlagSet, settings map[string]string) error {
	if flags.Changed("timeout") {
		d, err := time.ParseDuration(o.timeout)
		if n, bad := strconv.ParseFloat(o.timeout, 64); bad == nil { // a bare number is in seconds, as in the settings
			d, err = time.Duration(n*float64(time.Second)), nil
		}
		if err != nil || d < time.Millisecond || d > maxTimeout {
			return usage(fmt.Errorf("--timeout must be a time such as 90s or 5m, more than 0"))
		}
		settings["limits.wall_seconds"] = strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
	}
	if flags.Changed("model") {
		if o.model == "" {
			return usage(fmt.Errorf("--model must be the name of a model"))
		}
		for _, purpose := range []string{"model.name", "model.plan", "model.edit"} { // the small questions stay with the models for them
			settings[purpose] = o.model
		}
	}
	return nil
}

// maxTimeout is the longest timeout of a turn.
const maxTimeout = 1000 * time.Hour

// check refuses a model name for a provider without models.
func (o *forOnce) check(s config.Settings) error {
	if o.model != "" && !s.Asks() && s.Replay == "" {
		return usage(fmt.Errorf("--model %s: no model provider is set up, so the built-in model would answer: run redline setup", o.model))
	}
	return nil
}

// sampling holds the sampling parameters from the flags.
type sampling struct {
	temperature, topP, penalty float64
	maxTokens                  int
	given                      *pflag.FlagSet // tells which flags were set
}

func (o *sampling) define(flags *pflag.FlagSet) {
	flags.Float64Var(&o.temperature, "temperature", 0, "how freely the model chooses, a `number` from 0 to 2 (default: the provider's)")
	flags.Float64Var(&o.topP, "top-p", 0, "the `share` of likely words that the model chooses from, up to 1 (default: the provider's)")
	flags.Float64Var(&o.penalty, "frequency-penalty", 0, "how much the model avoids words that it has used often, a `number` from -2 to 2 (default: the provider's)")
	flags.IntVar(&o.maxTokens, "max-tokens", 0, "the longest reply of the model, in `tokens` (default: the provider's)")
}

// read checks the values of the flags.
func (o *sampling) read(flags *pflag.FlagSet) error {
	o.given = flags
	switch {
	case !(o.temperature >= 0 && o.temperature <= 2):
		return usage(fmt.Errorf("--temperature must be a number from 0 to 2"))
	case flags.Changed("top-p") && !(o.topP > 0 && o.topP <= 1):
		return usage(fmt.Errorf("--top-p must be a number above 0, at most 1"))
	case !(o.penalty >= -2 && o.penalty <= 2):
		return usage(fmt.Errorf("--frequency-penalty must be a number from -2 to 2"))
	case flags.Changed("max-tokens") && o.maxTokens < 1:
		return usage(fmt.Errorf("--max-tokens must be a whole number of at least 1"))
	}
	return nil
}

// any reports whether a parameter was set.
func (o *sampling) any() bool {
	return o.given.Changed("temperature") || o.given.Changed("top-p") || o.given.Changed("frequency-penalty") || o.given.Changed("max-tokens")
}

// on returns the provider with these parameters.
func (o *sampling) on(p model.Provider) model.Provider {
	return &sampled{Provider: p, sampling: o}
}

// sampled is a provider that sends the user's sampling parameters with each request.
type sampled struct {
	model.Provider
	*sampling
}

// For returns the provider of another model, with the same parameters.
func (p *sampled) For(purpose model.Purpose) model.Provider {
	return &sampled{Provider: model.For(p.Provider, purpose), sampling: p.sampling}
}

func (p *sampled) Complete(ctx context.Context, r model.Request, onEvent func(model.Event)) (model.Reply, error) {
	if p.given.Changed("temperature") {
		r.Temperature = &p.temperature
	}
	if p.given.Changed("top-p") {
		r.TopP = &p.topP
	}
	if p.given.Changed("frequency-penalty") {
		r.Penalty = &p.penalty
	}
	if p.given.Changed("max-tokens") {
		r.MaxTokens = p.maxTokens
	}
	return p.Provider.Complete(ctx, r, onEvent)
}

// callResult is the result of one call of a tool.
type callResult struct {
	Tool     string `json:"tool"`               // its name
	Result   string `json:"result"`             // its result in one line: `read a.go`, `edit a.go +2 −1`, or why it failed
	ExitCode *int   `json:"exitCode,omitempty"` // of a command that you approved: its exit code; absent unless it ended by itself
	Output   string `json:"output,omitempty"`   // of a command that you approved: its output, as in the plan
}

// count completes the result of a run from its plan: the results of the approved commands, and
// how many steps were carried out.
func (r *runResult) count() {
	if r.Plan == nil {
		r.StepsExecuted = len(r.Results)
		return
	}
	r.addCommands()
	r.StepsExecuted = 0
	for i := range r.Plan.Steps {
		if carriedOut(r.Plan, &r.Plan.Steps[i]) {
			r.StepsExecuted++
		}
	}
}

// carriedOut reports whether a step, or a part of it, was carried out.
func carriedOut(p *state.Plan, s *state.Step) bool {
	return s.Status == string(plan.StepCompleted) || slices.ContainsFunc(p.Operations, func(o state.Operation) bool {
		return o.Step == s.ID && (o.Status == string(plan.FileApplied) || o.Status == string(plan.CommandSucceeded))
	})
}

// addCommands puts the results of the commands that were run where the model's calls for them are.
// A command without such a call, as of a plan that is repeated without the model, goes to the end.
func (r *runResult) addCommands() {
	taken := map[int]bool{}
	for i := range r.Plan.Commands {
		c := &r.Plan.Commands[i]
		if c.Status != string(plan.CommandSucceeded) && c.Status != string(plan.CommandFailed) {
			continue
		}
		call := tool.CommandSummary(c.Command, c.Cwd)
		result := callResult{
			Tool: toolOf(r.Plan, c.ID), Result: call + ": " + commandWord(c) + because(c.Reason), ExitCode: c.ExitCode, Output: c.Output,
		}
		at := -1
		for j := range r.Results {
			if at < 0 && !taken[j] && r.Results[j].Tool == result.Tool && r.Results[j].Result == call {
				at = j
			}
		}
		if at < 0 {
			r.Results = append(r.Results, result)
			at = len(r.Results) - 1
		}
		r.Results[at] = result
		taken[at] = true
	}
}

// toolOf returns the tool of an operation.
func toolOf(p *state.Plan, operation string) string {
	if i := slices.IndexFunc(p.Operations, func(o state.Operation) bool { return o.ID == operation }); i >= 0 {
		return p.Operations[i].Tool
	}
	return "run_command"
}

// reflect asks the model to analyse the turn of a run, whatever its result. It reports a
// failure, which does not change the result of the run.
func reflect(ctx context.Context, a *agent.Agent, con *console, result *runResult) {
	text, err := a.Turns.Reflect(ctx, result.turn)
	if err != nil {
		fmt.Fprintf(con.err, "redline: the turn could not be analysed: %s\n", edits.Visible(err.Error()))
		return
	}
	result.Reflection = &text
	if !con.json {
		fmt.Fprintf(con.out, "\nReflection: %s\n", edits.Visible(text))
	}
}

// unfinished prints to stderr what a turn has left undone, and returns an exit status.
// That is nil if nothing is undone, exitWaiting if there is a plan, which is then not
// applied without asking, else exitRefused.
func (c *console) unfinished(r *runResult, approve bool, exit int) error {
	if len(r.Unfinished) == 0 {
		return nil
	}
	said := oneLine(strings.Join(r.Unfinished, " "))
	switch {
	case exit == exitWaiting && r.Plan == nil:
		said += " No plan is made of that."
	case exit != exitWaiting:
		said += " No plan waits: ask again, perhaps for less at once."
	case approve:
		said = fmt.Sprintf("Plan %d is not applied, because it is incomplete. %s Look at it, then: redline plans approve %d, or redline plans rework %d TEXT.", r.Plan.Plan, said, r.Plan.Plan, r.Plan.Plan)
	default:
		said = fmt.Sprintf("Plan %d is incomplete. %s", r.Plan.Plan, said)
	}
	fmt.Fprintln(c.err, "redline:", said)
	return status(exit)
}
