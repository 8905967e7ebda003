package apply

import (
	"slices"

	"redline/agent/state"
	"redline/edits"
	"redline/workspace/judge"
)

// attempt is one change in progress: what the texts say of it, and what only this protocol
// has. A retry prepares the change again.
type attempt struct {
	judge.Attempt
	uri string // of the file as it is now

	plan  int                  // of a review
	hunks []state.ProposedHunk // of a review: the hunks that the edits belong to

	witness *witness // of the texts since it was sent; nil if they are not followed
	resent  int      // how often it was sent again
	depth   int      // 0 for a change, 1 for the change that reverts what the editor made of it, and so on
	unmake  func()   // removes the folders made for it; nil if there are none
}

func finishAll(batch []*attempt, status edits.Status, reason string) {
	for _, t := range batch {
		t.Finish(edits.Applied{Status: status, Reason: reason})
	}
}

// anyFailed reports whether some change was not made as a whole, so that no other may
// begin.
func anyFailed(batch []*attempt) bool {
	return slices.ContainsFunc(batch, func(t *attempt) bool { return t.Finished && t.Result.Status != edits.Done })
}

func unfinished(batch []*attempt) []*attempt {
	var out []*attempt
	for _, t := range batch {
		if !t.Finished {
			out = append(out, t)
		}
	}
	return out
}

// results returns the result of each change. A change that was sent but never verified
// is Unknown.
func results(batch []*attempt) []edits.Applied {
	out := make([]edits.Applied, len(batch))
	for i, t := range batch {
		out[i] = t.Result
		if !t.Finished {
			out[i] = edits.Applied{Path: t.Change.Path, Status: edits.Unknown, Reason: judge.Exited}
		}
	}
	return out
}

// progress reports the changes of an Apply whose texts have them, in order.
type progress struct {
	tell     func(n int) // nil once nothing is to be reported
	together bool        // the changes were made in one request: they are reported at once
	told     int
}

// look reports the changes that have landed since the last call, up to the first that has not.
// It waits for nothing. begun has the changes that were begun so far.
func (p *progress) look(f judge.Files, begun []*attempt) {
	if p.tell == nil {
		return
	}
	n := p.told
	for ; n < len(begun) && begun[n].Seen(f.Workspace); n++ {
		if !p.together {
			p.tell(n + 1)
		}
	}
	if p.together && n > p.told {
		p.tell(n)
	}
	p.told = n
}
