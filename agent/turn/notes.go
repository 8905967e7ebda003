package turn

import "sync"

// notes are what the turns note of conversations: the last report to their models, and the last
// request that changed a plan without naming it.
type notes struct {
	mu      sync.Mutex
	reports map[string]madeReport // by conversation
	unnamed map[string]revisedBy  // by conversation
}

// madeReport is a report on a conversation's plans.
type madeReport struct {
	text string
	news int // what had become of the plans by then, see Board.News
}

func newNotes() *notes {
	return &notes{reports: map[string]madeReport{}, unnamed: map[string]revisedBy{}}
}

func (n *notes) report(conversation string) (r madeReport, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r, ok = n.reports[conversation]
	return r, ok
}

func (n *notes) setReport(conversation string, r madeReport) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reports[conversation] = r
}

func (n *notes) revised(conversation string) revisedBy {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.unnamed[conversation]
}

func (n *notes) setRevised(conversation string, r revisedBy) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unnamed[conversation] = r
}
