package plan

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// firstStep is the id of the step that a revision without steps gets.
const firstStep = "s1"

// FirstStep returns the id of the step for operations that name none: the first without a
// condition. There is one, unless the steps wait in a cycle.
func FirstStep(steps []Step) string {
	for _, s := range steps {
		if s.When == nil {
			return s.ID
		}
	}
	return steps[0].ID
}

// placeInSteps assigns each operation of r to a step: one that names no step, or a
// missing one, goes to the first. A revision without steps gets one with the plan's goal.
func (p *Plan) placeInSteps(r *Revision) {
	lost := func(o Operation) bool {
		return !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.ID == o.Step })
	}
	if !slices.ContainsFunc(r.Operations, lost) {
		return
	}
	if len(r.Steps) == 0 {
		r.Steps = []Step{{ID: firstStep, Description: p.Goal}}
	}
	r.Operations = slices.Clone(r.Operations) // another revision may have the same
	for i := range r.Operations {
		if lost(r.Operations[i]) {
			r.Operations[i].Step = FirstStep(r.Steps)
		}
	}
}

// Limits of a step, in bytes unless noted.
const (
	maxStepWords    = 4 << 10 // of each text
	maxExpression   = 256     // of the expression that an output must match
	maxInstructions = 2000    // compiled instructions of such an expression: matching time is proportional to them
	maxConditions   = 100     // steps
)

// stepID matches a valid step id, such as "s1" or "add-tests": ids begin lines of the preview.
var stepID = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)

// CheckSteps refuses invalid steps: an invalid or duplicate id, missing or too long
// words, a step that depends or waits on a missing step, on itself or in a cycle, an
// invalid condition. The error is one sentence for the model, without a full stop.
func CheckSteps(steps []Step) error {
	ids := map[string]bool{}
	for i, s := range steps {
		switch {
		case s.ID == "":
			return fmt.Errorf("step %d has no id: give each one, like s%d", i+1, i+1)
		case !stepID().MatchString(s.ID):
			return fmt.Errorf("%s is no id of a step: use letters, digits, - _ and . only, at most 64", quoted(s.ID))
		case ids[s.ID]:
			return fmt.Errorf("two steps have the id %s: give each its own", s.ID)
		case s.Parallel && s.When != nil:
			return fmt.Errorf("step %s is parallel and has a condition, which has to be known before it begins: leave one of them out", s.ID)
		case strings.TrimSpace(s.Description) == "":
			return fmt.Errorf("step %s has no description: say what it does", s.ID)
		}
		ids[s.ID] = true
		for _, words := range []string{s.Description, s.Rationale, s.Risk, s.Tool} {
			if len(words) > maxStepWords {
				return fmt.Errorf("step %s has a text of more than %d bytes: say it shorter", s.ID, maxStepWords)
			}
		}
	}
	for _, s := range steps {
		if err := s.checkDepends(ids); err != nil {
			return err
		}
	}
	return CheckOrder(steps)
}

// CheckOrder refuses steps that depend on themselves, that wait for one another in a cycle, or
// whose condition [CheckWhens] refuses. The ids of the steps must differ, and the steps that they
// depend on must be there.
func CheckOrder(steps []Step) error {
	for _, s := range steps {
		if slices.Contains(s.DependsOn, s.ID) {
			return fmt.Errorf("step %s depends on itself", s.ID)
		}
	}
	if err := CheckWhens(steps); err != nil {
		return err
	}
	return noCircle(steps, (*Step).waitsFor)
}

// CheckWhens refuses steps with a condition that is invalid or cannot be decided because it is
// about a missing step, or about its own step, directly or through others. The ids of the steps
// must differ.
func CheckWhens(steps []Step) error {
	ids := map[string]bool{}
	conditions := 0
	for _, s := range steps {
		ids[s.ID] = true
		if s.When != nil {
			conditions++
		}
	}
	if conditions > maxConditions {
		return fmt.Errorf("more than %d steps have a condition", maxConditions)
	}
	for _, s := range steps {
		if err := s.checkWhen(ids); err != nil {
			return err
		}
	}
	return noCircle(steps, func(s *Step) []string {
		if s.When == nil {
			return nil
		}
		return []string{s.When.Step}
	})
}

// checkDepends checks that the steps that a step depends on are there.
func (s *Step) checkDepends(ids map[string]bool) error {
	for k, id := range s.DependsOn {
		switch {
		case !ids[id]:
			return fmt.Errorf("step %s depends on %s, and there is no such step", s.ID, quoted(id))
		case slices.Contains(s.DependsOn[:k], id):
			return fmt.Errorf("step %s depends on %s twice", s.ID, id)
		}
	}
	return nil
}

