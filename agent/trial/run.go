package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/runner"
	"redline/workspace/secrets"
	"redline/workspace/warm"
	"redline/workspace/world"
)

// maxOutput is the size of the stored excerpt of a command's output, in bytes; maxRead is how
// much of the output is read for it.
const (
	maxOutput = commands.ExcerptSize
	maxRead   = 4 << 20
)

// Command is a command to try.
type Command struct {
	Line    string
	Cwd     string        // workspace path of its folder, "" for the root
	Timeout time.Duration // the timeout that is asked for; 0: what is known of the command decides
}

// Named quotes the command for a sentence, with its folder and without its secrets.
func (c Command) Named() string {
	return "`" + phrase.Clip(phrase.OneLine(secrets.MaskedCommand(c.Line)), 120) + "`" + plan.InFolder(c.Cwd)
}

// Tell receives the output of a command while it runs.
type Tell func(s runner.Stream, text string)

// Stdout is the name of a stream for [TellBy].
const Stdout = string(runner.Stdout)

// TellBy returns a Tell that passes the name of the stream.
func TellBy(tell func(stream, text string)) Tell {
	return func(s runner.Stream, text string) { tell(string(s), text) }
}

// TellIn sends the output as events of a turn.
func TellIn(t *conversation.Turn) Tell {
	return func(s runner.Stream, text string) {
		t.Notify(state.Event{Kind: state.TrialRan, Stream: string(s), Text: text})
	}
}

// Run tries a command on texts. If it fails, Run tries it without the plan's edits too, unless
// that result is known. asked is what the user wrote, to tell whether a failure is about that.
// tell may be nil. The error says why the command was not run, as a sentence; a failed command
// is not an error.
func (t *Trials) Run(ctx context.Context, c Command, texts, without view.TriedTexts, asked string, tell Tell) (*Result, error) {
	if err := t.check(ctx, &c); err != nil {
		return nil, err
	}
	paces := t.pacesOf(c)
	seen, err := t.observe(ctx, c, texts, tell)
	if err != nil {
		return nil, err
	}
	return seen.result(ctx, t, c, paces, texts, without, asked), nil
}

// result returns the result of a run of a command on texts.
func (seen observed) result(ctx context.Context, t *Trials, c Command, paces paces, texts, without view.TriedTexts, asked string) *Result {
	done := &Result{ending: seen.Problem, refused: seen.Refused, failures: commands.Failures(seen.Output), hidden: t.missed(ctx, seen), Trial: plan.Trial{
		Command: c.Line, Cwd: c.Cwd, Texts: texts.Names(), ExitCode: seen.ExitCode, Problem: seen.Reason(),
		Millis: seen.took.Milliseconds(), Output: commands.Excerpt(commands.Folded(seen.Output), maxOutput), World: string(seen.world), At: t.session.Now().UTC(),
	}}
	if seen.End == runner.TimedOut {
		help := t.help(c, paces, seen.given)
		done.Problem += " " + help
		done.help = strings.TrimSpace(help + " " + t.again(c, seen.given))
	}
	before := t.without(ctx, c, seen, texts, without)
	if before != nil && !maps.Equal(texts, without) {
		done.Baseline, done.before = &plan.Baseline{ExitCode: before.exitCode, Millis: before.took.Milliseconds()}, before.failures
	}
	done.Class, done.Why = done.judge(seen, before, about{asked, texts.Beside(without)})
	return done
}

// without returns the result of a failed command without the plan's edits, nil if that does not
// matter or is not known.
func (t *Trials) without(ctx context.Context, c Command, seen observed, texts, without view.TriedTexts) *baseline {
	switch {
	case seen.ExitCode == nil, *seen.ExitCode == 0, ctx.Err() != nil:
		return nil
	case maps.Equal(texts, without):
		return &baseline{exitCode: seen.ExitCode}
	}
	b, err := t.baseline(ctx, c, without)
	if err != nil { // what came of the trial itself counts
		return nil
	}
	return &b
}

// check refuses a command that must not be tried here, and cleans the name of its folder.
func (t *Trials) check(ctx context.Context, c *Command) error {
	if strings.TrimSpace(c.Line) == "" {
		return errors.New("name a command")
	}
	if err := t.Allowed(ctx); err != nil {
		return err
	}
	return t.options.permit(t.ws, c)
}

// permit refuses a command that a rule denies, and cleans the name of its folder.
func (o Options) permit(ws *workspace.Workspace, c *Command) error {
	if c.Cwd != "" {
		cwd, err := ws.WorkFolder(c.Cwd)
		if err != nil {
			return err
		}
		c.Cwd = cwd
	}
	if v := o.Rules.Judge(c.Line, c.Cwd); v.Answer == commands.Deny {
		if v.Rule != "" {
			return fmt.Errorf("%s is not tried: the user's rule %q denies it", c.Named(), v.Rule)
		}
		return fmt.Errorf("%s is not tried: %s, and the user has rules that deny commands", c.Named(), v.Why)
	}
	return nil
}

