// Package present shows the events of the agent to the user: as messages, questions, progress
// and previews. Clients that follow the events get them too.
package present

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/agent/config"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/tasks"
	"redline/lsp/backend"
	"redline/lsp/command"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
)

// Presenter shows the agent's events and sends them to clients that follow them. Notify only
// queues an event; one goroutine presents the events in order.
type Presenter struct {
	Options
	wake tasks.Signal // the queue is not empty

	mu    sync.Mutex
	queue []state.Event

	questions readyQuestions

	// Only Run uses these.
	opened map[int]int     // plan → revision whose preview was opened
	known  map[string]bool // turns that were shown to the user in a message or as progress
}

// Client describes how the client uses events.
type Client struct {
	Events    bool // it wants redline/event notifications
	Answers   bool // it shows the answers of turns itself, from the events
	DiffModes bool // it shows differences in the way that an event asks for
	Beside    bool // it is likely to show a question beside the text, where it can wait
}

// Options configure a Presenter.
type Options struct {
	Client    Client
	Conn      *wire.Conn
	Window    *window.Window
	Workspace *workspace.Workspace
	Backend   *backend.Backend
	Positions position.Mapper
	Pages     pages.Pages
	Shown     *pages.Shown
	Commands  *command.Runner
	UI        func() config.UISettings // as they are now
	Changed   func()                   // updates diagnostics, lenses and hints soon; must not block
	Underway  time.Duration            // how long an execution runs before it is shown as progress
	Log       *zap.Logger
}

// New returns a presenter; [Presenter.Run] shows the events that it receives.
func New(o Options) *Presenter {
	return &Presenter{Options: o, wake: tasks.NewSignal(), opened: map[int]int{}, known: map[string]bool{}}
}

// Notify implements state.Editor: it queues an event. It never blocks.
func (p *Presenter) Notify(e state.Event) {
	if (e.Kind == state.TokenArrived || e.Kind == state.CommandPrinted || e.Kind == state.TrialRan) && !p.Client.Events {
		return
	}
	p.mu.Lock()
	p.queue = queued(p.queue, e, p.Client.Events)
	p.mu.Unlock()
	p.wake.Set()
}

// Show implements state.Editor. It does nothing if the client cannot show documents.
func (p *Presenter) Show(ctx context.Context, at state.Location) error {
	place := protocol.Position{Line: position.Clamp(at.Line)}
	p.Window.ShowDocument(ctx, p.Workspace.URI(at.Path), &protocol.Range{Start: place, End: place}, true)
	return nil
}

// CanShow implements state.Editor.
func (p *Presenter) CanShow() bool { return p.Window.Client().ShowDocument }

// Follows implements state.Editor.
func (p *Presenter) Follows() bool { return p.Client.Events }

// ShowsDiffs implements state.Editor.
func (p *Presenter) ShowsDiffs() bool { return p.Client.DiffModes }

// queued returns the queue with an event added, merged into one that waits if there is one, so that
// a slow client costs no memory: fragments of a reply become one, and only the newest state of a
// plan is kept. follows says that the client follows the events.
func queued(queue []state.Event, e state.Event, follows bool) []state.Event {
	switch e.Kind {
	case state.TokenArrived, state.CommandPrinted, state.TrialRan:
		if last := len(queue) - 1; last >= 0 {
			waiting := &queue[last]
			if waiting.Kind == e.Kind && waiting.Trial == nil && e.Trial == nil && waiting.Turn == e.Turn && waiting.ID == e.ID && waiting.Stream == e.Stream {
				waiting.Text += e.Text
				return queue
			}
		}
	case state.Doing: // only the newest counts
		if last := len(queue) - 1; last >= 0 && queue[last].Kind == e.Kind && queue[last].Turn == e.Turn {
			queue[last] = e
			return queue
		}
	case state.PlanChanged:
		for i := range slices.Backward(queue) {
			waiting := &queue[i]
			if waiting.Kind != e.Kind || waiting.PlanNumber != e.PlanNumber {
				continue
			}
			if e.Turn != "" && e.Turn != waiting.Turn {
				return append(queue, e) // another turn has begun since
			}
			if follows && len(queue) < maxQueue && isExecuting(waiting.Plan) && !isExecuting(e.Plan) {
				return append(queue, e) // a client that follows the events sees the steps in progress
			}
			if follows && len(queue) < maxSteps && isExecuting(waiting.Plan) {
				return append(queue, e) // and each file
			}
			e.Turn = waiting.Turn
			e.Again = e.Again || waiting.Again
			e.Effects = slices.Concat(waiting.Effects, e.Effects)
			e.Outcome = cmp.Or(e.Outcome, waiting.Outcome)
			*waiting = e
			return queue
		}
	}
	return append(queue, e)
}

// maxQueue is how many events may wait before all events of a plan are merged, and maxSteps how
// many before those of one execution are: each of these has the whole plan.
const (
	maxQueue = 1000
	maxSteps = 100
)

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

// forward sends an event to the client (redline/event), with ranges in the negotiated
// encoding.
func (p *Presenter) forward(ctx context.Context, e state.Event) {
	raw, err := json.Marshal(p.Positions.Event(e))
	if err == nil {
		err = p.Conn.Notify(ctx, "redline/event", json.RawMessage(raw))
	}
	if err != nil {
		p.Log.Debug("an event was not sent", zap.Error(err))
	}
}

// doing returns the progress of a turn from what it is doing now. A tool is named at once. The
// wait for the model is shown after a second, so that until then the user sees what came before
// it, and counts its seconds, as everything does that takes longer than that. Messages are short
// and have no percentage: some editors cut them off, and VS Code drops those after one that has.
func doing(e state.Event) window.Message {
	text := e.Text
	switch e.Name {
	case "retry":
		wait := time.Duration(e.Wait) * time.Millisecond
		return func(elapsed time.Duration) string {
			if left := (wait - elapsed + time.Second - 1).Truncate(time.Second); left > time.Second {
				return fmt.Sprintf("asking the model again in %d s: %s", int(left.Seconds()), text)
			}
			return counted("asking the model again: "+text, elapsed-wait)
		}
	case "model":
		return func(elapsed time.Duration) string {
			if elapsed < time.Second {
				return ""
			}
			return counted(text, elapsed)
		}
	case "save": // the user's turn to act: no seconds, which would redraw a line that Emacs shares
		return func(time.Duration) string { return text }
	}
	return func(elapsed time.Duration) string { return counted(text, elapsed) }
}

// counted returns text with the seconds that it has lasted, if there are any.
func counted(text string, elapsed time.Duration) string {
	if elapsed < time.Second {
		return text
	}
	return fmt.Sprintf("%s (%d s)", text, int(elapsed.Seconds()))
}
