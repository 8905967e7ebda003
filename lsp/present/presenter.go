// Package present shows the events of the agent to the user: as messages, questions, progress
// and previews. Clients that follow the events get them too.
package present

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/config"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/internal/phrase"
	"redline/internal/tasks"
	"redline/lsp/backend"
	"redline/lsp/command"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/shown"
	"redline/lsp/summary"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

// Presenter shows the agent's events and sends them to clients that follow them. Notify only
// puts an event into the queue; one goroutine presents them in order.
type Presenter struct {
	Options
	wake tasks.Signal // the queue is not empty

	mu    sync.Mutex
	queue []event.Event

	questions readyQuestions

	// Only Run uses these.
	opened map[int]int     // plan → revision whose preview was opened
	known  map[string]bool // turns that the user knows of from a message or as progress
}

// Client says what the client does with events.
type Client struct {
	Events  bool // it wants redline/event
	Answers bool // it shows the answers of turns itself, from the events
	Beside  bool // it can be expected to put a question beside the text, where it can wait
}

// Options are what a presenter works with.
type Options struct {
	Client    Client
	Conn      *wire.Conn
	Window    *window.Window
	Workspace *workspace.Workspace
	Backend   *backend.Backend
	Positions position.Mapper
	Pages     pages.Pages
	Shown     *shown.Revisions
	Commands  *command.Runner
	UI        func() config.UISettings // as they are now
	Changed   func()                   // brings diagnostics, lenses and hints up to date; must not block
	Underway  time.Duration            // how long an execution runs before it is shown as progress
	Log       *zap.Logger
}

// New returns a presenter; [Presenter.Run] shows the events that it gets.
func New(o Options) *Presenter {
	return &Presenter{Options: o, wake: tasks.NewSignal(), opened: map[int]int{}, known: map[string]bool{}}
}

// Notify implements editor.Editor: it puts an event into the queue. It never blocks.
func (p *Presenter) Notify(e event.Event) {
	if (e.Kind == event.TokenArrived || e.Kind == event.CommandPrinted) && !p.Client.Events {
		return
	}
	p.mu.Lock()
	if !p.join(e) {
		p.queue = append(p.queue, e)
	}
	p.mu.Unlock()
	p.wake.Set()
}

// join merges an event into one that waits, so that a slow client costs no memory: fragments
// of a reply become one, and only the newest state of a plan is kept. It returns false if
// there is none to merge it into. The caller holds p.mu.
func (p *Presenter) join(e event.Event) bool {
	switch e.Kind {
	case event.TokenArrived, event.CommandPrinted:
		if last := len(p.queue) - 1; last >= 0 {
			waiting := &p.queue[last]
			if waiting.Kind == e.Kind && waiting.Turn == e.Turn && waiting.ID == e.ID && waiting.Stream == e.Stream {
				waiting.Text += e.Text
				return true
			}
		}
	case event.PlanChanged:
		for i := range slices.Backward(p.queue) {
			waiting := &p.queue[i]
			if waiting.Kind != e.Kind || waiting.PlanNumber != e.PlanNumber {
				continue
			}
			if e.Turn != "" && e.Turn != waiting.Turn {
				return false // another turn has begun since
			}
			if p.Client.Events && len(p.queue) < maxQueue && isExecuting(waiting.Plan) && !isExecuting(e.Plan) {
				return false // a client that follows the events sees the steps in progress
			}
			e.Turn = waiting.Turn
			e.Again = e.Again || waiting.Again
			e.Effects = slices.Concat(waiting.Effects, e.Effects)
			e.Outcome = cmp.Or(e.Outcome, waiting.Outcome)
			*waiting = e
			return true
		}
	}
	return false
}

// maxQueue is how many events may wait before all events of a plan are merged.
const maxQueue = 1000

func isExecuting(p *state.Plan) bool { return p != nil && p.State == string(plan.Executing) }

// Run presents events until ctx is done.
func (p *Presenter) Run(ctx context.Context) {
	for p.wake.Wait(ctx) {
		p.mu.Lock()
		events := p.queue
		p.queue = nil
		p.mu.Unlock()
		for _, e := range events {
			p.present(ctx, e)
		}
	}
}

