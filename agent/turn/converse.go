package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/trace"
	"redline/agent/view"
	"redline/internal/phrase"
)

// envFor returns the environment of a turn's tools, which stage operations in d.
func (w *work) envFor(d *draft.Draft) *tool.Env {
	env := &tool.Env{
		Changes: w.route != routeAsk && w.route != routeText && w.route != routeReport,
		Draft:   d, Workspace: w.ws, Git: toolset.Repositories(w.ws), Languages: w.Languages, Named: namedIn(w.turn.request.Own()), Step: onlyStep, MaxSteps: w.settings.Limits.Steps,
		Asks: w.flags != nil && chat.OnlyAsks(*w.flags, w.turn.request.Own()), Develops: w.flags != nil && w.flags.Develop && !w.flags.Conversational,
	}
	env.Saw = w.turn.reads.saw
	if w.Session.CanShow() {
		env.Editor = toolEditor{w.Turns, w.turn}
	}
	return env
}

// hooks returns the hooks that report each event of a turn as it happens.
func (w *work) hooks() loop.Hooks {
	t := w.turn
	return loop.Hooks{
		Text: func(s string) {
			t.Notify(state.Event{Kind: state.TokenArrived, Text: s})
		},
		Tool: func(name, summary string) {
			t.Notify(state.Event{Kind: state.ToolCalled, Name: name, Summary: summary})
		},
		Staged: func(s draft.Staged) {
			w.revising.show(w.env.Draft)
			t.Notify(state.Event{Kind: state.HunkStaged, Path: s.Path})
		},
		Typed: func() int { return w.Board.TypedIn(w.env.Draft) },
		Called: func(c model.Call, note string) {
			summary := conversation.CallSummary(c)
			if note != "" {
				summary = strings.TrimLeft(summary+": "+phrase.FirstLine(note, 200), ": ")
			}
			t.Record(trace.Step{Kind: trace.Tool, Name: phrase.FirstLine(c.Name, 64), Summary: summary})
		},
		Notice: t.Notice,
	}
}

// converse has the model work on a request with its tools. It sets w.outcome and the turn's
// answer and usage, also if it fails.
func (w *work) converse(ctx context.Context, messages []model.Message, tools []tool.Tool, hooks loop.Hooks) error {
	if w.turn.continued != nil && len(w.turn.continued.exchanges()) >= maxQuestions {
		tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return t.Name == tool.AskUser })
	}
	asks := model.Editing
	switch w.route {
	case routeAsk, routeReport:
		asks = model.Answering
	case routeText:
		asks = model.Planning
	}
	asked := w.agent.provider(model.For(w.Model, asks))
	tools = w.offered(ctx, tools, asked)
	trying{w}.offer(tools, "the model")
	var err error
	follow := ctx
	if hooks.Staged != nil { // else each operation is in the plan as it is staged
		follow = w.revising.follow(ctx, w.env)
	}
	w.outcome, err = loop.Run(follow, asked, messages, tools, w.env, w.limits(), hooks)
	if w.outcome.Stopped != "" {
		trace.Record(ctx, trace.Step{Kind: trace.Limit, Summary: w.outcome.Stopped})
	}
	if w.outcome.Asked == nil { // otherwise the turn continues
		w.undone = plan.Unfinished{Stopped: w.outcome.Stopped, Refused: w.revising.leftUndone(w.env.Draft, w.outcome.Text)}
	}
	w.turn.Update(func(r *conversation.Result) {
		r.Answer, r.Unfinished = w.outcome.Text, w.undone
	})
	w.turn.charge(w.outcome.Usage)
	return err
}

// sometimes are the tools that only some turns of a conversation have. They come last, so that
// all requests of a conversation begin with the same text, which providers cache.
var sometimes = map[string]int{"references": 1, "definition": 1, "rename_symbol": 1, "unstage": 2, "revert": 3, tool.SortMessage: 1}

