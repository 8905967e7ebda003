package share

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

// maker makes the document of a plan.
type maker struct {
	*Source
	numbers map[int]int    // the number of a revision in the document, by its number here
	names   map[int]naming // by the number of a revision here
}

// naming has the names of a revision's hunks and operations in the document, by those here. A plan
// that came from elsewhere may have others here, since two revisions of one may each have an h7.
type naming struct{ hunks, operations map[string]string }

func (n naming) hunk(id string) string      { return cmp.Or(n.hunks[id], id) }
func (n naming) operation(id string) string { return cmp.Or(n.operations[id], id) }

// revision returns a revision of the plan as a document has it: as it came, or made from what is here.
func (m *maker) revision(r *plan.Revision) (Revision, error) {
	if kept := m.kept(r.Content); kept != nil {
		m.names[r.Number] = pair(r, kept)
		return *kept, nil
	}
	made, err := revisionOf(r, m.Local)
	if err != nil {
		return made, err
	}
	made.By = m.With.By
	n := namesAfter(&made, m.names[r.Parent])
	n.rename(&made)
	m.names[r.Number] = n
	return made, nil
}

func (m *maker) kept(content string) *Revision {
	if m.Kept == nil || content == "" {
		return nil
	}
	i := slices.IndexFunc(m.Kept.Revisions, func(r Revision) bool { return r.Content == content })
	if i < 0 {
		return nil
	}
	return &m.Kept.Revisions[i]
}

// pair returns the names that a document has for the hunks and operations of a revision that is here.
func pair(here *plan.Revision, there *Revision) naming {
	n := naming{map[string]string{}, map[string]string{}}
	if len(here.Operations) == len(there.Operations) {
		for i := range here.Operations {
			n.operations[here.Operations[i].ID] = there.Operations[i].ID
		}
	}
	if len(here.Changes) != len(there.Changes) {
		return n
	}
	for i := range here.Changes {
		ours, theirs := here.Changes[i].Hunks, there.Changes[i].Hunks
		if len(ours) != len(theirs) {
			continue // some were joined
		}
		for k := range ours {
			n.hunks[ours[k].ID] = theirs[k].ID
		}
	}
	return n
}

// namesAfter returns the names of a revision that was made here: what its parent has keeps the parent's
// names, and nothing else has them.
func namesAfter(r *Revision, parent naming) naming {
	var hunks, operations []string
	for i := range r.Changes {
		for _, h := range r.Changes[i].Hunks {
			hunks = append(hunks, h.ID)
		}
	}
	for i := range r.Operations {
		operations = append(operations, r.Operations[i].ID)
	}
	return naming{named(hunks, parent.hunks), named(operations, parent.operations)}
}

// named gives each id of here its name: that of known, or its own if no other has it, or a new one.
func named(ids []string, known map[string]string) map[string]string {
	out, taken, last := make(map[string]string, len(ids)), make(map[string]bool, len(known)), 0
	for here, there := range known {
		taken[there] = true
		last = max(last, numberOf(here), numberOf(there))
	}
	for _, id := range ids {
		last = max(last, numberOf(id))
	}
	for _, id := range ids {
		switch name, ok := known[id]; {
		case ok:
			out[id] = name
		case !taken[id]:
			out[id], taken[id] = id, true
		default:
			last++
			out[id] = id[:1] + strconv.Itoa(last)
		}
	}
	return out
}

// numberOf returns the number in the id of a hunk or an operation.
func numberOf(id string) int {
	if id == "" {
		return 0
	}
	n, _ := strconv.Atoi(id[1:]) // at most nine digits
	return n
}

// rename gives the hunks and operations of a revision their names.
func (n naming) rename(r *Revision) {
	operations := func(ids []string) []string {
		if ids == nil {
			return nil
		}
		out := make([]string, len(ids))
		for i, id := range ids {
			out[i] = n.operation(id)
		}
		return out
	}
	for i := range r.Operations {
		r.Operations[i].ID = n.operation(r.Operations[i].ID)
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Operations, c.MovedBy = operations(c.Operations), operations(c.MovedBy)
		for k := range c.Hunks {
			c.Hunks[k].ID, c.Hunks[k].Operations = n.hunk(c.Hunks[k].ID), operations(c.Hunks[k].Operations)
		}
	}
}

// say adds to the document what was decided, said, tried and reported here.
func (m *maker) say(d *Document) error {
	for _, one := range m.Decisions {
		made, ok := m.decision(d, &one)
		if !ok {
			continue
		}
		var err error
		if made.ID, err = made.idOf(); err != nil {
			return err
		}
		if !slices.ContainsFunc(d.Decisions, func(known Decision) bool { return known.ID == made.ID }) {
			d.Decisions = append(d.Decisions, made)
		}
	}
	m.sayComments(d)
	for i := range m.Plan.Trials {
		made, ok := m.trial(d, &m.Plan.Trials[i])
		if !ok {
			continue
		}
		var err error
		if made.ID, err = made.idOf(); err != nil {
			return err
		}
		if !slices.ContainsFunc(d.Trials, func(known Trial) bool { return known.ID == made.ID }) {
			d.Trials = append(d.Trials, made)
		}
	}
	if p := m.Plan.Problems.Bounded(); p != nil {
		d.Problems = append(d.Problems, m.report(d, p))
	}
	if m.With.Conversation {
		for _, e := range m.Exchanges {
			d.Conversation = append(d.Conversation, Exchange{e.At.UTC(), m.words(e.Request, maxMessage), m.words(e.Answer, maxMessage)})
		}
	}
	return nil
}

