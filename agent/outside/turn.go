package outside

import "context"

// Turn is what an agent is asked for.
type Turn struct {
	Dir     string   // the absolute folder that it works in
	Others  []string // more folders of the workspace, absolute
	Request string   // all that a new session needs to know
	Session string   // the session of the conversation, "" for none
	Again   string   // for a session that continues: what differs from what the agent has left, and the request

	// Ask asks the user about a permission. A choice below 0 is none. nil: nobody can answer.
	Ask func(ctx context.Context, about string, options []string) (choice int, err error)
}

// Sink takes what an agent reports while it works. Calls come one at a time, in order, and return at
// once.
type Sink interface {
	Text(text string)    // a piece of its answer
	Thought(text string) // a piece of its thoughts
	Steps(all []Step)    // all steps of its own plan
	Tool(t Tool)         // a call of a tool that began or changed
	Usage(u Usage)

	// Asked is called when the agent has asked whether it may call a tool. refused says why it may not, as a
	// part of a sentence; "" if it may.
	Asked(t Tool, refused string)
}

// Step is a step of an agent's own plan.
type Step struct {
	Text  string
	State string // "pending", "in_progress" or "completed"
}

// Tool is a call of one of an agent's tools.
type Tool struct {
	ID    string
	Kind  string // of ACP: "read", "edit", "execute", …
	Title string // one visible line
	State string // "pending", "in_progress", "completed" or "failed"
	Paths []string
}

// Usage is what an agent has used in a turn, as far as it says so.
type Usage struct {
	Input, Output, Cached, Total int64 // tokens
	Cost                         float64
	Currency                     string
}

// End is how an agent's turn ended.
type End struct {
	Message string   // its last message
	Session string   // to continue, "" if it cannot
	Refused []string // the permissions that were refused, a sentence each
	Stopped string   // why it ended before it was done, a sentence; "" if it was done
	Usage   Usage
}
