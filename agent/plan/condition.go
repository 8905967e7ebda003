package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Condition makes a step depend on the outcome of another. It is about the step's
// commands: all edits of an approval are made before any command has run, so a step with
// a condition has no edits; see [CheckConditions]. A condition can only leave something
// out: what runs is what was approved, or less. As a model writes it:
//
//	{"id": "s2", "description": "show the log", "when": {"step": "s1", "outcome": "failed"}}
//
// Conditions are part of the [ApprovalHash]. [CheckConditions] checks steps and
// operations from every source: a plan that a model submits, an edited preview, an
// imported file. A draft refuses an operation that would break it. An approval is refused
// if it has a command whose condition is not settled by what is approved before it. After
// a failure that another step waits for, the plan continues: see [Plan.SettleFailure].
type Condition struct {
	Step          string  `json:"step"`                    // id of the other step
	Outcome       Outcome `json:"outcome"`                 // succeeded or failed
	OutputMatches string  `json:"outputMatches,omitempty"` // a regular expression (RE2) that the kept output of its commands must match; "" for any output
}

// Outcome is the outcome of a step.
type Outcome string

// The outcomes that a condition can be about.
const (
	OutcomeSucceeded Outcome = "succeeded" // all of it is done, without a failure
	OutcomeFailed    Outcome = "failed"    // a command of it has ended by itself and failed
)

// String says in words when the step is carried out: "only if step s1 fails and its output
// matches `FAIL`".
func (c *Condition) String() string {
	does := "succeeds"
	if c.Outcome == OutcomeFailed {
		does = "fails"
	}
	text := "only if step " + c.Step + " " + does
	if c.OutputMatches != "" {
		text += " and its output matches `" + visibleBlanks(c.OutputMatches) + "`"
	}
	return text
}

