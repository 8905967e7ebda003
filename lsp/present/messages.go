package present

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/summary"
	"redline/lsp/window"
)

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
		p.Backend.TrialStanding() // the actions on the plan will ask for it
		view := p.Backend.Plan(e.PlanNumber)
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

// openPreview opens the preview of a revision that a turn has just made. The table of effects
// asks for none when the user or an earlier session made the revision.
func (p *Presenter) openPreview(e state.Event, view *view.Plan) {
	if !slices.Contains(e.Effects, plan.OpenPreview) || view.Preview == "" || p.opened[e.PlanNumber] == view.Revision.Number && !e.Again {
		return
	}
	p.opened[e.PlanNumber] = view.Revision.Number
	uri := p.Pages.URI(view.Preview)
	p.Conn.Go("preview", func(ctx context.Context) { p.Window.ShowDocument(ctx, uri, nil, false) })
}

// tellEnd shows the one message at the end of a turn.
func (p *Presenter) tellEnd(e state.Event) {
	made, view := "", p.Backend.Plan(e.PlanNumber)
	if e.Decided == "" && view != nil && (!e.Asked || view.Plan.State.Open()) {
		made = summary.PlanReady(view, p.Pages)
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
	switch {
	case p.Window.Client().ShowDocument:
	case e.Line > 0:
		p.Window.Info(fmt.Sprintf("look at %s, line %d.", e.Path, e.Line))
	default:
		p.Window.Info(fmt.Sprintf("look at %s.", e.Path))
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
