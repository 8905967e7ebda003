package turn

import (
	"context"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/report"
	"redline/agent/store"
)

// maxReported is how many plans of a conversation a report covers, the newest ones.
const maxReported = 3

// report returns what a conversation's model is told before a request: what has happened to its
// plans since they were made. It comes from the store, so it is true after a restart and covers
// what other processes decided, and is made again only if something has changed. "" means
// nothing to tell.
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
		if line := report.Status(p, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return ts.prompt("report") + "\n" + strings.Join(lines, "\n"), nil
}

// reported returns a report as a message of the conversation.
func reported(text string) []model.Message {
	if text == "" {
		return nil
	}
	return []model.Message{{Role: model.RoleUser, Content: text}}
}