// checkWhen checks the condition of a step.
func (s *Step) checkWhen(ids map[string]bool) error {
	c := s.When
	switch {
	case c == nil:
		return nil
	case c.Step == s.ID:
		return fmt.Errorf("step %s waits for itself: when.step must be another one", s.ID)
	case !ids[c.Step]:
		return fmt.Errorf("step %s waits for %s, and there is no such step", s.ID, quoted(c.Step))
	case c.Outcome != OutcomeSucceeded && c.Outcome != OutcomeFailed:
		return fmt.Errorf("step %s: when.outcome must be succeeded or failed", s.ID)
	case c.OutputMatches == "":
		return nil
	}
	if _, err := compileOutput(c.OutputMatches); err != nil {
		return fmt.Errorf("step %s: %w", s.ID, err)
	}
	return nil
}

// waitsFor returns the steps that a step comes after.
func (s *Step) waitsFor() []string {
	if s.When == nil || slices.Contains(s.DependsOn, s.When.Step) {
		return s.DependsOn
	}
	return append(slices.Clip(s.DependsOn), s.When.Step)
}

// noCircle refuses steps in a cycle; after returns the steps that a step comes after.
func noCircle(steps []Step, after func(*Step) []string) error {
	index := make(map[string]int, len(steps))
	for i, s := range steps {
		index[s.ID] = i
	}
	needs := make([][]need, len(steps))
	for i := range steps {
		for _, id := range after(&steps[i]) {
			needs[i] = append(needs[i], need{node: index[id]})
		}
	}
	order := sorted(needs)
	if len(order) == len(steps) {
		return nil
	}
	ordered := make([]bool, len(steps))
	for _, i := range order {
		ordered[i] = true
	}
	var left []string
	for i, s := range steps {
		if !ordered[i] {
			left = append(left, s.ID)
		}
	}
	if len(left) > 8 {
		left = append(left[:8], "…")
	}
	return fmt.Errorf("these steps wait for one another in a circle, or for such: %s", strings.Join(left, ", "))
}

// CheckConditions refuses a revision whose conditions could not be decided in time: a
// step with a condition must have only commands, and the commands of the step that it
// waits for must come before them. The error is a sentence without a full stop.
func CheckConditions(r *Revision) error {
	begun := map[string]string{} // from a step that another waits for to the first command of the other
	for i := range r.Operations {
		o := &r.Operations[i]
		if o.IsCommand() && begun[o.Step] != "" {
			return fmt.Errorf("%s of step %s must come before %s, whose step waits for the result of step %s", o.Named(), o.Step, begun[o.Step], o.Step)
		}
		s, ok := r.Step(o.Step)
		if !ok || s.When == nil {
			continue
		}
		if !o.IsCommand() {
			return fmt.Errorf("%s changes a file and cannot be in step %s, which is carried out %s: edits are made before any command has run", o.Named(), s.ID, s.When)
		}
		if begun[s.When.Step] == "" {
			begun[s.When.Step] = o.Named()
		}
	}
	return nil
}

// compileOutput compiles the expression of a condition. Its error is one sentence
// for the model.
func compileOutput(expression string) (*regexp.Regexp, error) {
	if len(expression) > maxExpression {
		return nil, fmt.Errorf("output_matches has more than %d bytes", maxExpression)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("output_matches is no regular expression (RE2): %s", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxInstructions {
		return nil, errors.New("output_matches is too complex: use fewer repetitions")
	}
	return regexp.Compile(expression)
}

// quoted returns an id that a model made up, at most 64 bytes of it.
func quoted(s string) string { return fmt.Sprintf("%q", phrase.StartBytes(s, 64)) }

// Parallel returns the commands of the revision that run at the same time: groups of two or more
// ids, in order. A group has commands that follow one another, with no edit between them, each in
// a step that is parallel and does not wait for the step of another of them, directly or through
// others. Of make lint, make test and make clean, if only the steps of the first two are parallel,
// these two are a group. The approval hash covers the groups.
func (r *Revision) Parallel() (groups [][]string) {
	if !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Parallel }) {
		return nil
	}
	steps := make(map[string]*Step, len(r.Steps))
	for i := range r.Steps {
		steps[r.Steps[i].ID] = &r.Steps[i]
	}
	var group, in []string // ids of commands, and of their steps
	end := func() {
		if len(group) > 1 {
			groups = append(groups, group)
		}
		group, in = nil, nil
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		s := steps[o.Step]
		if !o.IsCommand() || s == nil || !s.Parallel || s.When != nil {
			end()
			continue
		}
		if waitsForAny(steps, s, in) {
			end()
		}
		group, in = append(group, o.ID), append(in, o.Step)
	}
	end()
	return groups
}

// waitsForAny reports whether a step waits for one of the others, directly or through more.
func waitsForAny(steps map[string]*Step, s *Step, others []string) bool {
	seen := map[string]bool{}
	for queue := s.waitsFor(); len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		if seen[id] = true; id != s.ID && slices.Contains(others, id) {
			return true
		}
		if next := steps[id]; next != nil {
			queue = append(slices.Clip(queue), next.waitsFor()...)
		}
	}
	return false
}

// Alongside returns the commands that run at the same time as an operation, in order; nil for
// none.
func (r *Revision) Alongside(operation string) []string {
	for _, group := range r.Parallel() {
		if i := slices.Index(group, operation); i >= 0 {
			return slices.Delete(slices.Clone(group), i, i+1)
		}
	}
	return nil
}