// offered returns the tools that a model may call: tools and those that the user's settings add,
// without those that cannot work here. Tools that the request does not list, to save tokens, are
// marked.
func (w *work) offered(ctx context.Context, tools []tool.Tool, p model.Provider) []tool.Tool {
	return w.economised(w.agent.permitted(w.possible(ctx, tools), w.env), p)
}

// possible adds to tools what the user's settings allow, and removes those that cannot work
// here. A turn that reports was not begun by a message of the user, so its tools reach nothing
// outside.
func (w *work) possible(ctx context.Context, tools []tool.Tool) []tool.Tool {
	if w.route != routeReport {
		tools = w.Reach.With(ctx, tools, w.env, w.turn.Warn)
	}
	return tool.Possible(trying{w}.with(ctx, tools), w.env)
}

// economised sorts the tools, and marks those that the request does not list.
func (w *work) economised(tools []tool.Tool, p model.Provider) []tool.Tool {
	tools = slices.Clone(tools)
	slices.SortStableFunc(tools, func(a, b tool.Tool) int { return cmp.Compare(sometimes[a.Name], sometimes[b.Name]) })
	return tool.Economy{Model: p.Info().Name, Edits: w.settings.Edits, Editor: w.Session.CanShow(), Diffs: w.Session.ShowsDiffs()}.Of(tools)
}

// toolEditor is the editor for the tools of one turn. It shows places, and sends an event for
// each request of a tool.
type toolEditor struct {
	*Turns
	turn *turn
}

var _ tool.Editor = toolEditor{}

// OpenLocation implements tool.Editor. It does not wait for the editor.
func (e toolEditor) OpenLocation(path string, line int) {
	e.turn.Notify(state.Event{Kind: state.LocationAsked, Path: path, URI: e.ws.URI(path), Line: line})
	e.Session.Spawn(func() {
		err := session.Contain(func() error {
			return e.Session.Editor().Show(e.Session.Context(), state.Location{Path: path, Line: max(0, line-1)})
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			e.log.Debug("a place was not shown", zap.Error(err))
		}
	})
}

// ShowView implements tool.Editor. A plan that the model shows does not count as opened by the
// user.
func (e toolEditor) ShowView(view string) error {
	event := state.Event{Kind: state.ViewAsked, View: view}
	switch view {
	case "plan":
		if h := e.Board.Threads.Undecided(e.turn.Conversation.ID); h != nil {
			event.PlanNumber, event.Path = h.Number(), e.Board.View(h).Preview
		}
		if event.Path == "" {
			return errors.New("this conversation has no plan to show yet")
		}
	case "chat":
		if !e.Chat.Exists() {
			return errors.New("there is no chat file to show yet")
		}
		event.Path = e.Chat.Path()
	}
	e.turn.Notify(event)
	return nil
}

// SetDiffMode implements tool.Editor. It only sends an event, and only to an editor that has
// said that it handles it.
func (e toolEditor) SetDiffMode(mode string) error {
	if !e.Session.ShowsDiffs() {
		return errors.New("this editor has only one way to show differences; continue without it")
	}
	e.turn.Notify(state.Event{Kind: state.DiffModeAsked, Mode: mode})
	return nil
}

// Choice is a destination of the workspace's texts that the environment chose, not a setting of the
// user: a key that was set for another program is enough for Redline to ask a provider.
type Choice struct {
	By   string       // the environment variable that chose it; "" if a setting did, then nothing is shown
	Tell func(string) // shows a message to the user; nil: a notice of the session
}

// announced is a provider that tells the user where texts go before it sends the first one, once for
// each workspace and destination. It is as safe for concurrent use as the provider in it.
type announced struct {
	model.Provider
	tell func(context.Context)
}

// Announce wraps p if the environment chose it: it then announces itself, see announced. Else it returns p.
func Announce(p model.Provider, s *session.Session, c Choice) model.Provider {
	base := p.Info().BaseURL
	if c.By == "" || base == "" {
		return p
	}
	return announced{p, func(ctx context.Context) {
		if !s.First("destination " + base) {
			return
		}
		if first, err := s.Store.FirstDestination(ctx, s.Key(), base); !first && err == nil {
			return // an earlier session has told it. If the store fails, only this session knows: a repeated message is better than none
		}
		text := fmt.Sprintf("What you ask here, and the text of files that it needs, goes to %s, because %s is set in the environment. "+
			`To stay offline put provider = "builtin" under [model] in your settings, or set REDLINE_PROVIDER=builtin; redline setup chooses another provider.`, base, c.By)
		if c.Tell != nil {
			c.Tell(text)
			return
		}
		s.Notify(state.Event{Kind: state.Noticed, Text: text})
	}}
}

// For returns the provider for a purpose, see [model.For].
func (a announced) For(purpose model.Purpose) model.Provider {
	return announced{model.For(a.Provider, purpose), a.tell}
}

// Complete makes a request, see [model.Provider].
func (a announced) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	a.tell(ctx)
	return a.Provider.Complete(ctx, req, onEvent)
}

