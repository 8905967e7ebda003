package chat

import (
	"fmt"
	"strings"
)

// command is a slash command.
type command struct {
	name    string
	args    string             // as the help shows them
	does    string             // what it does, in a few words
	plan    bool               // the first argument may be the number of a plan
	decides bool               // see Deciding
	read    func(*Slash) error // reads the rest; nil: there must be none
}

// commands lists the slash commands in the order of the help.
var commands = []command{
	{name: "plan", args: "request", does: "start a new plan", read: anything},
	{name: "ask", args: "question", does: "get an answer, without a plan", read: anything},
	{name: "text", args: "request", does: "get a plan in words first, its edits once it is approved", read: anything},
	{name: "heap", args: "request", does: "let several specialists work on it", read: anything},
	{name: "new", args: "[request]", does: "start a new conversation", read: anything},
	{name: "apart", does: "make the last request, which has changed a plan, a plan of its own", decides: true},
	{name: "approve", args: "[N] [hunk…] [saved]", does: "apply a plan, some of its hunks, or one operation", plan: true, decides: true, read: hunks},
	{name: "reject", args: "[N] [why]", does: "turn a plan down", plan: true, decides: true, read: anything},
	{name: "rework", args: "[N] feedback", does: "ask for another revision of a plan", plan: true, decides: true, read: feedback},
	{name: "undo", args: "[N] [saved]", does: "take back what was applied", plan: true, decides: true, read: saved},
	{name: "rollback", args: "N R", does: "go back to revision R of a plan", plan: true, decides: true, read: revision},
	{name: "revisions", args: "[N]", does: "list the revisions of a plan", plan: true},
	{name: "decide", args: "[plan|ask]", does: "be asked at the end of a turn, or about each edit as it is staged", read: way},
	{name: "status", does: "tell what waits and what runs"},
	{name: "retry", does: "send the last request again"},
	{name: "cancel", does: "stop what runs, and give up a question that waits"},
	{name: "template", args: "[NAME …]", does: "send a request from a template, or list them", read: template},
	{name: "agents", does: "list the specialists, and what is wrong with their files"},
	{name: "model", does: "tell which model answers"},
	{name: "help", does: "list these commands"},
	{name: "send", does: "send the section, as its last line in the chat file"},
}

func find(name string) (command, bool) {
	for _, c := range commands {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

func names() []string {
	all := make([]string, len(commands))
	for i, c := range commands {
		all[i] = c.name
	}
	return all
}

// Help returns the list of slash commands as Markdown.
func Help() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("/"+c.name+" "+c.args), c.does)
	}
	return strings.TrimRight(b.String(), "\n")
}
