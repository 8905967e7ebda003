package acp

import (
	"fmt"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
)

// call is a tool call that is shown and has not ended.
type call struct {
	id, name string
}

// kinds are the kinds of the model's tools.
var kinds = map[string]acp.ToolKind{
	"read_file": acp.ToolKindRead, "outline": acp.ToolKindRead, "git_log": acp.ToolKindRead, "git_diff": acp.ToolKindRead, "git_blame": acp.ToolKindRead,
	"list_files": acp.ToolKindSearch, "search": acp.ToolKindSearch, "references": acp.ToolKindSearch, "definition": acp.ToolKindSearch,
	"fetch_url": acp.ToolKindFetch, "try_command": acp.ToolKindExecute, "adopt": acp.ToolKindExecute,
}

// kindOf returns the kind of a tool. What stages edits only plans them.
func kindOf(name string) acp.ToolKind {
	if kind, ok := kinds[name]; ok {
		return kind
	}
	return acp.ToolKindThink
}

// nextCall returns the id of a new tool call.
func (n *chatSession) nextCall(form string, args ...any) acp.ToolCallId {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	return acp.ToolCallId(fmt.Sprintf(form, args...) + fmt.Sprintf("-%d", n.calls))
}

// begin shows that a tool is called.
func (n *chatSession) begin(turn, name, title string, kind acp.ToolKind) {
	id := n.nextCall("%s", turn)
	n.tools[turn] = append(n.tools[turn], call{string(id), name})
	n.tell(acp.StartToolCall(id, title, acp.WithStartKind(kind), acp.WithStartStatus(acp.ToolCallStatusInProgress)))
}

// end shows the result of a call: of the oldest call of the tool that has none, or else of any tool, since
// a model may call a tool by another name. A call that was not announced is shown now.
func (n *chatSession) end(turn, name, result string, status acp.ToolCallStatus) {
	open := n.tools[turn]
	i := slices.IndexFunc(open, func(c call) bool { return c.name == name })
	if i < 0 && len(open) == 0 {
		if name == "run_command" {
			return // an approved command begins, see commandRuns
		}
		n.begin(turn, name, result, kindOf(name))
		open = n.tools[turn]
	}
	i = max(i, 0)
	n.tools[turn] = slices.Delete(slices.Clone(open), i, i+1)
	n.update(acp.ToolCallId(open[i].id), status, result)
}

// drop ends the calls of a turn that have no result.
func (n *chatSession) drop(turn string) {
	for _, c := range n.tools[turn] {
		n.update(acp.ToolCallId(c.id), acp.ToolCallStatusFailed, "")
	}
	delete(n.tools, turn)
}

// update changes the status of a tool call, with a text unless it is "".
func (n *chatSession) update(id acp.ToolCallId, status acp.ToolCallStatus, text string) {
	u := acp.SessionToolCallUpdate{ToolCallId: id, Status: &status}
	if text != "" {
		u.Content = []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(text))}
	}
	n.tell(acp.SessionUpdate{ToolCallUpdate: &u})
}

// maxPrinted is how many bytes of a command's output are shown while it runs.
const maxPrinted = 16 << 10

// running is a command of a plan that the user was asked about in this session.
type running struct {
	id      acp.ToolCallId
	printed strings.Builder
}

// commandRuns shows that an approved command has begun.
func (n *chatSession) commandRuns(e state.Event) {
	if r := n.commandOf(e.ID); r != nil {
		n.update(r.id, acp.ToolCallStatusInProgress, "")
	}
}

// commandPrints shows the output of an approved command.
func (n *chatSession) commandPrints(e state.Event) {
	r := n.commandOf(e.ID)
	if r == nil || r.printed.Len() >= maxPrinted {
		return
	}
	r.printed.WriteString(phrase.StartBytes(e.Text, maxPrinted-r.printed.Len()))
	n.update(r.id, acp.ToolCallStatusInProgress, edits.Visible(r.printed.String()))
}

// commandOf returns the command that the session's prompt has the agent run, nil for another.
func (n *chatSession) commandOf(id string) *running {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id == "" || n.running == nil {
		return nil
	}
	return n.running.commands[id]
}
