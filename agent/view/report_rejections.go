package view

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Limits of the report on rejections.
const (
	maxRejected      = 30       // parts
	maxRejectedBytes = 24 << 10 // of their lines
	maxRejectedLines = 4 << 10  // bytes of one side of one hunk
	maxReason        = 300      // characters
)

// ReportRejections lists for a model what the user has rejected in any revision of a plan, newest
// first, with the reasons; it returns "" for nothing. It quotes the old and the new lines, but
// not the old lines of a secret file, which the model may never have seen. heading comes first;
// text returns the text of a blob.
func ReportRejections(p *plan.Plan, heading string, secret func(path string) bool, text func(plan.Blob) (string, error)) (string, error) {
	l := &rejectionList{p: p, text: text, secret: secret, seen: map[string]bool{}}
	for i := range slices.Backward(p.Revisions) {
		if err := l.revision(&p.Revisions[i]); err != nil {
			return "", err
		}
	}
	if len(l.items) == 0 {
		return "", nil
	}
	out := heading + "\n" + strings.Join(l.items, "\n")
	if l.left > 0 {
		out += fmt.Sprintf("\n… and %d more, which are older.\n", l.left)
	}
	return out, nil
}

// rejectionList collects rejected parts. It lists a part once, even if several revisions
// have it.
type rejectionList struct {
	p      *plan.Plan
	text   func(plan.Blob) (string, error)
	secret func(path string) bool
	seen   map[string]bool
	items  []string
	bytes  int
	left   int // how many parts did not fit
}

func (l *rejectionList) revision(r *plan.Revision) error {
	for i := range r.Changes {
		c := &r.Changes[i]
		if m := l.p.Progress.File(r.Number, c.Path); c.Action == plan.Rename && m.Move == plan.FileRejected {
			l.add("move "+c.Path, fmt.Sprintf("- moving %q to %q%s\n", c.Path, c.NewPath, quotedReason(m.Why(c))))
		}
		if err := l.hunks(c); err != nil {
			return err
		}
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		if m := l.p.Progress.Command(o.ID); o.IsCommand() && m.Status == plan.CommandRejected {
			l.add(o.ID, fmt.Sprintf("- the command %q%s%s\n", o.Command, plan.InFolder(o.Folder()), quotedReason(m.Reason)))
		}
	}
	return nil
}

func (l *rejectionList) hunks(c *plan.Change) error {
	var base, proposed string
	for i := range c.Hunks {
		h := &c.Hunks[i]
		m := l.p.Progress.Hunk(h.ID)
		if m.Status != plan.HunkRejected || l.full(h.ID) {
			continue
		}
		if base == "" && proposed == "" {
			var err error
			if base, err = l.text(c.Base); err != nil {
				return err
			}
			if proposed, err = l.text(c.Proposed); err != nil {
				return err
			}
		}
		var b strings.Builder
		switch c.Action {
		case plan.Create:
			fmt.Fprintf(&b, "- creating %q%s\n", c.Path, quotedReason(m.Why()))
		case plan.Delete:
			fmt.Fprintf(&b, "- deleting %q%s\n", c.Path, quotedReason(m.Why()))
			l.add(h.ID, b.String()) // without its lines, since the file has them
			continue
		default:
			fmt.Fprintf(&b, "- a change to %q%s\n", c.Path, quotedReason(m.Why()))
		}
		hidden := h.Old.Len() > 0 && (l.secret(c.Path) || secrets.Text(c.Path, base))
		if hidden {
			b.WriteString("  its lines stay; they are not quoted, since the file may hold secrets\n")
		} else if h.Old.Len() > 0 {
			b.WriteString("  these lines stay:\n" + quotedLines(base[h.Old.Start:h.Old.End]))
		}
		if h.New.Len() > 0 {
			b.WriteString("  these do not come:\n" + quotedLines(proposed[h.New.Start:h.New.End]))
		}
		l.add(h.ID, b.String())
	}
	return nil
}

