package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"redline/agent/plan"
	"redline/agent/trace"
)

// Stats are the statistics of some plans, such as how many were completed and how long approvals
// took, beside their targets. A [StatsCounter] computes them. A figure without data has no value. A field Of is
// the number of things that its figure counts.
type Stats struct {
	Plans      PlanFigures      `json:"plans"`      // the number of plans
	Completion Figure           `json:"completion"` // the share of completed plans among decided ones
	Revisions  Figure           `json:"revisions"`  // revisions of a plan, on average
	Operations Figure           `json:"operations"` // the share of operations that succeeded, among those carried out
	Execution  ExecutionFigures `json:"execution"`  // how long approvals took
	Rating     Figure           `json:"rating"`     // the mean rating
	Hunks      HunkFigures      `json:"hunks"`      // the number of hunks, by what happened to them
	Matching   map[string]int   `json:"matching"`   // the number of hunks, by the matching step that found their place
	Tokens     TokenFigures     `json:"tokens"`     // the tokens that the model's provider counted
	Drift      DriftFigures     `json:"drift"`      // how often the files differed from those that a plan in words predicted
	Fallbacks  FallbackFigures  `json:"fallbacks"`  // how often rules replaced a model that failed
}

// Figure is one value and its target.
type Figure struct {
	Value  *float64 `json:"value"`            // the value; null if there is nothing to count
	Of     int      `json:"of"`               // how many things it is computed from
	Target string   `json:"target,omitempty"` // the target, such as `> 0.8`
	Met    *bool    `json:"met,omitempty"`    // whether the value meets the target; absent if there is no value
}

// PlanFigures counts plans by their state.
type PlanFigures struct {
	All       int `json:"all"`       // all
	Open      int `json:"open"`      // open plans
	Completed int `json:"completed"` // completed plans
	Cancelled int `json:"cancelled"` // cancelled plans
}

// ExecutionFigures is how long approvals took to carry out, in milliseconds. It leaves out approvals
// without a known result.
type ExecutionFigures struct {
	Median *float64 `json:"medianMs"`      // the median, in milliseconds; null if there are no approvals
	P95    *float64 `json:"p95Ms"`         // the 95th percentile, in milliseconds; null if there are no approvals
	Of     int      `json:"of"`            // the number of approvals
	Target string   `json:"target"`        // the target for the 95th percentile
	Met    *bool    `json:"met,omitempty"` // whether it meets the target; absent if there are no approvals
}

// HunkFigures counts hunks by what happened to them.
type HunkFigures struct {
	Shown     int `json:"shown"`     // different hunks in all revisions
	Unchanged int `json:"unchanged"` // applied as the model made them
	Edited    int `json:"edited"`    // from a revision that the user made
	Rejected  int `json:"rejected"`  // rejected by the user
	Stale     int `json:"stale"`     // left out of an approval because they were stale
	Undone    int `json:"undone"`    // undone after they were applied
}

// TokenFigures counts tokens, as the model's provider reported them.
type TokenFigures struct {
	Prompt     int     `json:"prompt"`         // tokens sent
	Completion int     `json:"completion"`     // tokens received
	Cost       float64 `json:"cost,omitempty"` // the sum of the known costs; absent if none is known
	Of         int     `json:"of"`             // the number of plans with recorded tokens
}

// DriftFigures counts how often a plan in words, once worked out, changed other files than predicted.
type DriftFigures struct {
	Differed   int `json:"differed"`   // plans that changed other files than predicted
	Unexpected int `json:"unexpected"` // files that changed and were not predicted
	Untouched  int `json:"untouched"`  // files that were predicted and did not change
	Of         int `json:"of"`         // the number of plans in words that were worked out
}

// FallbackFigures counts turns in which rules replaced a model that failed.
type FallbackFigures struct {
	Planner        int `json:"planner"`        // turns in which keywords chose the specialists
	Classification int `json:"classification"` // turns in which rules classified the message
	Prediction     int `json:"prediction"`     // turns in which words that look like paths became the files of a plan in words
	Of             int `json:"of"`             // the number of turns with a stored trace
}

// StatsCounter computes [Stats]. The zero value is ready to use.
type StatsCounter struct {
	stats     Stats
	revisions int
	succeeded int
	rated     int
	ratings   int
	took      []time.Duration
}