// limits returns the limits of the turn's route.
func (w *work) limits() loop.Limits {
	l := w.settings.Limits
	if w.route == routeReport && (l.Requests == 0 || l.Requests > maxReportRequests) {
		l.Requests = maxReportRequests
	}
	return l
}

// reverting lets the model of a turn stage the undoing of applied changes.
type reverting struct {
	board     *board.Board
	decisions *decide.Decisions
}

// reverting returns the tool for it. It is not offered unless the conversation, or the session, has
// a plan with applied changes.
func (w *work) reverting(ctx context.Context) tool.Tool {
	t := tool.Revert(reverting{w.Board, w.Decisions}.reversals)
	in, err := w.situation(ctx, w.turn)
	t.Unoffered = err != nil || !slices.ContainsFunc(in.plans, (*plan.Plan).Applied) && !slices.ContainsFunc(in.all, func(h *board.Held) bool { return h.Plan().Applied() })
	return t
}

// reversals implements [tool.Reversing].
func (rv reverting) reversals(ctx context.Context, n int, path, hunk string) (back []tool.Reversal, stays []string, err error) {
	d := view.Request{Plan: n}
	switch {
	case hunk != "":
		d.Hunks = []string{hunk}
	case path != "":
		d.Paths = []string{path}
	}
	found, stays, err := rv.decisions.Reversals(ctx, d)
	if err != nil {
		return nil, nil, rv.notReversed(ctx, n, err)
	}
	for _, r := range found {
		if hunk != "" && path != "" && !concerns(r, path) {
			return nil, nil, fmt.Errorf("hunk %s of plan %d is in %s, not in %s; leave the path out", hunk, n, r.Change.Path, path)
		}
		back = append(back, tool.Reversal(r))
	}
	return back, stays, nil
}

// concerns reports whether a reversal changes the file at path.
func concerns(r decide.Reversal, path string) bool {
	return r.Change.Path == path || r.Change.NewPath == path
}

// notReversed explains to a model why nothing of a plan can be undone, and what to do.
func (rv reverting) notReversed(ctx context.Context, n int, err error) error {
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok {
		return err
	}
	if refused.Kind == plan.NoSuchPlan {
		return fmt.Errorf("there is no plan %d in this workspace; ask the user which one is meant", n)
	}
	p, perr := rv.board.Find(ctx, n)
	if refused.Kind == plan.WrongState && perr == nil && !p.Plan().Applied() {
		what := "it was not approved, so there is nothing to take back"
		if p.Plan().State.Open() {
			what = "it waits for the user, who can reject it; unstage takes operations out of a plan that is reworked"
		}
		return fmt.Errorf("nothing of plan %d is applied: %s", n, what)
	}
	return errors.New(phrase.TrimStop(refused.Reason))
}

// changingTools returns the tools of a change. A turn that reworks a plan, or continues after a
// question, can also take staged operations out.
func (w *work) changingTools(ctx context.Context) []tool.Tool {
	tools := append(tool.All(), w.reverting(ctx))
	if w.turn.continued == nil && (w.revising.plan == nil || len(w.revising.plan.Revision().Operations) == 0) {
		return tools
	}
	return append(tools, w.revising.unstaging(ctx, w.env))
}
