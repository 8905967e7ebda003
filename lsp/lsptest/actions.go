package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// CodeActions asks for the code actions of a range, with the diagnostics that overlap it.
func (e *Editor) CodeActions(ctx context.Context, path string, r Range) ([]Action, error) {
	overlapping := []Diagnostic{}
	all := slices.Concat(e.received.ofOthers(e.key(path)), e.received.of(e.key(path)))
	for _, d := range all {
		if !before(d.Range.End, r.Start) && !before(r.End, d.Range.Start) {
			overlapping = append(overlapping, d)
		}
	}
	raw, err := e.Call(ctx, "textDocument/codeAction", map[string]any{
		"textDocument": map[string]string{"uri": e.URI(path)}, "range": r,
		"context": map[string]any{"diagnostics": overlapping, "triggerKind": 1},
	})
	if err != nil {
		return nil, err
	}
	var actions []Action
	return actions, json.Unmarshal(raw, &actions)
}

// ActionTitled returns the first code action at the start of a line (counted from 0) whose title
// contains title. The error lists the titles found.
func (e *Editor) ActionTitled(ctx context.Context, path string, line int, title string) (Action, error) {
	at := Position{Line: line}
	return e.ActionOn(ctx, path, Range{at, at}, title)
}

// ActionOn does what ActionTitled does, for a selection.
func (e *Editor) ActionOn(ctx context.Context, path string, r Range, title string) (Action, error) {
	actions, err := e.CodeActions(ctx, path, r)
	if err != nil {
		return Action{}, err
	}
	var titles []string
	for _, a := range actions {
		if strings.Contains(a.Title, title) {
			return a, nil
		}
		titles = append(titles, a.Title)
	}
	return Action{}, fmt.Errorf("no code action with %q at %s:%d, only %q", title, path, r.Start.Line, titles)
}

// OtherServer makes another server report a problem in a file.
func (e *Editor) OtherServer(path string, d Diagnostic) {
	e.received.add(func() { e.others[e.key(path)] = append(e.others[e.key(path)], d) })
}

// RunAction does what picking the action does: it makes its edit, then runs its command. It returns
// the command's result.
func (e *Editor) RunAction(ctx context.Context, a Action) (json.RawMessage, error) {
	if a.Edit != nil {
		var edit WorkspaceEdit
		if err := json.Unmarshal(a.Edit, &edit); err != nil {
			return nil, err
		}
		_, err := e.documents.apply(edit, func() {})
		if err != nil {
			return nil, fmt.Errorf("the edit of %q failed: %w", a.Title, err)
		}
	}
	if a.Command == nil {
		return nil, nil
	}
	return e.execute(ctx, a.Command.Command, a.Command.Arguments)
}

// Execute runs a server command with one argument, or with none when args is nil. A refusal is a
// *Refusal.
func (e *Editor) Execute(ctx context.Context, command string, args any) (json.RawMessage, error) {
	if args == nil {
		return e.execute(ctx, command, []any{})
	}
	return e.execute(ctx, command, []any{args})
}

func (e *Editor) execute(ctx context.Context, command string, arguments any) (json.RawMessage, error) {
	e.commands.Lock()
	e.commands.last = time.Now()
	e.commands.Unlock()
	return e.Call(ctx, "workspace/executeCommand", map[string]any{"command": command, "arguments": arguments})
}

// Hover returns the text of the hover at a position, "" if there is none.
func (q *requests) Hover(ctx context.Context, path string, at Position) (string, error) {
	raw, err := q.call(ctx, "textDocument/hover", map[string]any{
		"textDocument": map[string]string{"uri": q.uri(path)}, "position": at,
	})
	if err != nil {
		return "", err
	}
	var hover *struct{ Contents json.RawMessage }
	if err := json.Unmarshal(raw, &hover); err != nil || hover == nil {
		return "", err
	}
	return markup(hover.Contents), nil
}

// Diagnostics returns the diagnostics shown for a file, in the server's order: what it last published,
// then what it last answered. If it sends a diagnostic both ways it is shown twice, as in real
// editors.
func (e *Editor) Diagnostics(path string) []Diagnostic {
	return e.received.of(e.key(path))
}

func before(a, b Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
