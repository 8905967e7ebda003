package turn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/agent/brief"
	"redline/agent/chat"
	"redline/agent/draft"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// attempts are the trials of a turn. Several specialists may try commands at the same time.
type attempts struct {
	mu    sync.Mutex
	begun int
	done  []*trial.Result

	offered bool   // a model of the turn was offered to try commands
	untried string // why no command was tried although some model was offered it, or could have been; see [plan.Untried]
	checks  bool   // the project has checks of its own
}

// begin counts one more trial. A turn may have most trials; the error says so to the model.
func (a *attempts) begin(most int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begun++; a.begun > most {
		return fmt.Errorf("this turn has tried %d commands, which is the limit (trials.max): continue, and say in your answer what was not checked", most)
	}
	return nil
}

func (a *attempts) add(r *trial.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = append(a.done, r)
}

// trials returns the trials so far.
func (a *attempts) trials() (all []plan.Trial) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.done {
		all = append(all, r.Trial)
	}
	return all
}

// offer notes whether a model of the turn is offered to try commands. If not, who says to the user
// which one it is.
func (a *attempts) offer(offered bool, who string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.offered:
	case offered:
		a.offered, a.untried = true, "the model did not ask for it"
	default:
		a.untried = who + " may not try commands"
	}
}

// nothing notes why no command was tried so far.
func (a *attempts) nothing(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.untried = why
}

// found notes that the project has checks of its own.
func (a *attempts) found(checks bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.checks = a.checks || checks
}

// addTo adds the trials so far to a plan, as trials of the revision, except for those that it
// has already: a turn may make several revisions. If there are none, it adds the reason.
func (a *attempts) addTo(p *plan.Plan, revision int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.Untried = plan.Untried{}
	if r, ok := p.Revision(revision); ok && !r.TextOnly && len(a.done) == 0 && a.untried != "" && (a.checks || len(r.CommandLines()) > 0) {
		p.Untried = plan.Untried{Revision: revision, Why: a.untried}
	}
	for _, done := range a.done {
		t := done.Trial
		has := func(old plan.Trial) bool { return old.At.Equal(t.At) && old.Command == t.Command }
		if !slices.ContainsFunc(p.Trials, has) {
			t.Revision = revision
			p.AddTrial(t)
		}
	}
}

// trying lets the model of a turn try commands.
type trying struct{ *work }

// with adds the tool that tries commands if the turn may stage commands or makes a plan in
// words, and the user's settings allow trials here.
func (w trying) with(ctx context.Context, tools []tool.Tool) []tool.Tool {
	runs := slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Name == "run_command" })
	if !runs && (w.route != routeText || len(tools) == 0) || w.Trials == nil {
		return tools
	}
	if err := w.Trials.Allowed(ctx); err != nil {
		if _, ok := errors.AsType[*trial.Impossible](err); ok {
			w.turn.tried.nothing(phrase.TrimStop(err.Error()))
			w.turn.tried.found(len(w.checks()) > 0)
		}
		return tools
	}
	w.env.Try = w.try
	return append(slices.Clip(tools), tool.TryCommand(w.whatToTry()...))
}

// offer notes whether a model is given the tool that tries commands, where trials are allowed. who
// names the model to the user if an agent file takes the tool away.
func (w trying) offer(tools []tool.Tool, who string) {
	if w.env.Try == nil {
		return
	}
	if w.agent != nil {
		who = "the agent " + w.agent.ID
	}
	_, offered := tool.Find(tools, "try_command")
	w.turn.tried.offer(offered, who)
}

// whatToTry tells the model in sentences how this project is checked: by its own files, and by
// commands that have passed here before.
func (w trying) whatToTry() (hints []string) {
	found := w.checks()
	w.turn.tried.found(len(found) > 0)
	if w.Facts != nil {
		return nil // the facts of the request name them. The tools of all requests stay the same, so that a provider's cache finds them
	}
	var names []string
	past := w.past()
	for _, c := range found {
		known := ""
		if past.Fails(c) {
			known = ", fails without your edits too"
		}
		names = append(names, fmt.Sprintf("`%s`%s (%s%s)", c.Command, plan.InFolder(c.Folder), c.From, known))
	}
	if len(names) > 0 {
		hints = append(hints, "The project's own checks: "+strings.Join(names, ", ")+".")
	}
	if passed := w.passedBefore(); len(passed) > 0 {
		hints = append(hints, "These have passed here before: "+strings.Join(passed, ", ")+".")
	}
	return hints
}