// visibleBlanks returns an expression that means the same, on one line, in which every
// space is visible: `a  b` becomes `a \x{20}b`.
func visibleBlanks(expression string) string {
	var b strings.Builder
	runes := []rune(expression)
	for i, r := range runes {
		switch alone := i > 0 && i < len(runes)-1 && !unicode.IsSpace(runes[i-1]); {
		case r == ' ' && alone:
			b.WriteRune(r)
		case unicode.IsSpace(r):
			fmt.Fprintf(&b, `\x{%X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Step returns the step with the given id.
func (r *Revision) Step(id string) (*Step, bool) {
	for i := range r.Steps {
		if r.Steps[i].ID == id {
			return &r.Steps[i], true
		}
	}
	return nil, false
}

// Answer says whether a condition holds.
type Answer string

// The answers.
const (
	AnswerOpen Answer = "open" // a part of the other step is not settled
	AnswerYes  Answer = "yes"
	AnswerNo   Answer = "no" // it cannot hold any more in this revision
)

// Holds returns whether the condition of a step of revision r holds, and why, in a few
// words that continue "skipped: ". A step without a condition always runs.
func (p *Plan) Holds(r *Revision, s *Step) (Answer, string) {
	c := s.When
	if c == nil {
		return AnswerYes, ""
	}
	other, ok := r.Step(c.Step)
	if !ok {
		return AnswerNo, "step " + c.Step + " is not in the plan any more"
	}
	e := p.extentOf(r, other)
	switch {
	case e.open:
		return AnswerOpen, "step " + c.Step + " is not done"
	case e.failed && c.Outcome != OutcomeFailed:
		return AnswerNo, "step " + c.Step + " failed"
	case e.failed:
	case !e.begun && e.skipped:
		return AnswerNo, "step " + c.Step + " was skipped"
	case !e.begun:
		return AnswerNo, "nothing of step " + c.Step + " was carried out"
	case c.Outcome != OutcomeSucceeded:
		return AnswerNo, "step " + c.Step + " succeeded"
	}
	if !p.outputMatches(r, other, c.OutputMatches) {
		return AnswerNo, fmt.Sprintf("the output of step %s does not match `%s`", c.Step, c.OutputMatches)
	}
	return AnswerYes, ""
}

// MayRun reports whether the condition of a command's step, if it has one, holds.
func (p *Plan) MayRun(r *Revision, o *Operation) bool {
	s, ok := r.Step(o.Step)
	if !ok {
		return true
	}
	answer, _ := p.Holds(r, s)
	return answer == AnswerYes
}

// extentOf returns how far a step is, as conditions see it: everything that can still be
// approved is open, including a command at which the plan has stopped.
func (p *Plan) extentOf(r *Revision, s *Step) extent {
	var e extent
	status := p.Operations(r)
	for i := range r.Operations {
		o := &r.Operations[i]
		if o.Step != s.ID {
			continue
		}
		m := p.Progress.Command(o.ID)
		switch {
		case !o.IsCommand() && FileStatus(status[i]) == FileFailed,
			o.IsCommand() && m.Status == CommandFailed && !m.Tolerated,
			o.IsCommand() && m.Status == CommandSkipped && !m.Settled:
			e.open = true
		default:
			e.add(status[i])
		}
	}
	return e
}

// outputMatches reports whether the kept output of a step's commands matches an
// expression.
func (p *Plan) outputMatches(r *Revision, s *Step, expression string) bool {
	if expression == "" {
		return true
	}
	re, err := compileOutput(expression)
	if err != nil {
		return false // it was checked before; an invalid expression matches nothing
	}
	var out []string
	for i := range r.Operations {
		if o := &r.Operations[i]; o.Step == s.ID && o.IsCommand() {
			out = append(out, p.Progress.Command(o.ID).Output)
		}
	}
	return re.MatchString(strings.Join(out, "\n"))
}

// SkipUnmet marks the commands whose step's condition cannot hold any more as skipped,
// and returns their ids. Call it whenever a part of a plan was settled. Nothing is left
// to decide about them.
func (p *Plan) SkipUnmet(r *Revision) []string {
	var skipped []string
	for range r.Steps { // a skipped step may settle the condition of another
		n := len(skipped)
		for i := range r.Steps {
			s := &r.Steps[i]
			if s.When == nil {
				continue
			}
			if answer, why := p.Holds(r, s); answer == AnswerNo {
				skipped = append(skipped, p.skip(r, s.ID, why)...)
			}
		}
		if len(skipped) == n {
			break
		}
	}
	return skipped
}

// skip marks the commands of a step that have not begun as skipped for good, and returns
// their ids.
func (p *Plan) skip(r *Revision, step, why string) (ids []string) {
	for i := range r.Operations {
		o := &r.Operations[i]
		if o.Step != step || !o.IsCommand() {
			continue
		}
		switch m := p.Progress.Command(o.ID); {
		case m.Status == CommandSkipped && !m.Settled, m.Status == CommandPending, m.Status == CommandWaitingForSave:
			p.Progress.MarkCommand(o.ID, CommandMark{Status: CommandSkipped, Reason: why, Settled: true})
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// SettleFailure handles a command of r that has ended by itself and failed, with its mark
// in p. If another step runs just because of that failure, and still has something to
// run, the plan continues: SettleFailure marks the failure as tolerated, skips the rest
// of the command's own step, and ok is true. Otherwise p does not change.
func (p *Plan) SettleFailure(r *Revision, operation string) (skipped []string, ok bool) {
	o, found := r.Operation(operation)
	if !found || !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.When != nil && s.When.Step == o.Step && s.When.Outcome == OutcomeFailed }) {
		return nil, false
	}
	trial := p.Clone()
	mark := trial.Progress.Command(operation)
	mark.Tolerated = true
	trial.Progress.MarkCommand(operation, mark)
	skipped = trial.skip(r, o.Step, fmt.Sprintf("command %s of its step failed before it", operation))
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.When == nil || s.When.Step != o.Step || s.When.Outcome != OutcomeFailed || !trial.runs(r, s.ID) {
			continue
		}
		if answer, _ := trial.Holds(r, s); answer == AnswerYes {
			p.Progress = trial.Progress
			return skipped, true
		}
	}
	return nil, false
}

// runs reports whether a step has a command that can still run.
func (p *Plan) runs(r *Revision, step string) bool {
	return slices.ContainsFunc(p.Runnable(r), func(id string) bool {
		o, _ := r.Operation(id)
		return o.Step == step
	})
}

// Deciding returns the operations of r that the condition of an operation's step waits
// for: the unsettled operations of the step that the condition is about.
func (p *Plan) Deciding(r *Revision, o *Operation) []string {
	s, ok := r.Step(o.Step)
	if !ok || s.When == nil {
		return nil
	}
	other, ok := r.Step(s.When.Step)
	if !ok {
		return nil
	}
	var ids []string
	for i := range r.Operations {
		if r.Operations[i].Step != other.ID {
			continue
		}
		only := Revision{Number: r.Number, Steps: r.Steps, Operations: r.Operations[i : i+1], Changes: r.Changes}
		if p.extentOf(&only, other).open {
			ids = append(ids, r.Operations[i].ID)
		}
	}
	return ids
}
