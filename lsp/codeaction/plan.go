package codeaction

import (
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/position"
	"redline/lsp/summary"
)

// maxHunkActions is how many hunks of a selection have actions of their own. The others have the
// actions on the file.
const maxHunkActions = 5

// addHunks offers to approve and to reject each hunk of the selection. A stale hunk can only be
// rejected.
func (m *menu) addHunks(at position.Location) {
	if !m.wants(protocol.CodeActionKindQuickFix) {
		return
	}
	offered := 0
	for p, f := range at.Files {
		if !p.Plan.State.Decidable() {
			continue
		}
		for i, h := range at.Hunks(f, view.Hunk.Undecided) {
			if offered == maxHunkActions {
				return
			}
			diagnostics := []any{diagnostics.OfHunk(at.Mapper, p, f, i, h)}
			argument := command.DecisionOn(p)
			argument.Path, argument.Hunk = &f.Change.Path, &h.ID
			name := fmt.Sprintf("this change (plan %d, %s)", p.Plan.Number, h.ID)
			if h.Status == plan.HunkPending {
				if a := m.add(protocol.CodeActionKindQuickFix, "approve "+name, command.Approve, argument); a != nil {
					preferred := offered == 0
					a.Diagnostics, a.IsPreferred = diagnostics, &preferred
				}
			}
			if a := m.add(protocol.CodeActionKindQuickFix, "reject "+name, command.Reject, argument); a != nil {
				a.Diagnostics = diagnostics
			}
			offered++
		}
	}
}

// addHunkUndo offers to undo each applied hunk of the selection.
func (m *menu) addHunkUndo(at position.Location, p *view.Plan, f *view.File) {
	if _, err := p.Plan.State.Next(plan.Undo); err != nil {
		return
	}
	offered := 0
	applied := func(h view.Hunk) bool { return p.Plan.Progress.Applied(h.ID) }
	for _, h := range at.Hunks(f, applied) {
		if offered == maxHunkActions {
			return
		}
		argument := command.DecisionOn(p)
		argument.Path, argument.Hunk = &f.Change.Path, &h.ID
		m.add(Refactor, fmt.Sprintf("undo this change (plan %d, %s)", p.Plan.Number, h.ID), command.Undo, argument)
		offered++
	}
}

// addPlans offers decisions on files and whole plans: the plans that touch the document,
// or the plan whose preview the document is. Of finished plans it offers only to undo the
// one applied last; plans that ended without changes need no action.
func (m *menu) addPlans(at position.Location) {
	if !m.wants(Refactor) {
		return
	}
	if m.addDraft(at) {
		return
	}
	m.addNext(at)
	last := lastApplied(at)
	for p, f := range at.Files {
		if !p.Plan.State.Open() && p != last {
			continue
		}
		m.addFile(p, f, "this file")
		m.addHunkUndo(at, p, f)
		m.addPlan(p)
	}
	p, revision, ok := at.Preview()
	switch {
	case !ok, !p.Plan.State.Open() && !p.Plan.Applied():
	case revision != p.Revision.Number:
		m.addShow(p) // an outdated preview is no basis for a decision
	default:
		if f := at.PreviewFile(p); f != nil {
			m.addFile(p, f, f.Change.Path)
		}
		m.addPlan(p)
	}
}

// addDraft offers to make a revision of a preview with saved edits that are in none yet: there is
// nothing else to decide on. It reports whether the document is one.
func (m *menu) addDraft(at position.Location) bool {
	p, revision, ok := at.Preview()
	if !ok || !m.draft || at.Buffer == nil || at.Buffer.Dirty || revision != p.Revision.Number {
		return false
	}
	m.add(Refactor, fmt.Sprintf("make these edits revision %d of plan %d", revision+1, p.Plan.Number), command.Show, command.ShowPlan(p))
	return true
}

// lastApplied returns the newest plan that has changed the document, nil if none has.
func lastApplied(at position.Location) (last *view.Plan) {
	for p := range at.Files {
		if p.Plan.Applied() && (last == nil || p.Plan.Number > last.Plan.Number) {
			last = p
		}
	}
	return last
}

func (m *menu) addFile(p *view.Plan, f *view.File, name string) {
	e := summary.ExtentOf(f)
	if !p.Plan.State.Decidable() || e.Files == 0 {
		return
	}
	argument := command.DecisionOn(p)
	argument.Path = &f.Change.Path
	note := fmt.Sprintf("plan %d", p.Plan.Number)
	all := " all in " + name + summary.Notes(note)
	m.addDecisions(e, titles{"approve" + all, titleOfRest(name, e, note), "reject" + all}, argument, f)
}

// addPlan offers the decisions on a whole plan, and to show and rework it.
func (m *menu) addPlan(p *view.Plan) {
	if p.Plan.State.Decidable() {
		m.addDecidable(p)
	}
	if _, err := p.Plan.State.Next(plan.Undo); err == nil && p.Plan.Applied() {
		argument := command.DecisionOn(p)
		note := m.vouch(&argument.Saved, p.Files...)
		m.add(Refactor, fmt.Sprintf("undo plan %d%s", p.Plan.Number, note), command.Undo, argument)
	}
	m.addShow(p)
}

