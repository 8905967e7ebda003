package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Limits of a turn that reports: requests to the model, and bytes of its answer, which is about
// a screen.
const (
	maxReportRequests = 4
	maxReportAnswer   = 4 << 10
)

// ReportOn queues a turn of the plan's conversation that reports the results of the plan's
// commands, if the plan or the user's settings ask for that. The commands must have run. It
// returns the turn's id, or "" if it queued none. The built-in model reports nothing.
func (ts *Turns) ReportOn(h *board.Held) (turn string) {
	p, r := h.Now()
	switch {
	case ts.builtin(), ts.settings.Report == config.ReportNever, ts.settings.Report != config.ReportAlways && !r.Report:
		return ""
	}
	return ts.Conversations.Queue(conversation.Request{
		Message: conversation.Message{Text: fmt.Sprintf("The commands of plan %d have run: report the results.", p.Number), Conversation: p.Conversation},
		Typed:   new(string), Report: p.Number,
	})
}

// handleReport has the model report the results of a plan's commands. It can read and show
// places; it stages nothing.
func handleReport(ctx context.Context, w *work) error {
	messages, err := w.reportRequest(ctx)
	if err != nil {
		return err
	}
	w.env = w.envFor(draft.New(w.ws))
	w.env.Asks = true // edits in its answer are only examples
	hooks := w.hooks()
	hooks.Text = upTo(maxReportAnswer, hooks.Text)
	if err := w.converse(ctx, messages, tool.Reporting(), hooks); err != nil {
		return err
	}
	w.remember(withUndone(phrase.StartBytes(strings.TrimSpace(w.outcome.Text), maxReportAnswer), w.undone))
	return nil
}

// reportRequest returns the first messages to the model of a report: what has happened to the
// plan, the results of its commands and what it changes.
func (w *work) reportRequest(ctx context.Context) ([]model.Message, error) {
	n := w.turn.request.Report
	h, err := w.Board.Find(ctx, n)
	if err != nil {
		return nil, err
	}
	decisions, err := w.store.Decisions(ctx, w.Session.Key(), n)
	if err != nil {
		return nil, err
	}
	results := w.prompt("report") + "\n" + view.ReportStatus(h.Plan(), decisions)
	if changes := view.ReportChanges(w.Board.Seen(h), w.ws.Secret, false, view.MaxReported); changes != "" {
		results += "\n" + changes
	}
	messages := append([]model.Message{{Role: model.RoleSystem, Content: w.prompt("outcome")}}, w.said()...)
	return append(messages,
		model.Message{Role: model.RoleUser, Content: results},
		model.Message{Role: model.RoleUser, Content: w.turn.request.Text}), nil
}

// upTo returns a function that passes on only the first max bytes of a text that arrives in
// pieces.
func upTo(max int, show func(string)) func(string) {
	left := max
	return func(s string) {
		if len(s) > left {
			s = strings.ToValidUTF8(s[:left], "")
			left = len(s)
		}
		if left -= len(s); s != "" {
			show(s)
		}
	}
}

// limits returns the limits of the turn's route.
func (w *work) limits() loop.Limits {
	l := w.settings.Limits
	if w.route == routeReport && (l.Requests == 0 || l.Requests > maxReportRequests) {
		l.Requests = maxReportRequests
	}
	return l
}
