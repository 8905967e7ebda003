package codeaction

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/window"
)

// askMessage is the message that the action "ask about this" sends.
const askMessage = "Explain the selected text: what it does, and what about it looks wrong."

// maxFixes is how many problems at one location have an action that fixes them.
const maxFixes = 5

// addRequest offers to send the request at the location, in a comment or in the chat
// file. For a comment it is a quick fix, so that no editor lists it after the actions of
// other servers.
func (m *menu) addRequest(at position.Location) {
	document := position.TextDocument{URI: at.URI}
	switch {
	case at.Buffer == nil:
	case at.Own == pages.ChatFile:
		if _, ok := chat.LastRequest(at.Buffer.Lines.Text()); ok {
			m.add(Refactor, "send", command.Chat, command.ChatArgs{Message: "/send", TextDocument: &document})
		}
	case at.Own == "" && at.Path != "": // files outside the workspace cannot be changed
		span := at.Span(at.Buffer.Lines, at.Selection)
		if _, ok := chat.FindRequest(at.Buffer.Lines, at.Buffer.Lines.LineOf(span.Start)); ok {
			m.add(protocol.CodeActionKindQuickFix, "plan this request", command.Chat,
				command.ChatArgs{Comment: true, TextDocument: &document, Range: &at.Selection})
		}
	}
}

// addQuestions offers to ask about the selection, and to fix the problems there.
func (m *menu) addQuestions(at position.Location, problems []jsontext.Value) {
	if at.Own != "" || at.Path == "" {
		return
	}
	document := position.TextDocument{URI: at.URI}
	if at.Buffer != nil {
		span := at.Span(at.Buffer.Lines, at.Selection)
		// A cursor is a selection of one character in Helix.
		if selected := at.Buffer.Lines.Text()[span.Start:span.End]; len([]rune(selected)) > 1 {
			m.add(Refactor, "ask about this", command.Chat,
				command.ChatArgs{Message: askMessage, Mode: "ask", TextDocument: &document, Range: &at.Selection})
		}
	}
	m.addFixes(document, problems)
}

// addFixes offers to plan a fix for each problem that another server has found.
func (m *menu) addFixes(document position.TextDocument, all []jsontext.Value) {
	if !m.wants(protocol.CodeActionKindQuickFix) {
		return
	}
	var problems []problem
	for _, raw := range all {
		var d problem
		if protocol.Unmarshal(raw, &d) != nil {
			continue
		}
		same := func(known problem) bool { return known.Range == d.Range && known.text() == d.text() }
		if d.Source == diagnostics.Source || len(problems) == maxFixes || slices.ContainsFunc(problems, same) {
			continue
		}
		d.sent = withoutNulls(raw)
		problems = append(problems, d)
	}
	for _, d := range problems {
		title := "plan a fix for this problem"
		text := d.text()
		if len(problems) > 1 {
			line, _ := window.Excerpt(text)
			title += ": " + line
		}
		where := d.Range
		a := m.add(protocol.CodeActionKindQuickFix, title, command.Chat, command.ChatArgs{
			Message: fmt.Sprintf("Fix this problem: %s", text), Mode: "plan", Quoted: true, TextDocument: &document, Range: &where,
		})
		if a != nil {
			a.Diagnostics = []any{d.sent}
		}
	}
}

// withoutNulls returns a JSON object without its members that are null: Neovim takes them for values.
// Those within other members stay, since they are nobody's but the client's.
func withoutNulls(object jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return object
	}
	all := len(members)
	maps.DeleteFunc(members, func(_ string, v jsontext.Value) bool { return v.Kind() == 'n' })
	if len(members) == all {
		return object
	}
	rest, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return object
	}
	return rest
}

// text returns the message as plain text.
func (d problem) text() string {
	switch message := d.Message.(type) {
	case protocol.String:
		return string(message)
	case *protocol.MarkupContent:
		return message.Value
	}
	return ""
}

// addTurns offers to cancel the turns that run.
func (m *menu) addTurns(at position.Location) {
	switch running := at.Snapshot.Running; len(running) {
	case 0:
	case 1:
		m.add(Refactor, "cancel the running turn", command.Cancel, command.CancelArgs{Turn: running[0].Turn})
	default:
		m.add(Refactor, fmt.Sprintf("cancel the %d running turns", len(running)), command.Cancel, command.CancelArgs{})
	}
}