// past returns the last results of the commands of this session's plans.
func (w trying) past() brief.Past {
	var plans []*plan.Plan
	for _, v := range slices.Backward(w.Board.Snapshot().Plans) {
		plans = append(plans, v.Plan)
	}
	return brief.PastOf(plans)
}

// checks returns the checks of the projects that the turn is about, those that have passed last
// first.
func (w trying) checks() []brief.Check {
	paths := w.env.Draft.Paths()
	if w.turn.request.Path != "" {
		paths = append(paths, w.turn.request.Path)
	}
	return w.past().Order(w.Trials.Checks(paths...))
}

// maxPassed is how many commands that have passed are named to the model.
const maxPassed = 4

// passedBefore returns the commands of earlier plans that have passed, the newest first.
func (w trying) passedBefore() (names []string) {
	for _, o := range w.past() {
		if o.Passed && len(names) < maxPassed {
			names = append(names, trial.Command{Line: o.Command, Cwd: o.Folder}.Named())
		}
	}
	return names
}

// try implements [tool.Trying].
func (w trying) try(ctx context.Context, d *draft.Draft, c tool.Try) (answer string, staged []draft.Staged, err error) {
	if err := w.turn.tried.begin(w.Trials.Most()); err != nil {
		return "", nil, err
	}
	on := "with your staged edits"
	if len(d.Operations()) == 0 {
		on = "on the files as they are: nothing is staged"
	}
	if len(c.Keep) > 0 {
		return w.keep(ctx, d, c, on)
	}
	result, err := w.run(ctx, d, c)
	if err != nil {
		return "", nil, err
	}
	return result.ForModel(on), nil, nil
}

// keep tries a command, and stages what it changes in the files that are to be kept.
func (w trying) keep(ctx context.Context, d *draft.Draft, c tool.Try, on string) (answer string, staged []draft.Staged, err error) {
	result, kept, staged, err := w.kept(ctx, d, c)
	if err != nil {
		return "", nil, err
	}
	return result.ForModel(on) + strings.Join(append(kept.Sentences(), ""), "\n"), staged, nil
}

