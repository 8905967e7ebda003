package plan

import "strings"

// ServerPrefix begins the name of each tool of a tool server: mcp__SERVER__TOOL.
const ServerPrefix = "mcp__"

// CallsServer reports whether the operation calls a tool of a tool server. The user sees it and
// decides on it as on a command, but it never runs as one: its command line is only for display.
func (o *Operation) CallsServer() bool { return strings.HasPrefix(o.Tool, ServerPrefix) }

// CommandLines returns the operations that run a command line, in order.
func (r *Revision) CommandLines() (all []*Operation) {
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() && !o.CallsServer() {
			all = append(all, o)
		}
	}
	return all
}
