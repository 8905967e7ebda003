// Package stats tells from what is kept of plans how they fare: plain sums over
// what the store reads, with the targets that planning is held to beside them.
package stats

import (
	"slices"
	"time"

	"redline/agent/plan"
	"redline/agent/trace"
)

// Stats are the figures of some plans. Of what there is nothing of, the value
// is absent. A field Of is of how many the value beside it speaks.
type Stats struct {
	Plans      Plans          `json:"plans"`      // how many there are
	Completion Figure         `json:"completion"` // completed plans of those that are decided
	Revisions  Figure         `json:"revisions"`  // for each plan, on average
	Operations Figure         `json:"operations"` // that succeeded, of those carried out
	Execution  Execution      `json:"execution"`  // how long approvals took
	Rating     Figure         `json:"rating"`     // the mean of all ratings
	Hunks      Hunks          `json:"hunks"`      // what became of hunks
	Matching   map[string]int `json:"matching"`   // hunks by the matching step that found their place
	Tokens     Tokens         `json:"tokens"`     // what a model's provider has counted
	Drift      Drift          `json:"drift"`      // how often the files were other than a plan in words said
	Fallbacks  Fallbacks      `json:"fallbacks"`  // how often rules did what a model could not
}

// Figure is one value, of so many things, and what it should be.
type Figure struct {
	Value  *float64 `json:"value"`            // the figure; null when there is nothing to count
	Of     int      `json:"of"`               // of how many things
	Target string   `json:"target,omitempty"` // what it should be, as `> 0.8`
	Met    *bool    `json:"met,omitempty"`    // whether it is
}

// Plans counts plans by how they stand.
type Plans struct {
	All       int `json:"all"`       // all
	Open      int `json:"open"`      // those that are open
	Completed int `json:"completed"` // those that are completed
	Cancelled int `json:"cancelled"` // those that are cancelled
}

// Execution is how long approvals took to carry out, in milliseconds, as far as
// it is known what came of them.
type Execution struct {
	Median *float64 `json:"medianMs"`      // milliseconds that half of them stay under
	P95    *float64 `json:"p95Ms"`         // milliseconds that 95 % stay under
	Of     int      `json:"of"`            // of how many approvals
	Target string   `json:"target"`        // what it should be
	Met    *bool    `json:"met,omitempty"` // whether it is
}

// Hunks counts hunks by what became of them.
type Hunks struct {
	Shown     int `json:"shown"`     // different hunks, of all revisions
	Unchanged int `json:"unchanged"` // applied as the model made them
	Edited    int `json:"edited"`    // made by the user in a revision of their own
	Rejected  int `json:"rejected"`  // turned down
	Stale     int `json:"stale"`     // left out of an approval since they were stale
	Undone    int `json:"undone"`    // taken back after they were applied
}

// Tokens is what a model's provider has counted.
type Tokens struct {
	Prompt     int     `json:"prompt"`         // sent
	Completion int     `json:"completion"`     // received
	Cost       float64 `json:"cost,omitempty"` // what they cost, as far as that is known
	Of         int     `json:"of"`             // of how many plans it was recorded
}

// Drift is how often the files of a plan in words, once it was worked out, were other than it said.
type Drift struct {
	Differed   int `json:"differed"`   // plans whose files were other ones
	Unexpected int `json:"unexpected"` // files that changed and were not expected to
	Untouched  int `json:"untouched"`  // files that were expected to change and did not
	Of         int `json:"of"`         // of how many plans in words that were worked out
}

// Fallbacks counts turns in which rules did what a model could not.
type Fallbacks struct {
	Planner        int `json:"planner"`        // keywords chose the specialists
	Classification int `json:"classification"` // rules found out what the message wants
	Prediction     int `json:"prediction"`     // the files of a plan in words were found by their form
	Of             int `json:"of"`             // of how many turns, those whose traces are kept
}

// Counter adds plans up. Its zero value is ready.
type Counter struct {
	stats     Stats
	revisions int
	succeeded int
	rated     int
	ratings   int
	took      []time.Duration
}

// Add counts one plan.
func (c *Counter) Add(h plan.History) {
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

// operations counts those of the current revision that were carried out.
func (c *Counter) operations(p *plan.Plan) {
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

// drift compares the first edits of a plan with the files that its words named: what the user asked
// for later is no mistake of the prediction.
func (c *Counter) drift(p *plan.Plan) {
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

// AddTurns counts turns, and the fallbacks in the traces of those that took one.
func (c *Counter) AddTurns(all int, taken []trace.Trace) {
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

// hunks counts what became of each hunk, by its id. Those of a first revision
// are the model's, also of a plan that was imported.
func (c *Counter) hunks(h plan.History) {
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

// stepOf is how a hunk's place was found, in words.
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
func (c *Counter) Stats() Stats {
	s := c.stats
	if s.Matching == nil {
		s.Matching = map[string]int{}
	}
	decided := s.Plans.Completed + s.Plans.Cancelled
	s.Completion = figure(s.Plans.Completed, decided, "> 0.8", func(v float64) bool { return v > 0.8 })
	s.Revisions = figure(c.revisions, s.Plans.All, "< 2", func(v float64) bool { return v < 2 })
	s.Operations = figure(c.succeeded, s.Operations.Of, "> 0.95", func(v float64) bool { return v > 0.95 })
	s.Rating = figure(c.ratings, c.rated, "> 4.5", func(v float64) bool { return v > 4.5 })
	s.Execution = Execution{Of: len(c.took), Target: "< 30000 for 10 operations"}
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
