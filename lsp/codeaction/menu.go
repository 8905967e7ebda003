// Package codeaction lists what the user can do at a location: the commands in a menu of code
// actions.
package codeaction

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/internal/wire"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/position"
	"redline/lsp/window"
	"redline/workspace"
)

// Refactor is the kind of actions that concern more than one hunk or problem.
const Refactor protocol.CodeActionKind = "refactor.redline"

// Client describes how the client uses actions.
type Client struct {
	Review      bool // it has its own review of edits
	Shows       bool // it can show a given place in a document
	Wholesale   bool // it may run every action that it receives, without asking
	SomeBuffers bool // it shows the server only some of its buffers
}

// Request is a request for code actions.
type Request struct {
	position.Location
	Diagnostics []jsontext.Value // the problems at the location that the client knows
	Only        []string         // the requested kinds, empty for all
	Draft       bool             // the document is a preview with saved edits that are in no revision yet

	Trials func() trial.Standing // whether trials are possible; nil without trials
	Checks func() bool           // the project has checks of its own
}

// List returns the actions at a location as a JSON list. What a user wants next comes first, since
// most editors keep the order: on a comment with a request to send it, on a change to approve it, to
// reject it and to go to the next one; then what concerns the file and the plan. Helix puts quick
// fixes before all others, those with a diagnostic first, and keeps the order among them.
func List(c Client, w *workspace.Workspace, r Request) (json.RawMessage, error) {
	m, at := &menu{client: c, only: r.Only, draft: r.Draft, workspace: w, trials: r.Trials, checks: r.Checks}, r.Location
	if c.Wholesale {
		if fix := quickFix(r); fix != nil {
			at.Selection = fix.Range
			m.addPreferred(at, fix)
			return m.encode()
		}
	}
	m.addRequest(at)
	m.addHunks(at)
	m.addPlans(at)
	m.addQuestions(at, r.Diagnostics)
	m.addTurns(at)
	return m.encode()
}

// action is LSP's CodeAction. The client gets its diagnostics back as it sent them, but for members
// that are null: those of package protocol drop what they do not know, and spell URIs their own way.
type action struct {
	Title       string                  `json:"title"`
	Kind        protocol.CodeActionKind `json:"kind"`
	Diagnostics []any                   `json:"diagnostics,omitzero"` // of type protocol.Diagnostic or jsontext.Value
	IsPreferred *bool                   `json:"isPreferred,omitzero"`
	Command     protocol.Command        `json:"command"`
}

// problem is what Redline reads of a diagnostic that the client sends.
type problem struct {
	Range   protocol.Range            `json:"range"`
	Code    protocol.ProgressToken    `json:"code"`
	Source  string                    `json:"source"`
	Message protocol.InlayHintTooltip `json:"message"` // a String or a *MarkupContent

	sent jsontext.Value // without members that are null
}

// menu collects code actions of the requested kinds.
type menu struct {
	client    Client
	only      []string // all when empty
	draft     bool     // see Request.Draft
	workspace *workspace.Workspace
	actions   []action
	trials    func() trial.Standing
	checks    func() bool
}

// encode returns the actions as a JSON list. It omits optional members that are not set instead
// of writing null, which Neovim 0.12 takes for a value.
func (m *menu) encode() (json.RawMessage, error) { return wire.EncodeList(m.actions) }

// wants reports whether the client asked for actions of a kind, or of one of its parents (LSP
// 3.18, "CodeActionKind").
func (m *menu) wants(kind protocol.CodeActionKind) bool {
	return len(m.only) == 0 || slices.ContainsFunc(m.only, func(only string) bool {
		return only == "" || string(kind) == only || strings.HasPrefix(string(kind), only+".")
	})
}

// add adds an action that runs a command with one argument. It returns the action, nil if the
// client did not ask for its kind.
func (m *menu) add(kind protocol.CodeActionKind, title, command string, argument any) *action {
	if !m.wants(kind) {
		return nil
	}
	raw, err := json.Marshal(argument)
	if err != nil {
		return nil
	}
	title = "Redline: " + window.OneLine(title)
	m.actions = append(m.actions, action{
		Title: title, Kind: kind,
		Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{raw}},
	})
	return &m.actions[len(m.actions)-1]
}

// quickFix returns the proposed change that Kate's Quick Fix is for, nil for other requests.
// Kate asks with the one problem at the cursor and the range of the whole document, and runs
// every action that it gets at once, without showing it (22.12). So it gets only the preferred
// action for that change, which other editors run as the quick fix.
func quickFix(r Request) *problem {
	if len(r.Diagnostics) != 1 || r.Buffer == nil {
		return nil
	}
	var d problem
	if protocol.Unmarshal(r.Diagnostics[0], &d) != nil {
		return nil
	}
	asked := r.Span(r.Buffer.Lines, r.Selection)
	if d.Source != diagnostics.Source || asked.Start != 0 || asked.End != len(r.Buffer.Lines.Text()) {
		return nil
	}
	return &d
}

// addPreferred offers the preferred action for one change. If the change cannot be approved,
// there is none.
func (m *menu) addPreferred(at position.Location, change *problem) {
	m.addHunks(at)
	m.actions = slices.DeleteFunc(m.actions, func(a action) bool {
		return a.IsPreferred == nil || a.Diagnostics[0].(protocol.Diagnostic).Code != change.Code
	})
}

// addNext offers to go to the next change of each plan that is pending here, if the
// client can show it: an editor's own keys reach only the next change in the same file.
func (m *menu) addNext(at position.Location) {
	if !m.client.Shows {
		return
	}
	for p, f := range at.Files {
		m.addNextOf(at, p, f)
	}
	if p, revision, ok := at.Preview(); ok && revision == p.Revision.Number {
		m.addNextOf(at, p, nil)
	}
}

// addNextOf offers the next undecided change of a plan after the selection in the file f: in it,
// in the files after it, or from the first one on. f is nil in the plan's preview.
func (m *menu) addNextOf(at position.Location, p *view.Plan, f *view.File) {
	if !p.Plan.State.Decidable() {
		return
	}
	var first, next *change
	passed := f == nil
	for _, file := range p.Files {
		if file.Change.Action == plan.Create || file.URI == "" {
			passed = passed || file == f
			continue // there is nothing to go to yet
		}
		for i, h := range file.Undecided {
			c := &change{file, i, h}
			switch {
			case file == f && !c.after(at):
				if first == nil && !c.on(at) {
					first = c
				}
			case next == nil && (passed || file == f):
				next = c
			case first == nil:
				first = c
			}
		}
		passed = passed || file == f
	}
	if next == nil {
		next = first
	}
	if next == nil {
		return
	}
	argument := command.ShowPlan(p)
	argument.View, argument.Path, argument.Hunk = "change", next.file.Change.Path, next.hunk.ID
	m.add(Refactor, fmt.Sprintf("next change: %s (%s)", path.Base(next.file.Path), diagnostics.ChangeName(p, next.file, next.at)), command.Show, argument)
}

// change is a hunk of a plan: the hunk at a place in its file.
type change struct {
	file *view.File
	at   int
	hunk view.Hunk
}

// after reports whether the change begins after the lines of the selection.
func (c *change) after(at position.Location) bool {
	return c.hunk.Span.Start > at.WholeLines(c.file.Live).End
}

// on reports whether the change is on the lines of the selection.
func (c *change) on(at position.Location) bool {
	for i := range at.Hunks(c.file, view.Hunk.Undecided) {
		if i == c.at {
			return true
		}
	}
	return false
}
