package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/plan"
	"redline/lsp/wire"
)

// maxLensHunks is how many undecided hunks of a document have lenses: editors
// draw all that they are given. As those are decided, the next ones get theirs;
// code actions are there on all.
const maxLensHunks = 200

type codeLensParams struct {
	TextDocument textDocument `json:"textDocument"`
}

// codeLens puts decisions above each undecided hunk, and those on the plan above
// the document (LSP 3.18, "Code Lens Request"). They are complete, from the
// snapshot: nothing is left to be resolved.
func (s *session) codeLens(_ context.Context, p *codeLensParams) (wire.Run, error) {
	s.refresher.asked(refreshCodeLens)
	if !s.ui().CodeLens {
		return emptyList, nil
	}
	at := s.place(p.TextDocument.URI, protocol.Range{})
	return func(context.Context) (any, error) {
		l := &lenses{place: at, on: map[uint32]int{}, of: map[onLine]int{}}
		at.files(func(p *agent.PlanView, f *agent.FileView) bool {
			l.addPlan(p, f)
			return true
		})
		if p, revision, ok := at.preview(); ok && revision == p.Revision.Number {
			l.addPlan(p, nil)
		}
		at.files(func(p *agent.PlanView, f *agent.FileView) bool {
			l.countHunks(p, f)
			return true
		})
		at.files(func(p *agent.PlanView, f *agent.FileView) bool {
			l.addHunks(p, f)
			return l.hunks < maxLensHunks
		})
		return encodeList(l.list)
	}, nil
}

// emptyList is the answer of a list that has nothing.
func emptyList(context.Context) (any, error) { return json.RawMessage("[]"), nil }

// lenses collects the lenses of a document.
type lenses struct {
	place
	list  []protocol.CodeLens
	hunks int            // that have lenses
	on    map[uint32]int // how many undecided hunks begin on a line,
	of    map[onLine]int // and those of one plan that have no lenses yet
}

// onLine is the line that a hunk begins on, and its plan.
type onLine struct {
	line uint32
	plan int
}

// add puts a lens on a range, which is brought to one line. Titles are short and
// name what they are about, since some editors list them in a menu.
func (l *lenses) add(at protocol.Range, title, command string, argument any) {
	raw, err := json.Marshal(argument)
	if err != nil {
		return
	}
	at.End = at.Start
	l.list = append(l.list, protocol.CodeLens{
		Range: at, Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{raw}},
	})
}

// addPlan adds the decisions on a plan, and on the file f if there is more than
// one.
func (l *lenses) addPlan(p *agent.PlanView, f *agent.FileView) {
	e, n := extentOf(p.Files...), p.Plan.Number
	if !decidable(p) || e.files == 0 && !p.Revision.TextOnly {
		return
	}
	top := protocol.Range{}
	approval := decisionOn(p)
	if f != nil && e.files > 1 {
		in := approval
		in.Path = &f.Change.Path
		if mine := extentOf(f); mine.files > 0 && mine.stale == 0 {
			l.add(top, fmt.Sprintf("Approve all in this file (plan %d)", n), commandApprove, in)
		}
	}
	switch {
	case p.Revision.TextOnly:
		l.add(top, fmt.Sprintf("Approve plan %d (in words)", n), commandApprove, approval)
	case e.stale == 0:
		l.add(top, fmt.Sprintf("Approve plan %d (%s)", n, e), commandApprove, approval)
	case e.pending:
		approval.SkipStale = true
		l.add(top, fmt.Sprintf("Approve the rest of plan %d, without %s", n, count(e.stale, "stale change")), commandApprove, approval)
	}
	l.add(top, fmt.Sprintf("Reject plan %d", n), commandReject, decisionOn(p))
	if f != nil {
		l.addShow(top, p)
	}
}

func (l *lenses) addShow(at protocol.Range, p *agent.PlanView) {
	l.add(at, fmt.Sprintf("Show plan %d", p.Plan.Number), commandShow,
		showArgs{Plan: p.Plan.Number, Revision: p.Revision.Number, Hash: p.Revision.Hash, View: "plan"})
}

// countHunks counts the undecided hunks of a file by the line that they begin on.
func (l *lenses) countHunks(p *agent.PlanView, f *agent.FileView) {
	if !decidable(p) {
		return
	}
	for i := range f.Len() {
		if h := f.Hunk(i); staged(h) {
			line := l.rangeOf(f.Live, h.Span).Start.Line
			l.on[line]++
			l.of[onLine{line, p.Plan.Number}]++
		}
	}
}

// addHunks adds the decisions on the undecided hunks of a file. A stale hunk
// cannot be approved. They are named where there are others on the same line.
func (l *lenses) addHunks(p *agent.PlanView, f *agent.FileView) {
	if !decidable(p) {
		return
	}
	for i := range f.Len() {
		h := f.Hunk(i)
		if !staged(h) {
			continue
		}
		if l.hunks++; l.hunks > maxLensHunks {
			return
		}
		at := l.rangeOf(f.Live, h.Span)
		argument := decisionOn(p)
		argument.Path, argument.Hunk = &f.Change.Path, &h.ID
		name := "change"
		if l.on[at.Start.Line] > 1 {
			name = fmt.Sprintf("change %d.%s", p.Plan.Number, h.ID)
		}
		if h.Status == plan.HunkPending {
			l.add(at, "Approve "+name, commandApprove, argument)
		} else {
			name = "stale " + name
		}
		l.add(at, "Reject "+name, commandReject, argument)
		here := onLine{at.Start.Line, p.Plan.Number}
		if l.of[here]--; here.line > 0 && l.of[here] == 0 { // on the first line the plan's own lenses are
			l.addShow(at, p)
		}
	}
}