// full reports whether there is no room for a part that is not listed yet, and counts that part
// as left out.
func (l *rejectionList) full(name string) bool {
	if !l.seen[name] && (len(l.items) >= maxRejected || l.bytes >= maxRejectedBytes) {
		l.seen[name] = true
		l.left++
		return true
	}
	return l.seen[name]
}

func (l *rejectionList) add(name, item string) {
	if l.full(name) {
		return
	}
	l.seen[name] = true
	l.items = append(l.items, item)
	l.bytes += len(item)
}

// quotedReason returns the reason for a rejection as the continuation of a sentence, ""
// for none.
func quotedReason(reason string) string {
	if reason = phrase.OneLine(reason); reason == "" {
		return ""
	}
	return fmt.Sprintf(", because %q", phrase.FirstLine(reason, maxReason))
}

// quotedLines indents lines, at most maxRejectedLines bytes of them, so that a model sees
// where they begin and end.
func quotedLines(text string) string {
	if len(text) > maxRejectedLines {
		return phrase.Indent(strings.ToValidUTF8(text[:maxRejectedLines], "")) + "    …\n"
	}
	return phrase.Indent(text)
}

// Limits of reported outputs, in bytes: for a command that has succeeded, and for all of a plan;
// the output that exceeds the second one is still included.
const (
	maxSucceeded = 2 << 10
	maxOutputs   = 12 << 10
)

// commandResult describes the exit code of a command, as the continuation of a sentence.
func commandResult(m plan.CommandMark) string {
	if m.ExitCode == nil {
		return ""
	}
	text := fmt.Sprintf(", exit code %d", *m.ExitCode)
	if m.Output == "" {
		text += ", without output"
	}
	return text
}

// ReportOutput returns the part of a command's output that models and users see: all of it, or its
// beginning, its end and the lines around failures, with a note on what is left out.
func ReportOutput(m plan.CommandMark) string {
	if m.Status == plan.CommandSucceeded {
		return commands.Excerpt(m.Output, maxSucceeded)
	}
	return commands.Excerpt(m.Output, commands.ExcerptSize)
}

// ReportResults lists the commands of a revision with the result of each, and quotes their output; ""
// for a revision without commands.
func ReportResults(p *plan.Plan, r *plan.Revision) string {
	var b strings.Builder
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			m := p.Progress.Command(o.ID)
			fmt.Fprintf(&b, "%s %q%s: %s%s%s\n", o.ID, o.Command, plan.InFolder(o.Folder()), m.Words(), commandResult(m), quotedReason(m.Reason))
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + outputs(p, r)
}

// outputs quotes the output of a revision's commands for the model, failed ones first, without lines
// that may hold a secret; "" for none.
func outputs(p *plan.Plan, r *plan.Revision) string {
	var failed, others []*plan.Operation
	for i := range r.Operations {
		switch o := &r.Operations[i]; {
		case !o.IsCommand() || strings.TrimSpace(p.Progress.Command(o.ID).Output) == "":
		case p.Progress.Command(o.ID).Status == plan.CommandFailed:
			failed = append(failed, o)
		default:
			others = append(others, o)
		}
	}
	var b strings.Builder
	for _, o := range append(failed, others...) {
		if b.Len() > maxOutputs {
			b.WriteString("\nMore commands have printed something.")
			break
		}
		m := p.Progress.Command(o.ID)
		text := commands.Folded(secrets.Withhold(m.Output))
		if m.Status == plan.CommandSucceeded {
			text = commands.Passed(text)
		}
		text = strings.TrimRight(commands.Excerpt(text, commands.ExcerptSize), "\r\n")
		marks := fence.Around(text)
		fmt.Fprintf(&b, "\nThe output of %q:\n%s\n%s\n%s", phrase.FirstLine(o.Command, maxReason), marks, text, marks)
	}
	return b.String()
}