// addDecidable offers the actions on a plan that waits for decisions.
func (m *menu) addDecidable(p *view.Plan) {
	n, e, trials, problems := p.Plan.Number, summary.ExtentOf(p.Files...), view.Trials(m.workspace, p), view.Problems(m.workspace, p)
	verdicts := summary.Checked(trials, problems)
	if e.Files > 0 {
		ruled, allowed := p.Plan.Runnable(p.Revision)[:p.Ruled], ""
		if p.Ruled > 0 {
			allowed = "your rules run " + phrase.Count(p.Ruled, "command")
		}
		m.addDecisions(e, titles{
			approve: summary.Approve(p, ruled, e.String(), allowed, verdicts),
			rest:    summary.Runs(p, ruled) + titleOfRest(fmt.Sprintf("plan %d", n), e, e.Rest().String(), allowed, verdicts),
			reject:  fmt.Sprintf("reject plan %d (%s)", n, e),
		}, command.DecisionOn(p), summary.UndecidedFiles(p)...)
	}
	if p.Revision.TextOnly {
		const note = "in words: its edits are worked out and shown"
		m.addDecisions(summary.Extent{}, titles{
			approve: summary.Approve(p, nil, note), reject: fmt.Sprintf("reject plan %d (%s)", n, note),
		}, command.DecisionOn(p))
	}
	m.addCommands(p, e, verdicts)
	m.addTrials(p, trials, problems)
	if p.Plan.Undecided(p.Revision).None() && !p.Revision.TextOnly {
		m.add(Refactor, fmt.Sprintf("close plan %d", n), command.Reject, command.DecisionOn(p))
	}
	if m.client.Review && e.Files > 0 {
		m.addReview(p, e)
	}
	// No client can ask for text over LSP: it is written in the chat file.
	m.add(Refactor, fmt.Sprintf("rework plan %d", n), command.Show,
		command.ShowArgs{Plan: n, Revision: p.Revision.Number, Hash: p.Revision.Hash, View: "chat", Prompt: fmt.Sprintf("/rework %d ", n)})
	if p.Asked != "" {
		m.add(Refactor, fmt.Sprintf("make %q a plan of its own (plan %d goes back to revision %d)", p.Asked, n, p.Revision.Parent),
			command.Chat, command.ChatArgs{Message: "/apart", Conversation: p.Plan.Conversation})
	}
}

// titles are those of the decisions on something that changes files.
type titles struct{ approve, rest, reject string }

// titleOfRest returns the title of the action that approves something without its stale
// hunks.
func titleOfRest(what string, e summary.Extent, notes ...string) string {
	return fmt.Sprintf("approve the rest of %s, without %s%s", what, phrase.Count(e.Stale, "stale change"), summary.Notes(notes...))
}

// addDecisions offers to approve and to reject something that changes files. If it has stale
// hunks, addDecisions offers to approve the rest.
func (m *menu) addDecisions(e summary.Extent, named titles, argument command.DecideArgs, files ...*view.File) {
	approval := argument
	vouched := m.vouch(&approval.Saved, files...)
	switch {
	case e.Stale == 0:
		m.add(Refactor, named.approve+vouched, command.Approve, approval)
	case e.Pending:
		approval.SkipStale = true
		m.add(Refactor, named.rest+vouched, command.Approve, approval)
	}
	m.add(Refactor, named.reject, command.Reject, argument)
}

// addReview offers the editor's own review, to clients that have one.
func (m *menu) addReview(p *view.Plan, e summary.Extent) {
	argument := command.ReviewArgs{Plan: p.Plan.Number, Revision: p.Revision.Number, Hash: p.Revision.Hash, SkipStale: e.Stale > 0}
	vouched := m.vouch(&argument.Saved, summary.UndecidedFiles(p)...)
	switch {
	case e.Stale == 0:
		m.add(Refactor, fmt.Sprintf("review plan %d in the editor%s", p.Plan.Number, vouched), command.Review, argument)
	case e.Pending:
		m.add(Refactor, fmt.Sprintf("review the rest of plan %d in the editor, without %s%s", p.Plan.Number, phrase.Count(e.Stale, "stale change"), vouched), command.Review, argument)
	}
}

func (m *menu) addShow(p *view.Plan) {
	m.add(Refactor, fmt.Sprintf("show plan %d", p.Plan.Number), command.Show, command.ShowPlan(p))
}

// maxCommandActions is how many commands of a plan are offered one by one.
const maxCommandActions = 5

