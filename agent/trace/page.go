package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"redline/edits"
	"redline/internal/modeline"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Page returns a trace as a Markdown page. Each part of the turn is a section, so that editors
// fold and list them: the route, each request to a model with the calls that follow it, each
// revision, a question, the end. The texts of models and files are in code blocks, which nothing
// in them can end; headings contain only names. The first and the last five lines are the page's
// own, so that no text sets an option of an editor.
func (t *Trace) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWhat the agent did. Redline writes this page; a change here has no effect.\n\nThe request:\n\n%s\n",
		t.Heading(), indented(strings.TrimSpace(t.Request), "    "))
	for _, s := range t.sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title())
		for i := range s.steps {
			b.WriteString(t.stepLine(&s.steps[i], "    "))
		}
	}
	if t.Left > 0 {
		fmt.Fprintf(&b, "\n## Left out\n\n%d more, since a trace has at most %d steps.\n", t.Left, MaxSteps)
	}
	return b.String() + modeline.Foot("This is the end of the trace.", "Redline writes this page again whenever it shows a trace.")
}

// section is a part of a turn. Its first step is its subject.
type section struct {
	steps  []Step
	number int // of a request, from 1
}

// begins are the kinds of steps that begin a section. Other steps belong to the section before.
var begins = []Kind{
	Route, PlannerRequest, SpecialistRoute, SpecialistExpand, Specialist, Request, Question, Revision, Limit, Reflection, Error,
}

func (t *Trace) sections() []section {
	var list []section
	requests := 0
	for _, s := range t.Steps {
		if len(list) == 0 || slices.Contains(begins, s.Kind) {
			next := section{}
			if s.Kind == Request {
				requests++
				next.number = requests
			}
			list = append(list, next)
		}
		last := &list[len(list)-1]
		last.steps = append(last.steps, s)
	}
	return list
}

// title describes a section and its result in one line.
func (s *section) title() string {
	first := &s.steps[0]
	switch first.Kind {
	case Route:
		return "Route: " + span(cmp.Or(first.Route, first.Name))
	case Request:
		return s.request(first)
	case PlannerRequest:
		return "The planner is asked"
	case SpecialistRoute:
		return "Specialists"
	case SpecialistExpand, Specialist:
		return "Specialist " + span(first.Name)
	case Question:
		return "Question"
	case Revision:
		return fmt.Sprintf("Plan %d, revision %d", first.Plan, first.Revision)
	case Limit:
		return "A limit"
	case Reflection:
		return "Reflection"
	case Error:
		return "The turn has failed"
	}
	return "The turn begins"
}

// request returns the title of a request to a model: the model, the time that it took and what
// it called.
func (s *section) request(first *Step) string {
	parts := []string{fmt.Sprintf("Request %d: %s", s.number, span(first.Name))}
	var tools []string
	calls := map[string]int{}
	failed := false
	for i := range s.steps {
		switch step := &s.steps[i]; step.Kind {
		case Reply:
			for _, part := range []string{step.took(), step.usage()} {
				if part != "" {
					parts = append(parts, part)
				}
			}
			failed = failed || step.Error != ""
		case Tool, SpecialistTool:
			if calls[step.Name]++; calls[step.Name] == 1 {
				tools = append(tools, step.Name)
			}
		}
	}
	for i, name := range tools {
		tools[i] = span(name)
		if n := calls[name]; n > 1 {
			tools[i] += fmt.Sprintf(" ×%d", n)
		}
	}
	if tools != nil {
		parts = append(parts, strings.Join(tools, ", "))
	}
	if failed {
		parts = append(parts, "failed")
	}
	return strings.Join(parts, " · ")
}

// span formats a name as a code span, in which nothing is Markdown.
func span(name string) string {
	return "`" + strings.ReplaceAll(cmp.Or(name, "-"), "`", "'") + "`"
}

// stepLine formats a step with the time since the turn began: "    2.1 s  tool             read_file ·
// sum.go". by precedes each line.
func (t *Trace) stepLine(s *Step, by string) string {
	text := fmt.Sprintf("%s%9s  %s\n", by, duration(s.At.Sub(t.Began)), s.Line())
	if s.Detail != "" {
		text += indented(s.Detail, by+strings.Repeat(" ", 13)) + "\n"
	}
	return text
}

func duration(d time.Duration) string {
	if d = max(d, 0); d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func indented(text, by string) string {
	return by + strings.ReplaceAll(cmp.Or(text, "-"), "\n", "\n"+by)
}

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

// Line formats text as one line of at most max bytes, without what looks like a secret and with
// invisible characters made visible.
func Line(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return phrase.ClipBytes(edits.Visible(secrets.Masked(text)), max)
}

// block does what [Line] does, for several lines.
func block(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))
	return phrase.ClipBytes(edits.Visible(secrets.Masked(text)), max)
}

// clip limits how much of a text is processed.
func clip(text string, max int) string {
	if len(text) > max {
		return text[:max]
	}
	return text
}
