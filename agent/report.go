package agent

import (
	"context"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/report"
	"redline/agent/store"
)

// maxReported is how many plans of a conversation a model is told of, the newest.
const maxReported = 3

// report is what a conversation's model is told before a request: what has
// become of the conversation's plans, and was not known when they were made.
// It is made from the store, so that it is as true after a restart, and of what
// another process decided; and it is made anew only after something was.
// "" means that there is nothing to tell.
func (ts *Turns) report(ctx context.Context, conv *conversation.Conversation) (string, error) {
	news := ts.board.News(conv.ID)
	if made, ok := ts.notes.report(conv.ID); ok && made.news == news {
		return made.text, nil
	}
	text, err := ts.makeReport(ctx, conv.ID)
	if err != nil {
		return "", err
	}
	ts.notes.setReport(conv.ID, madeReport{text, news})
	return text, nil
}

func (ts *Turns) makeReport(ctx context.Context, conversation string) (string, error) {
	plans, err := ts.store.Plans(ctx, ts.workspaceKey(), store.Filter{Conversation: conversation, Limit: maxReported})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range slices.Backward(plans) { // oldest first
		decisions, err := ts.store.Decisions(ctx, ts.workspaceKey(), p.Number)
		if err != nil {
			return "", err
		}
		if line := report.Standing(p, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return ts.prompt("report") + "\n" + strings.Join(lines, "\n"), nil
}

// reported is a report as a message of the conversation.
func reported(text string) []model.Message {
	if text == "" {
		return nil
	}
	return []model.Message{{Role: model.RoleUser, Content: text}}
}
