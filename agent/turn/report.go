package turn

import (
	"context"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/agent/report"
	"redline/agent/store"
)

// maxReported is how many plans of a conversation a report covers, the newest ones.
const maxReported = 3

// madeReport is a report on a conversation's plans, kept until something has changed.
type madeReport struct {
	text string
	news int // see [board.Board.News]: another value means that something has changed
}

// report returns the report on a conversation's plans that its model reads before a request:
// what has happened to them since they were made. It is made from the store, so it is true
// after a restart and covers what other processes decided. It is "" if there is nothing to
// report.
func (p *parts) report(ctx context.Context, conversation string) (string, error) {
	news := p.Board.News(conversation)
	if kept, ok := p.reports.Load(conversation); ok && kept.(madeReport).news == news {
		return kept.(madeReport).text, nil
	}
	text, err := p.makeReport(ctx, conversation)
	if err == nil {
		p.reports.Store(conversation, madeReport{text, news})
	}
	return text, err
}

// makeReport makes the report on a conversation's plans.
func (p *parts) makeReport(ctx context.Context, conversation string) (string, error) {
	plans, err := p.store.Plans(ctx, p.Session.Key(), store.Filter{Conversation: conversation, Limit: maxReported})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, made := range slices.Backward(plans) { // oldest first
		decisions, err := p.store.Decisions(ctx, p.Session.Key(), made.Number)
		if err != nil {
			return "", err
		}
		if line := report.Status(made, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return p.prompt("report") + "\n" + strings.Join(lines, "\n"), nil
}

// reported returns a report as a message of the conversation.
func reported(text string) []model.Message {
	if text == "" {
		return nil
	}
	return []model.Message{{Role: model.RoleUser, Content: text}}
}