// Add counts one plan.
func (c *StatsCounter) Add(h plan.History) {
	s := &c.stats
	if s.Matching == nil {
		s.Matching = map[string]int{}
	}
	s.Plans.All++
	switch {
	case h.State.Open():
		s.Plans.Open++
	case h.State == plan.Completed:
		s.Plans.Completed++
	default:
		s.Plans.Cancelled++
	}
	c.revisions += len(h.Revisions)
	if h.Rating > 0 {
		c.rated++
		c.ratings += h.Rating
	}
	spent := plan.Tokens{}
	for i := range h.Revisions {
		spent.Prompt += h.Revisions[i].Tokens.Prompt
		spent.Completion += h.Revisions[i].Tokens.Completion
		spent.Cost += h.Revisions[i].Tokens.Cost
	}
	if spent != (plan.Tokens{}) {
		s.Tokens.Prompt += spent.Prompt
		s.Tokens.Completion += spent.Completion
		s.Tokens.Cost += spent.Cost
		s.Tokens.Of++
	}
	c.operations(h.Plan)
	c.drift(h.Plan)
	for _, e := range h.Executions {
		if e.Verdict == plan.VerdictApprove && !e.Finished.IsZero() {
			c.took = append(c.took, max(0, e.Finished.Sub(e.Started))) // a clock may go back
		}
	}
	c.hunks(h)
}

// operations counts the operations of the current revision that were carried out.
func (c *StatsCounter) operations(p *plan.Plan) {
	r, ok := p.Revision(p.Current)
	if !ok {
		return
	}
	for _, status := range p.Operations(r) {
		switch status {
		case string(plan.FileApplied), string(plan.CommandSucceeded):
			c.succeeded++
			c.stats.Operations.Of++
		case string(plan.FileFailed), string(plan.FileUnverified):
			c.stats.Operations.Of++
		}
	}
}

// drift compares the first edits of a plan with the files that its words named. Later edits do
// not count: the user asked for those after the prediction.
func (c *StatsCounter) drift(p *plan.Plan) {
	for i := range p.Revisions {
		d, ok := p.Drift(&p.Revisions[i])
		if !ok {
			continue
		}
		s := &c.stats.Drift
		s.Of++
		if !d.None() {
			s.Differed++
		}
		s.Unexpected += len(d.Unexpected)
		s.Untouched += len(d.Untouched)
		return
	}
}

// AddTurns counts turns: all is their number, taken has the traces of those with a fallback.
func (c *StatsCounter) AddTurns(all int, taken []trace.Trace) {
	s := &c.stats.Fallbacks
	s.Of += all
	for _, t := range taken {
		has := map[string]bool{}
		for _, step := range t.Steps {
			if step.Kind == trace.Fallback {
				has[step.Name] = true
			}
		}
		for name, count := range map[string]*int{trace.ByKeywords: &s.Planner, trace.ByRules: &s.Classification, trace.ByForm: &s.Prediction} {
			if has[name] {
				*count++
			}
		}
	}
}

// hunks counts each hunk once, by its id. Hunks of a first revision count as the model's, also
// those of an imported plan.
func (c *StatsCounter) hunks(h plan.History) {
	s := &c.stats
	seen := map[string]bool{}
	for i := range h.Revisions {
		r := &h.Revisions[i]
		for k := range r.Changes {
			for j := range r.Changes[k].Hunks {
				hunk := &r.Changes[k].Hunks[j]
				if seen[hunk.ID] {
					continue
				}
				seen[hunk.ID] = true
				s.Hunks.Shown++
				s.Matching[stepOf(hunk.Match)]++
				edited := i > 0 && r.Author == plan.AuthorUser
				switch status := h.Progress.Hunk(hunk.ID).Status; {
				case edited:
					s.Hunks.Edited++
				case status == plan.HunkApplied:
					s.Hunks.Unchanged++
				}
				if h.Progress.Hunk(hunk.ID).Status == plan.HunkRejected {
					s.Hunks.Rejected++
				}
			}
		}
	}
	stale, undone := map[string]bool{}, map[string]bool{}
	for _, d := range h.Decisions {
		for _, id := range d.Stale {
			stale[id] = true
		}
		if d.Verdict == plan.VerdictUndo {
			for _, id := range d.Hunks {
				undone[id] = true
			}
		}
	}
	s.Hunks.Stale += len(stale)
	s.Hunks.Undone += len(undone)
}

// stepOf names the matching step of a hunk for the user: "exact", "line number", "whole file".
func stepOf(match string) string {
	switch match {
	case "":
		return "whole file"
	case "line":
		return "line number"
	}
	return match
}