// observed is the result of one run of a command.
type observed struct {
	commands.Observation
	took   time.Duration
	given  time.Duration // the time that it could take
	hidden []string      // absolute names of files that it could not read
	world  world.Kind
}

// observedIn returns a run of a command.
func observedIn(o runner.Outcome, command runner.Command) observed {
	o.Output = secrets.Withhold(commands.Uncoloured(o.Output))
	return observed{commands.Observe(o, nil), o.Took, command.Limits.Time, command.World.Hidden, cmp.Or(o.World, world.Overlay)}
}

// observe runs a command on texts.
func (t *Trials) observe(ctx context.Context, c Command, texts view.TriedTexts, tell Tell) (observed, error) {
	if tell == nil {
		tell = func(runner.Stream, string) {}
	}
	o, command, again, err := t.run(ctx, c, texts, true, tell)
	if again {
		o, command, _, err = t.run(ctx, c, texts, false, tell)
	}
	if err != nil {
		return observed{}, err
	}
	if o.End == runner.Exited || o.End == runner.TimedOut {
		t.spend(c, spent{t.session.Now(), o.Took, o.End == runner.Exited})
	}
	return observedIn(o, command), nil
}

// run runs a command on texts once, with what an earlier trial has built if keep is set. It reports
// whether it must run again without that.
func (t *Trials) run(ctx context.Context, c Command, texts view.TriedTexts, keep bool, tell Tell) (o runner.Outcome, command runner.Command, again bool, err error) {
	w, found, err := t.newWorld(ctx, nil)
	if err != nil {
		return o, command, false, err
	}
	command, taken, err := t.command(ctx, w, found, c, texts, keep)
	if err != nil {
		return o, command, false, err
	}
	err = session.Contain(func() (err error) {
		o, err = t.options.Run(ctx, command, tell)
		return err
	})
	again = release(taken, o, err)
	if err != nil {
		err = fmt.Errorf("the command was not tried: %w", err)
	}
	return o, command, again, err
}

// command converts a command to the form that the runner takes, in a new world. If keep is set, taken is the
// folder that its world has from an earlier one, nil for none. It must be known how worlds are isolated
// here, see [runner.Apart].
func (t *Trials) command(ctx context.Context, w *world.World, found workspace.Hidden, c Command, texts view.TriedTexts, keep bool) (run runner.Command, taken *warm.Taken, err error) {
	w.Hidden = append(t.withoutShown(found.Names), t.options.Hidden...)
	if err = t.change(w, texts); err != nil {
		return run, nil, err
	}
	run = t.options.Command
	run.Line, run.World, run.Dir, run.Left = c.Line, w, w.Folders[0], t.ws.Leftovers()
	run.Limits.Output = maxRead
	run.Limits.Time = t.limit(c, t.pacesOf(c))
	if c.Cwd != "" {
		dir, err := t.ws.RealName(c.Cwd)
		if err != nil {
			return run, nil, err
		}
		run.Dir = filepath.Clean(dir)
	}
	if keep {
		taken = t.warm(ctx, c, w, run.Dir)
	}
	t.showGit(ctx, w, found)
	return run, taken, nil
}

// baseline is the result of a command without a plan's edits.
type baseline struct {
	exitCode *int
	took     time.Duration
	failures []string // the failures in its output, see [commands.Failures]
	at       time.Time
}

// baselineFor is how long a result stays valid, since anything that the command reads may
// change.
const baselineFor = 10 * time.Minute

// maxBaselines is how many results are remembered.
const maxBaselines = 100

// baseline runs a command on texts without the plan's edits, or returns its earlier result on
// the same texts.
func (t *Trials) baseline(ctx context.Context, c Command, without view.TriedTexts) (baseline, error) {
	key := fmt.Sprintf("%q %q %v", c.Line, c.Cwd, without.Names())
	t.mu.Lock()
	known, ok := t.baselines[key]
	t.mu.Unlock()
	if ok && t.session.Now().Sub(known.at) < baselineFor {
		return known, nil
	}
	seen, err := t.observe(ctx, c, without, nil)
	if err != nil {
		return baseline{}, err
	}
	b := baseline{exitCode: seen.ExitCode, took: seen.took, failures: commands.Failures(seen.Output), at: t.session.Now()}
	if b.exitCode == nil { // the next run may end
		return b, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.baselines) >= maxBaselines {
		clear(t.baselines)
	}
	t.baselines[key] = b
	return b, nil
}