// kept tries a command, and stages what it changes in the files that are to be kept.
func (w trying) kept(ctx context.Context, d *draft.Draft, c tool.Try) (result *trial.Result, kept *trial.Kept, staged []draft.Staged, err error) {
	result, err = w.tried(ctx, d, view.UnsavedTexts(w.ws).WithDraft(d), func(texts, without view.TriedTexts, tell trial.Tell) (r *trial.Result, err error) {
		r, kept, err = trial.Keeping{Trials: w.Trials, Globs: c.Keep}.Run(ctx, commandOf(c), texts, without, w.asked(), tell)
		return r, err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	if err := kept.Bounded(); err != nil {
		return nil, nil, nil, err
	}
	err = draft.Whole(d, func() (err error) {
		if err = unchanged(d, kept.Files); err == nil {
			staged, err = stageIn(d, c.Step, kept.Files)
		}
		return err
	})
	if err != nil {
		staged, kept = nil, &trial.Kept{Why: "Nothing of what it changed is kept: " + phrase.SentenceOf(err)}
	}
	return result, kept, staged, nil
}

// unchanged returns an error if a draft has not, or not any more, what a command has found.
func unchanged(d *draft.Draft, files []trial.CapturedFile) error {
	for _, f := range files {
		switch text, exists, err := d.Read(f.Path); {
		case err != nil:
			return err
		case exists != f.Base.Exists || text != f.Base.Text:
			return fmt.Errorf("%s was changed while the command ran: try it again", edits.VisibleLine(f.Path))
		}
	}
	return nil
}

func commandOf(c tool.Try) trial.Command {
	return trial.Command{Line: c.Command, Cwd: c.Cwd, Timeout: time.Duration(c.Seconds) * time.Second}
}

// run tries a command on what a draft has staged, as a trial of the turn that has begun. The error
// is meant for the model.
func (w trying) run(ctx context.Context, d *draft.Draft, c tool.Try) (*trial.Result, error) {
	return w.tried(ctx, d, w.proposed(d, view.UnsavedTexts(w.ws)), func(texts, without view.TriedTexts, tell trial.Tell) (*trial.Result, error) {
		return w.Trials.Run(ctx, commandOf(c), texts, without, w.asked(), tell)
	})
}

// tried runs a trial on texts, and keeps its result.
func (w trying) tried(ctx context.Context, d *draft.Draft, texts view.TriedTexts, run func(texts, without view.TriedTexts, tell trial.Tell) (*trial.Result, error)) (*trial.Result, error) {
	before := w.planBefore()
	result, err := run(texts, view.UnsavedTexts(w.ws), trial.TellIn(w.turn.Turn))
	if err != nil {
		w.turn.tried.nothing(phrase.TrimStop(phrase.OneLine(err.Error())))
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.New("the turn was ended while the command ran")
	}
	view.AddApplied(&result.Trial, before)
	w.turn.tried.add(result)
	current := maps.Equal(texts, w.proposed(d, view.UnsavedTexts(w.ws)))
	w.turn.Notify(state.Event{Kind: state.TrialRan, Trial: state.NewTrial(&result.Trial, current)})
	return result, nil
}

// planBefore returns the plan that the turn changes, as it is now: parts of it may be applied. It
// returns nil if there is none.
func (w trying) planBefore() *view.Plan {
	if w.revising.plan == nil {
		return nil
	}
	return w.Board.View(w.revising.plan)
}

// asked returns the words of the user that the turn is about: also those of the plan that it
// changes.
func (w trying) asked() string {
	text := w.turn.request.Text
	if w.revising.plan != nil {
		text += "\n" + w.revising.plan.Plan().Goal
	}
	return text
}

// proposed returns the texts that the plan of a draft would leave. They lack the comment that
// asked for the plan; its removal is staged only at the end of the turn.
func (w trying) proposed(d *draft.Draft, unsaved view.TriedTexts) view.TriedTexts {
	texts, m := unsaved.WithDraft(d), w.turn.request
	if m.Comment == nil || len(d.Operations()) == 0 {
		return texts
	}
	text, exists, err := d.Read(m.Path)
	if err != nil || !exists {
		return texts
	}
	if r, found := chat.FindMoved(m.TextWhenAsked, *m.Comment, text); found {
		file := texts[m.Path]
		file.Text = text[:r.Remove.Start] + r.Remove.New + text[r.Remove.End:]
		texts[m.Path] = file
	}
	return texts
}

// check tries the project's checks on a draft, or of these only those that have failed. It returns
// those that fail because of the draft, or that the request is about. Where a model of the turn may
// not try commands, check does not either.
func (w trying) check(ctx context.Context, d *draft.Draft, failed []orchestrator.Failure) (fail []orchestrator.Failure) {
	if !w.turn.tried.isOffered() || !d.HasNews() || len(d.Files()) == 0 {
		return nil
	}
	var commands []tool.Try
	for _, f := range failed {
		commands = append(commands, tool.Try{Command: f.Command, Cwd: f.Cwd})
	}
	if failed == nil {
		for _, c := range w.checks() {
			commands = append(commands, tool.Try{Command: c.Command, Cwd: c.Folder})
		}
	}
	for _, c := range commands {
		result := w.turn.tried.on(w.proposed(d, view.UnsavedTexts(w.ws)).Names(), c)
		if result == nil {
			if w.turn.tried.begin(w.Trials.Most()) != nil {
				return fail
			}
			name := trial.Command{Line: c.Command, Cwd: c.Cwd}.Named()
			w.turn.Notify(state.Event{Kind: state.ToolCalled, Name: "try_command", Summary: "trying " + name})
			var err error
			if result, err = w.run(ctx, d, c); err != nil {
				return fail
			}
		}
		if verdict := result.Verdict(); verdict == plan.FailsNow || verdict == plan.StillFails {
			fail = append(fail, orchestrator.Failure{
				Command: c.Command, Cwd: c.Cwd, Names: result.Places,
				Report: plan.CommandIn(c.Command, c.Cwd) + ": " + strings.TrimSpace(result.ForModel("with all that is staged")),
			})
		}
	}
	return fail
}

// isOffered reports whether a model of the turn was offered to try commands.
func (a *attempts) isOffered() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offered
}

// on returns the result of a command that was tried on texts in this turn, nil for none.
func (a *attempts) on(texts []plan.TriedText, c tool.Try) *trial.Result {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range slices.Backward(a.done) {
		on := slices.DeleteFunc(slices.Clone(r.Texts), func(t plan.TriedText) bool { return t.OnDisk })
		if r.Command == c.Command && r.Cwd == c.Cwd && slices.Equal(on, texts) {
			return r
		}
	}
	return nil
}