func (p *Presenter) present(ctx context.Context, e event.Event) {
	switch e.Kind {
	case event.TurnQueued:
		p.tellQueued(e)
	case event.TurnStarted:
		p.Window.Progress.Report(e.Turn, e.Summary) // it may have waited
		p.known[e.Turn] = true
		p.Window.Progress.Begin(e.Turn, e.Summary)
	case event.ToolCalled:
		p.Window.Progress.Report(e.Turn, cmp.Or(e.Summary, e.Name))
	case event.Traced:
		if e.Step.Kind == trace.Specialist {
			p.Window.Progress.Report(e.Turn, e.Step.Summary)
		}
	case event.HunkStaged:
		what := "a change to " + e.Path
		if e.Path == "" {
			what = "a command"
		}
		p.Window.Progress.Report(e.Turn, what+" is staged")
	case event.PlanChanged:
		p.Changed()
		p.openPreview(e)
		p.questions.overtake(e.PlanNumber, p.Backend.Plan(e.PlanNumber))
		p.showUnderway(e)
		if e.Outcome != nil {
			p.Window.Tell(summary.Outcome(p.Workspace, e.PlanNumber, e.Outcome))
		}
	case event.Noticed:
		p.tellNotice(e)
	case event.QuestionAsked:
		p.tellQuestion(e)
	case event.LocationAsked:
		p.tellLocation(e)
	case event.ViewAsked:
		e.URI = p.Pages.URI(e.Path)
		p.Conn.Go("view", func(ctx context.Context) { p.Window.ShowDocument(ctx, e.URI, nil, false) })
	case event.TurnFinished:
		p.Window.Progress.End(e.Turn, e.State)
		p.tellEnd(e)
		delete(p.known, e.Turn)
	}
	if p.Client.Events {
		p.forward(ctx, e)
	}
}

// tellQueued shows that the user's message waits: once as a message, and as progress with
// its place in the queue, which the user can cancel.
func (p *Presenter) tellQueued(e event.Event) {
	behind := "waits behind " + phrase.Count(e.Place, "other")
	if !p.known[e.Turn] {
		p.known[e.Turn] = true
		p.Window.Info(fmt.Sprintf("your message %s (%s): %s", behind, e.Turn, e.Summary))
		p.Window.Progress.Begin(e.Turn, behind+": "+e.Summary)
		return
	}
	p.Window.Progress.Report(e.Turn, behind+": "+e.Summary)
}

// openPreview opens the preview of a revision that a turn has just made. By the table of
// effects it opens none that the user or an earlier session made.
func (p *Presenter) openPreview(e event.Event) {
	view := p.Backend.Plan(e.PlanNumber)
	if view == nil {
		return
	}
	p.Shown.NoteView(view)
	if !slices.Contains(e.Effects, plan.OpenPreview) || view.Preview == "" || p.opened[e.PlanNumber] == view.Revision.Number && !e.Again {
		return
	}
	p.opened[e.PlanNumber] = view.Revision.Number
	uri := p.Pages.URI(view.Preview)
	p.Conn.Go("preview", func(ctx context.Context) { p.Window.ShowDocument(ctx, uri, nil, false) })
}

// tellEnd shows the one message at the end of a turn.
func (p *Presenter) tellEnd(e event.Event) {
	made := ""
	if e.PlanNumber != 0 && e.Decided == "" {
		if view := p.Backend.Plan(e.PlanNumber); view != nil && (!e.Asked || view.Plan.State.Open()) {
			made = summary.PlanReady(view, p.Pages)
		}
	}
	switch {
	case e.State == "waiting": // its question was shown
	case e.State == "cancelled":
		p.Window.Info("the turn was cancelled.")
	case e.Error != "":
		p.Window.Error(strings.TrimSpace(phrase.OneSentence(e.Error) + " " + made))
	case made != "":
		p.Window.Tell(made, len(e.Unfinished) > 0)
		if view := p.Backend.Plan(e.PlanNumber); view != nil && !e.Asked {
			p.askWhenReady(view)
		}
	case e.Decided != "": // the outcome is in the last paragraph
		paragraphs := strings.Split(e.Answer, "\n\n")
		line, whole := window.Excerpt(paragraphs[len(paragraphs)-1])
		p.Window.Info(line + p.restInChat(whole) + summary.Unsaved(p.Workspace, summary.Paths(p.Backend.Snapshot().Plans...)))
	case len(e.Unfinished) > 0:
		p.Window.Warn(summary.Undone(e.Unfinished))
	case e.Answer != "":
		if line, whole := window.Excerpt(e.Answer); !p.Client.Answers {
			p.Window.Info(line + p.restInChat(whole))
		}
	default:
		p.Window.Info("the turn ended without an answer and without a change.")
	}
}

// restInChat returns a sentence that says where the rest of an answer is, "" if whole is
// true.
func (p *Presenter) restInChat(whole bool) string {
	if whole {
		return ""
	}
	return " (The whole answer is in " + p.Pages.ChatName() + ".)"
}

// forward sends an event to the client (redline/event), with ranges in the negotiated
// encoding.
func (p *Presenter) forward(ctx context.Context, e event.Event) {
	raw, err := json.Marshal(p.Positions.Event(e))
	if err == nil {
		err = p.Conn.Notify(ctx, "redline/event", json.RawMessage(raw))
	}
	if err != nil {
		p.Log.Debug("an event was not sent", zap.Error(err))
	}
}
