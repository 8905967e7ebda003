package turn

import (
	"context"
	"slices"
	"strings"

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
func (ts *Turns) report(ctx context.Context, conversation string) (string, error) {
	news := ts.Board.News(conversation)
	if kept, ok := ts.reports.Load(conversation); ok && kept.(madeReport).news == news {
		return kept.(madeReport).text, nil
	}
	text, err := ts.makeReport(ctx, conversation)
	if err == nil {
		ts.reports.Store(conversation, madeReport{text, news})
	}
	return text, err
}

// makeReport makes the report on a conversation's plans.
func (ts *Turns) makeReport(ctx context.Context, conversation string) (string, error) {
	plans, err := ts.store.Plans(ctx, ts.Session.Key(), store.Filter{Conversation: conversation, Limit: maxReported})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, made := range slices.Backward(plans) { // oldest first
		decisions, err := ts.store.Decisions(ctx, ts.Session.Key(), made.Number)
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
	return ts.prompt("report") + "\n" + strings.Join(lines, "\n"), nil
}