// Stats returns the figures of the plans that were added.
func (c *StatsCounter) Stats() Stats {
	s := c.stats
	if s.Matching == nil {
		s.Matching = map[string]int{}
	}
	decided := s.Plans.Completed + s.Plans.Cancelled
	s.Completion = figure(s.Plans.Completed, decided, "> 0.8", func(v float64) bool { return v > 0.8 })
	s.Revisions = figure(c.revisions, s.Plans.All, "< 2", func(v float64) bool { return v < 2 })
	s.Operations = figure(c.succeeded, s.Operations.Of, "> 0.95", func(v float64) bool { return v > 0.95 })
	s.Rating = figure(c.ratings, c.rated, "> 4.5", func(v float64) bool { return v > 4.5 })
	s.Execution = ExecutionFigures{Of: len(c.took), Target: "< 30000 for 10 operations"}
	if n := len(c.took); n > 0 {
		slices.Sort(c.took)
		median, p95 := milliseconds(c.took[n/2]), milliseconds(c.took[min(n-1, n*95/100)])
		met := p95 < 30_000
		s.Execution.Median, s.Execution.P95, s.Execution.Met = &median, &p95, &met
	}
	return s
}

func figure(sum, of int, target string, met func(float64) bool) Figure {
	f := Figure{Of: of, Target: target}
	if of > 0 {
		value := float64(sum) / float64(of)
		ok := met(value)
		f.Value, f.Met = &value, &ok
	}
	return f
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// historyBatch is how many plans are read at once.
const historyBatch = 500

// Histories calls yield with everything stored about each plan of a workspace, or of every
// workspace when it is "", that was made at or after since, in the order in which the plans
// were made. yield may keep its argument; its error stops the reading. It must not call the
// store.
func (ps *plans) Histories(ctx context.Context, workspace string, since time.Time, yield func(plan.History) error) error {
	for last := int64(0); ; {
		var batch []plan.History
		err := ps.db.read(ctx, func(tx *sql.Tx) (err error) {
			batch, last, err = historiesAfter(tx, workspace, since, last)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, h := range batch {
			if err := yield(h); err != nil {
				return err
			}
		}
	}
}

// historiesAfter reads the next plans after the row with the id after, and returns the id of
// the last one.
func historiesAfter(tx *sql.Tx, workspace string, since time.Time, after int64) (list []plan.History, last int64, err error) {
	const where = `id > ? AND (? = '' OR workspace = ?) AND created >= ? ORDER BY id LIMIT ?`
	args := []any{after, workspace, workspace, nanos(since), historyBatch}
	plans, byID, err := plansIn(tx, where, args)
	if err != nil || len(plans) == 0 {
		return nil, after, err
	}
	of := make(map[*plan.Plan]*plan.History, len(plans))
	list = make([]plan.History, len(plans))
	for i, p := range plans {
		list[i].Plan, of[p] = p, &list[i]
	}
	first := int64(0)
	for id := range byID {
		last = max(last, id)
		if first == 0 || id < first {
			first = id
		}
	}
	err = each(tx, `SELECT plan, revision, verdict, hunks, stale, at FROM decisions WHERE plan BETWEEN ? AND ? ORDER BY plan, id`,
		[]any{first, last}, func(rows *sql.Rows) error {
			var id int64
			var d plan.Decision
			err := rows.Scan(&id, &d.Revision, &d.Verdict, asJSON{&d.Hunks}, asJSON{&d.Stale}, asTime{&d.At})
			if h := of[byID[id]]; h != nil { // otherwise it belongs to another workspace
				d.Plan = h.Number
				h.Decisions = append(h.Decisions, d)
			}
			return err
		})
	if err != nil {
		return nil, after, err
	}
	err = each(tx, `SELECT e.plan, d.verdict, e.started, e.finished, e.outcome FROM executions e JOIN decisions d ON d.id = e.decision
		WHERE e.plan BETWEEN ? AND ? ORDER BY e.id`, []any{first, last}, func(rows *sql.Rows) error {
		var id int64
		var e plan.Execution
		err := rows.Scan(&id, &e.Verdict, asTime{&e.Started}, asTime{&e.Finished}, &e.Outcome)
		if h := of[byID[id]]; h != nil {
			h.Executions = append(h.Executions, e)
		}
		return err
	})
	return list, last, err
}