// content returns the content hash of a revision here, and its number in the document.
func (m *maker) content(d *Document, revision int) (hash string, number int) {
	if number = m.numbers[revision]; number == 0 {
		return "", 0
	}
	return d.Revisions[number-1].Content, number
}

func (m *maker) decision(d *Document, one *plan.Decision) (Decision, bool) {
	content, number := m.content(d, one.Revision)
	n := m.names[one.Revision]
	made := Decision{
		Revision: number, Content: content, Hash: one.Hash, Verdict: string(one.Verdict), Path: one.Path, Reason: m.words(one.Reason, maxWords),
		Who: name(one.Who), By: m.With.By, Client: name(one.Client), Way: name(one.Way), At: one.At.UTC(),
	}
	for _, id := range one.Hunks {
		made.Hunks = append(made.Hunks, n.hunk(id))
	}
	for _, id := range one.Stale {
		made.Stale = append(made.Stale, n.hunk(id))
	}
	for _, id := range one.Commands {
		made.Commands = append(made.Commands, n.operation(id))
	}
	if one.Operation != "" {
		made.Operation = n.operation(one.Operation)
	}
	return made, number > 0
}

// sayComments adds the comments that were made here, and marks those of others that were answered here.
func (m *maker) sayComments(d *Document) {
	for _, c := range m.Plan.Progress.Comments {
		if m.Kept != nil {
			known := false
			for _, was := range m.Kept.Comments {
				if was.ID == c.ID {
					was.Done, known = was.Done || c.Done, true
					d.Comments = append(d.Comments, was)
				}
			}
			if known {
				continue
			}
		}
		if m.Kept != nil && c.Author != plan.AuthorUser && c.Author != "" {
			continue // it came from elsewhere, under another id
		}
		content, number := m.content(d, c.Revision)
		if number == 0 || !touches(&d.Revisions[number-1], c.Path) {
			continue
		}
		author := name(c.Author)
		if c.Author == plan.AuthorUser || c.Author == "" {
			author = cmp.Or(m.With.By, author)
		}
		d.Comments = append(d.Comments, Comment{
			ID: c.ID, Revision: number, Content: content, Path: c.Path, Line: c.Line, Side: string(c.Side),
			Text: m.words(c.Text, maxComment), Author: author, Time: c.Time.UTC(), Done: c.Done,
		})
	}
}

func (m *maker) trial(d *Document, t *plan.Trial) (Trial, bool) {
	content, number := m.content(d, t.Revision)
	made := Trial{
		Revision: number, Content: content, Command: m.words(t.Command, maxWords), Cwd: t.Cwd, ExitCode: t.ExitCode,
		Verdict: string(t.Class), Why: m.words(t.Why, maxWords), Problem: m.words(t.Problem, maxWords),
		Millis: t.Millis, World: m.words(t.World, maxWords), By: m.With.By, At: t.At.UTC(),
	}
	if t.Baseline != nil {
		made.Before = t.Baseline.ExitCode
	}
	if m.With.Output {
		made.Output = m.words(t.Output, maxWords)
	}
	return made, number > 0
}

func (m *maker) report(d *Document, p *plan.Problems) Report {
	content, number := m.content(d, m.Plan.Current)
	out := Report{Revision: number, Content: content, Added: []Problem{}, More: p.More, Fixed: p.Fixed, Checked: []plan.Checked{}, At: p.Basis.Began.UTC()}
	for _, one := range p.Added {
		if m.Local.Secret != nil && m.Local.Secret(one.Path) {
			out.More++
			continue
		}
		out.Added = append(out.Added, Problem{
			Path: one.Path, Line: one.Range.Start.Line + 1, Severity: string(one.Severity), Message: m.words(one.Message, maxComment), Source: one.Source, Code: one.Code,
		})
	}
	for _, c := range p.Checked {
		c.State = m.words(c.State, maxComment)
		out.Checked = append(out.Checked, c)
	}
	return out
}

// progress returns the progress of the current revision. It leaves out the output of
// commands, which may hold anything.
func (m *maker) progress() Progress {
	p, local := m.Plan, m.Local.Words
	out := Progress{Files: []Status{}, Hunks: []Status{}, Commands: []Status{}}
	r, ok := p.Revision(p.Current)
	if !ok {
		return out
	}
	n := m.names[p.Current]
	out.Hash = r.Hash
	for i := range r.Changes {
		c := &r.Changes[i]
		status, reason := p.File(r, c)
		out.Files = append(out.Files, Status{c.Path, string(status), local(reason)})
		for _, h := range c.Hunks {
			mark := p.Progress.Hunk(h.ID)
			out.Hunks = append(out.Hunks, Status{n.hunk(h.ID), string(mark.Status), local(mark.Why())})
		}
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			mark := p.Progress.Command(o.ID)
			out.Commands = append(out.Commands, Status{n.operation(o.ID), string(mark.Status), local(mark.Reason)})
		}
	}
	return out
}

// words returns what may leave of a text, at most so many bytes.
func (m *maker) words(s string, most int) string {
	return strings.ToValidUTF8(phrase.StartBytes(m.Local.Words(s), most), "\uFFFD")
}

// name returns a name in one line that can be seen, as files may have it.
func name(s string) string {
	return phrase.StartBytes(edits.VisibleLine(s), maxPerson)
}