// addCommands offers to run all commands of a plan together with the rest of its edits. If no
// edit is left it also offers each command by itself. verdicts are those of
// [summary.Checked].
func (m *menu) addCommands(p *view.Plan, e summary.Extent, verdicts string) {
	n := p.Plan.Number
	ids := p.Plan.Runnable(p.Revision)
	if len(ids) == 0 {
		return
	}
	if e.Stale == 0 && (e.Files == 0 || p.Ruled < len(ids)) { // else approving the plan runs them all
		argument := command.DecisionOn(p)
		argument.AllowCommands = new(true)
		vouched := m.vouch(&argument.Saved, summary.UndecidedFiles(p)...)
		size := ""
		if e.Files > 0 {
			size = e.String()
		}
		m.add(Refactor, summary.Approve(p, ids, size, verdicts)+vouched, command.Approve, argument)
	}
	if e.Files > 0 {
		return
	}
	for _, id := range ids[:min(len(ids), maxCommandActions)] {
		o, _ := p.Revision.Operation(id)
		argument := command.DecisionOn(p)
		argument.Operation = &id
		if !p.Plan.MayRun(p.Revision, o) { // approving what decides whether it runs approves it too
			m.add(Refactor, fmt.Sprintf("reject command %s of plan %d", id, n), command.Reject, argument)
			continue
		}
		how := ""
		switch p.Plan.Progress.Command(id).Status {
		case plan.CommandFailed:
			how = " again"
			m.add(Refactor, fmt.Sprintf("fix plan %d: %s failed", n, summary.CommandName(o.Command, o.Folder())), command.Rework, command.ReworkArgs{Plan: n})
		case plan.CommandWaitingForSave:
			how = " now, without waiting for a save"
		}
		title := fmt.Sprintf("run %s%s (command %s of plan %d)", summary.CommandName(o.Command, o.Folder()), how, id, n)
		m.add(Refactor, title, command.Approve, argument)
		m.add(Refactor, fmt.Sprintf("reject command %s of plan %d", id, n), command.Reject, argument)
	}
	m.add(Refactor, fmt.Sprintf("reject plan %d (%s)", n, phrase.Count(len(ids), "command")), command.Reject, command.DecisionOn(p))
}

// vouch makes an action state that files which the editor does not show are saved: it
// sets saved and returns the words for the title. It returns "" if the editor shows all
// files, or if the user's settings say that it shows all of its buffers.
func (m *menu) vouch(saved *bool, files ...*view.File) string {
	if !m.client.SomeBuffers {
		return ""
	}
	var unseen []string
	for _, f := range files {
		if f.Status != plan.FileApplied && f.Change.Action == plan.Create {
			continue // there is no such file yet
		}
		if _, open := m.workspace.Buffer(f.Path); !open {
			unseen = append(unseen, f.Path)
		}
	}
	switch n := len(unseen); n {
	case 0:
		return ""
	case 1:
		*saved = true
		return fmt.Sprintf("; I have saved %s", unseen[0])
	default:
		*saved = true
		return fmt.Sprintf("; I have saved %s and %s", unseen[0], phrase.Count(n-1, "other file"))
	}
}

// addTrials offers to fix what failed in a trial, or else the errors that the plan adds, and to try the plan's commands
// and the command tried last. Where the user has not allowed trials yet, it offers to allow them.
func (m *menu) addTrials(p *view.Plan, trials []state.Trial, problems *plan.Problems) {
	failed := false
	for _, t := range state.Current(trials) {
		if t.Verdict != string(plan.TrialPassed) && t.Verdict != string(plan.CouldNotRun) {
			m.add(Refactor, fmt.Sprintf("fix plan %d: %s", p.Plan.Number, summary.Verdict(t)), command.Rework,
				command.ReworkArgs{Plan: p.Plan.Number, Trial: t.ID})
			failed = true
		}
	}
	if adds := problems.Adds(); adds != "" && !failed {
		m.add(Refactor, fmt.Sprintf("fix plan %d: it %s", p.Plan.Number, adds), command.Rework, command.ReworkArgs{Plan: p.Plan.Number})
	}
	if m.trials == nil {
		return
	}
	commands, standing := tryable(p), m.trials()
	switch {
	case standing == trial.Usable:
		for _, c := range commands {
			m.add(Refactor, fmt.Sprintf("try plan %d: %s", p.Plan.Number, summary.CommandName(c.Command, c.Cwd)), command.Try,
				command.TryArgs{Plan: p.Plan.Number, Command: &c.Command, Cwd: c.Cwd})
		}
	case standing == trial.Askable && (len(commands) > 0 || m.checks()):
		m.add(Refactor, "allow trials in this workspace", command.AllowTrials, command.AllowTrialsArgs{})
	}
}

// tryable returns the commands of a plan to offer for a trial, and the command tried
// last.
func tryable(p *view.Plan) (commands []state.CommandLine) {
	add := func(c state.CommandLine) {
		if !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	for _, o := range p.Revision.CommandLines() {
		if len(commands) < maxCommandActions {
			add(state.CommandLine{Command: o.Command, Cwd: o.Folder()})
		}
	}
	if last := len(p.Plan.Trials) - 1; last >= 0 {
		add(state.CommandLine{Command: p.Plan.Trials[last].Command, Cwd: p.Plan.Trials[last].Cwd})
	}
	return commands
}
