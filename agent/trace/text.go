package trace

import (
	"fmt"
	"strings"
	"time"
)

// Heading returns one line on the turn of a trace and how it ended.
func (t *Trace) Heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Turn %s (%s), %s, %s", t.Turn, t.ID, t.Began.UTC().Format(time.DateTime+"Z"), t.State)
	if !t.Ended.IsZero() {
		fmt.Fprintf(&b, " after %s", duration(t.Ended.Sub(t.Began)))
	}
	if t.Plan != 0 {
		fmt.Fprintf(&b, ", plan %d", t.Plan)
	}
	return b.String()
}

// Text returns a trace for people: the heading, the request, then each step on a line of its
// own with the time since the turn began.
func (t *Trace) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", t.Heading(), t.Request)
	for i := range t.Steps {
		b.WriteString(t.stepLine(&t.Steps[i], ""))
	}
	if t.Left > 0 {
		fmt.Fprintf(&b, "%11sand %d more, since a trace has at most %d steps\n", "", t.Left, MaxSteps)
	}
	return b.String()
}

// Line returns a step as one line, without its time and detail.
func (s *Step) Line() string {
	parts := []string{fmt.Sprintf("%-16s", s.Kind)}
	for _, part := range []string{s.Name, s.Route, s.Summary, s.Path, s.revision(), s.usage(), s.took(), s.Error} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.TrimRight(parts[0]+" "+strings.Join(parts[1:], " · "), " ")
}

// Spent returns the tokens and the time of a step: "120 + 30 tokens, 2.1 s", "" for none.
func (s *Step) Spent() string {
	if s.usage() == "" || s.took() == "" {
		return s.usage() + s.took()
	}
	return s.usage() + ", " + s.took()
}

func (s *Step) revision() string {
	if s.Plan == 0 {
		return ""
	}
	return fmt.Sprintf("plan %d, revision %d", s.Plan, s.Revision)
}

func (s *Step) usage() string {
	if s.Usage == nil || *s.Usage == (Usage{}) {
		return ""
	}
	return fmt.Sprintf("%d + %d tokens", s.Usage.Prompt, s.Usage.Completion)
}

func (s *Step) took() string {
	if s.Took == 0 {
		return ""
	}
	return duration(time.Duration(s.Took) * time.Millisecond)
}
