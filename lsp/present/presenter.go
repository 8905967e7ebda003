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

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/tasks"
	"redline/internal/wire"
	"redline/lsp/backend"
	"redline/lsp/command"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/summary"
	"redline/lsp/window"
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
	closed map[int]bool    // plan → its newest preview was not opened, because the user was typing
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
	return &Presenter{Options: o, wake: tasks.NewSignal(), opened: map[int]int{}, closed: map[int]bool{}, known: map[string]bool{}}
}

// Notify implements state.Editor: it queues an event. It never blocks.
func (p *Presenter) Notify(e state.Event) {
	if (e.Kind == state.TokenArrived || e.Kind == state.ModelThinks || e.Kind == state.CommandPrinted || e.Kind == state.TrialRan || e.Kind == state.OutsideWorks && e.Step == nil) && !p.Client.Events {
		return
	}
	p.mu.Lock()
	p.queue = queued(p.queue, e, p.Client.Events)
	p.mu.Unlock()
	p.wake.Set()
}

// Show implements state.Editor. While the user types it only names the place. It does nothing if the
// client cannot show documents.
func (p *Presenter) Show(ctx context.Context, at state.Location) error {
	if p.Window.Interrupts(true) {
		p.tellPlace(at.Path, at.Line+1)
		return nil
	}
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
	case state.TokenArrived, state.ModelThinks, state.CommandPrinted, state.TrialRan, state.OutsideWorks:
		if last := len(queue) - 1; last >= 0 && queue[last].Join(e) {
			return queue
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
				return fmt.Sprintf("asking the model again in %d s (retry %d): %s", int(left.Seconds()), e.Retry, text)
			}
			return counted(fmt.Sprintf("asking the model again (retry %d): %s", e.Retry, text), elapsed-wait)
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

// present shows one event.
func (p *Presenter) present(ctx context.Context, e state.Event) {
	switch e.Kind {
	case state.TurnQueued:
		p.tellQueued(e)
	case state.TurnStarted:
		p.Window.Progress.Report(e.Turn, e.Summary) // the turn may have waited in the queue
		p.known[e.Turn] = true
		p.Window.Progress.Begin(e.Turn, e.Summary)
		if !p.Client.Events { // one that follows them shows itself what is being done
			p.Window.Progress.Say(e.Turn, e.Summary, func(doing string) { p.Window.Info("still at work: " + doing) })
		}
	case state.Routed:
		if text := (conversation.Choices{Agent: conversation.Agent{Name: e.Agent}, Mode: e.Mode}).String(); text != "" {
			p.Window.Progress.Report(e.Turn, "thinking, with "+text)
		}
	case state.Doing:
		p.Window.Progress.ReportAs(e.Turn, doing(e))
	case state.ToolCalled:
		p.Window.Progress.Report(e.Turn, cmp.Or(e.Summary, e.Name))
	case state.OutsideWorks:
		if e.Step != nil {
			p.Window.Progress.Report(e.Turn, e.Step.Summary)
		}
	case state.Traced:
		if e.Step.Kind == trace.Specialist {
			p.Window.Progress.Report(e.Turn, e.Step.Summary)
		}
	case state.HunkStaged:
		what := "a change to " + e.Path
		if e.Path == "" {
			what = "a command"
		}
		p.Window.Progress.Report(e.Turn, what+" is staged")
	case state.PlanChanged:
		p.Changed()
		view := p.Backend.Plan(e.PlanNumber)
		if view != nil && view.Plan.State.Decidable() {
			p.Backend.TrialStanding() // the actions on the plan will ask for it
		}
		if view != nil {
			p.Shown.NoteView(view)
			p.openPreview(e, view)
		}
		p.questions.overtake(e.PlanNumber, view)
		p.showUnderway(e)
		if e.Outcome != nil {
			p.Window.Tell(summary.Outcome(p.Workspace, e.PlanNumber, e.Outcome))
		}
	case state.Noticed:
		p.tellNotice(e)
	case state.QuestionAsked:
		p.tellQuestion(e)
	case state.LocationAsked:
		p.tellLocation(e)
	case state.ViewAsked:
		e.URI = p.Pages.URI(e.Path)
		asked := e.View == "trace" // by the user, not by the model
		if p.Client.Events {
			p.forward(ctx, e) // first, so that the client knows what it is asked to show
		}
		if p.Window.Interrupts(false) {
			p.tellPlace(e.Path, 0)
			return
		}
		p.Conn.Go("view", func(ctx context.Context) { p.Window.ShowDocument(ctx, e.URI, nil, asked) })
		return
	case state.TurnFinished:
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
func (p *Presenter) tellQueued(e state.Event) {
	behind := "waits behind " + phrase.Count(e.Place, "other")
	if !p.known[e.Turn] {
		p.known[e.Turn] = true
		p.Window.Info(fmt.Sprintf("your message %s (%s): %s", behind, e.Turn, e.Summary))
		p.Window.Progress.Begin(e.Turn, behind+": "+e.Summary)
		return
	}
	p.Window.Progress.Report(e.Turn, behind+": "+e.Summary)
}

// openPreview opens the preview of a revision that a turn has just made, unless the user is typing. The table of effects
// asks for none when the user or an earlier session made the revision.
func (p *Presenter) openPreview(e state.Event, view *view.Plan) {
	if !slices.Contains(e.Effects, plan.OpenPreview) || view.Preview == "" || p.opened[e.PlanNumber] == view.Revision.Number && !e.Again {
		return
	}
	p.opened[e.PlanNumber] = view.Revision.Number
	if p.closed[e.PlanNumber] = p.Window.Interrupts(false); p.closed[e.PlanNumber] {
		return // the message at the end of the turn says where it is
	}
	uri := p.Pages.URI(view.Preview)
	p.Conn.Go("preview", func(ctx context.Context) { p.Window.ShowDocument(ctx, uri, nil, false) })
}

// tellEnd shows the one message at the end of a turn.
func (p *Presenter) tellEnd(e state.Event) {
	made, view := "", p.Backend.Plan(e.PlanNumber)
	if e.Decided == "" && view != nil && (!e.Asked || view.Plan.State.Open()) {
		made = summary.PlanReady(p.Workspace, view, p.Pages, p.closed[e.PlanNumber])
		delete(p.closed, e.PlanNumber)
	}
	switch {
	case e.State == "waiting": // its question was shown
	case e.State == "cancelled":
		p.Window.Info("the turn was cancelled.")
	case e.Error != "":
		p.Window.Error(strings.TrimSpace(phrase.OneSentence(e.Error)+" "+made) + printed(e.Printed))
	case made != "":
		p.Window.Tell(made, len(e.Unfinished) > 0)
		if !e.Asked {
			p.askWhenReady(view)
		}
	case e.Decided != "": // the outcome is in the last paragraph
		paragraphs := strings.Split(e.Answer, "\n\n")
		line, whole := window.Excerpt(paragraphs[len(paragraphs)-1])
		p.Window.Info(line + p.restInChat(whole) + summary.Unsaved(p.Workspace, summary.Paths(p.Backend.Snapshot().Plans...)))
	case len(e.Unfinished) > 0:
		text := summary.Undone(e.Unfinished)
		if said := strings.TrimSpace(strings.TrimSuffix(e.Answer, strings.Join(e.Unfinished, "\n\n"))); said != "" && !p.Client.Answers {
			line, whole := window.Excerpt(said)
			text = phrase.FullStop(line) + p.restInChat(whole) + " " + text
		}
		p.Window.Warn(text)
	case e.Answer != "":
		if line, whole := window.Excerpt(e.Answer); !p.Client.Answers {
			p.Window.Info(line + p.restInChat(whole))
		}
	default:
		p.Window.Info("the turn ended without an answer and without changes.")
	}
}

// printed returns the output of a failed command, on lines of its own; "" for none.
func printed(output string) string {
	if output = strings.TrimSpace(output); output == "" {
		return ""
	}
	return "\n" + edits.ExpandTabs(edits.Visible(output), 0)
}

// restInChat returns a sentence that says where the rest of an answer is, "" if whole is true.
func (p *Presenter) restInChat(whole bool) string {
	if whole {
		return ""
	}
	return " (The whole answer is in " + p.Pages.ChatName() + ".)"
}

// tellNotice shows a notice of the agent, and which files of its plan are not saved yet.
func (p *Presenter) tellNotice(e state.Event) {
	if e.Error != "" {
		p.Window.Error(phrase.OneSentence(e.Error))
		return
	}
	var paths []string
	if view := p.Backend.Plan(e.PlanNumber); view != nil {
		paths = summary.Paths(view)
	}
	p.Window.Info(phrase.OneSentence(e.Text) + summary.Unsaved(p.Workspace, paths))
}

// tellLocation names a location that the model points to, to a client that cannot show
// documents. For other clients the agent calls [Presenter.Show].
func (p *Presenter) tellLocation(e state.Event) {
	if !p.Window.Client().ShowDocument {
		p.tellPlace(e.Path, e.Line)
	}
}

// tellPlace names a line of a file, counted from 1; 0 for none.
func (p *Presenter) tellPlace(path string, line int) {
	if line > 0 {
		p.Window.Info(fmt.Sprintf("look at %s, line %d.", path, line))
	} else {
		p.Window.Info(fmt.Sprintf("look at %s.", path))
	}
}

// showUnderway shows the execution of a plan as progress, as the table of effects says.
// It skips a short execution, since a message about its end follows anyway.
func (p *Presenter) showUnderway(e state.Event) {
	token := fmt.Sprintf("plan %d", e.PlanNumber)
	for _, effect := range e.Effects {
		switch effect {
		case plan.BeginProgress:
			if e.Plan != nil && runsCommand(*e.Plan) {
				continue // the progress of the turn that runs it is shown
			}
			p.Window.Progress.BeginLater(token, token+" is being carried out", p.Underway)
		case plan.EndProgress:
			p.Window.Progress.End(token, "done")
		}
	}
	if isExecuting(e.Plan) {
		if done, all := filesApplied(*e.Plan); all > 1 && done > 0 {
			p.Window.Progress.Report(token, fmt.Sprintf("%s: %d of %d files are applied", token, done, all))
		}
	}
}

// filesApplied counts the files of a plan that are applied, and those that are or are to be.
func filesApplied(p state.Plan) (done, all int) {
	for _, f := range p.Files {
		switch plan.FileStatus(f.Status) {
		case plan.FileApplied:
			done, all = done+1, all+1
		case plan.FileApplying:
			all++
		}
	}
	return done, all
}

// runsCommand reports whether a command of the plan is running.
func runsCommand(p state.Plan) bool {
	return slices.ContainsFunc(p.Commands, func(c state.Command) bool { return c.Status == string(plan.CommandRunning) })
}
