package lsptest

import (
	"encoding/json"
	"fmt"
	"strings"

	"redline/edits"
)

// The wire types are the editor's own, so that what it understands does not depend on what the
// server's library writes.

// Position is a position in the negotiated encoding, counted from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a range in the negotiated encoding; End is exclusive.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

func (r Range) edits() edits.Range {
	return edits.Range{Start: edits.Position(r.Start), End: edits.Position(r.End)}
}

func rangeOf(r edits.Range) Range {
	return Range{Position(r.Start), Position(r.End)}
}

// Diagnostic is one diagnostic of the server.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity,omitempty"`
	RawCode  json.RawMessage `json:"code,omitempty"` // a string or a number, see Code
	Source   string          `json:"source,omitempty"`
	Message  string          `json:"message"`
}

// Code returns the diagnostic's code as text.
func (d Diagnostic) Code() string {
	var s string
	if json.Unmarshal(d.RawCode, &s) == nil {
		return s
	}
	return string(d.RawCode)
}

// Message is a message that the server showed. Type is 1 error, 2 warning, 3 info, 4 log; Actions are
// the choices of a showMessageRequest.
type Message struct {
	Type    int
	Text    string
	Actions []string
}

// Progress is the state of one work-done progress.
type Progress struct {
	Token       string
	Title       string
	Message     string // the last one
	Cancellable bool
	Done        bool
}

// Command is a command that an action or lens runs.
type Command struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// Action is a code action. A bare Command counts as an action with that command.
type Action struct {
	Title       string
	Kind        string
	IsPreferred bool
	Diagnostics []Diagnostic
	Edit        json.RawMessage // a WorkspaceEdit, or nil
	Command     *Command
}

// UnmarshalJSON reads a CodeAction or a Command.
func (a *Action) UnmarshalJSON(raw []byte) error {
	var wire struct {
		Title       string            `json:"title"`
		Kind        string            `json:"kind"`
		IsPreferred bool              `json:"isPreferred"`
		Diagnostics []Diagnostic      `json:"diagnostics"`
		Edit        json.RawMessage   `json:"edit"`
		Command     json.RawMessage   `json:"command"`
		Arguments   []json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	*a = Action{Title: wire.Title, Kind: wire.Kind, IsPreferred: wire.IsPreferred, Diagnostics: wire.Diagnostics, Edit: wire.Edit}
	if wire.Command == nil {
		return nil
	}
	var name string
	if json.Unmarshal(wire.Command, &name) == nil {
		a.Command = &Command{Title: wire.Title, Command: name, Arguments: wire.Arguments}
		return nil
	}
	return json.Unmarshal(wire.Command, &a.Command)
}

// Refusal is an error answer of the server.
type Refusal struct {
	Code    int
	Message string
	Kind    string // data.kind, if there is one
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Kind == "" {
		return fmt.Sprintf("%s (%d)", r.Message, r.Code)
	}
	return fmt.Sprintf("%s (%d %s)", r.Message, r.Code, r.Kind)
}

// markup returns the text of hover contents: MarkupContent, a MarkedString, or a list of them.
func markup(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		parts := make([]string, len(list))
		for i, part := range list {
			parts[i] = markup(part)
		}
		return strings.Join(parts, "\n\n")
	}
	var content struct {
		Language string `json:"language"`
		Value    string `json:"value"`
	}
	if json.Unmarshal(raw, &content) != nil {
		return ""
	}
	if content.Language != "" {
		return "```" + content.Language + "\n" + content.Value + "\n```"
	}
	return content.Value
}
