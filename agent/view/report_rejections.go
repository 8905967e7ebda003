package view

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
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
			l.add(o.ID, fmt.Sprintf("- the command %q%s%s\n", o.Command, plan.In(o.Folder()), quotedReason(m.Reason)))
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
