// Package intent finds out what a message wants, and chooses its route. It reads only words: a
// model ([Message], [Schema], [Parse]) or the rules ([Rules]) classify the message by [Flags],
// and [Choose] returns the route for these. Nothing here approves anything.

package chat

import "strings"

// Flags are what a message wants. Several can be set.
type Flags struct {
	OffTopic       bool `json:"offTopic"`       // it has nothing to do with the workspace or with programming
	Plan           bool `json:"plan"`           // it asks for a plan in words before any work
	Conversational bool `json:"conversational"` // it is a question or a remark
	Proceed        bool `json:"proceed"`        // it says to proceed with the waiting plan
	Render         bool `json:"render"`         // it asks to see the plan again
	Develop        bool `json:"develop"`        // it asks for a change to files
	Operate        bool `json:"operate"`        // it asks to run something
}

// Names returns the flags that are set, in the order of the type.
func (f Flags) Names() []string {
	names := []string{}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"off_topic", f.OffTopic}, {"plan", f.Plan}, {"conversational", f.Conversational}, {"proceed", f.Proceed},
		{"render", f.Render}, {"develop", f.Develop}, {"operate", f.Operate},
	} {
		if flag.set {
			names = append(names, flag.name)
		}
	}
	return names
}

// String lists the flags that are set: "plan, develop".
func (f Flags) String() string {
	if names := f.Names(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "nothing in particular"
}

// Route is how a message is handled.
type Route string

// The routes, in the order in which [Choose] tries them.
const (
	Proceed  Route = "proceed"   // the waiting plan is approved, if the user's own words say so exactly
	OffTopic Route = "off_topic" // the message is declined without asking the model
	Render   Route = "render"    // the plan is shown again
	Text     Route = "text"      // a plan in words, without tools
	Tools    Route = "tools"     // the model works with its tools, and its edits are buffered
)

// Situation has what a route depends on besides the flags.
type Situation struct {
	First     bool // it is the first message of its conversation
	Revisions bool // the conversation has a plan already
	Waiting   bool // a plan waits for a decision
	Asked     bool // the last answer ended with a question that is not about approving: see AsksForMore
}

// ChooseRoute returns the route of a message, and why in a few words.
func ChooseRoute(f Flags, s Situation) (r Route, why string) {
	switch {
	case f.Proceed && s.Waiting && !f.Plan && !f.Develop && !f.Operate:
		return Proceed, "it says to continue, and a plan waits"
	case f.OffTopic && !s.First && s.Revisions && !f.Plan && !f.Develop && !f.Operate:
		return OffTopic, "it is not about this workspace"
	case f.Render && s.Revisions:
		return Render, "it asks to see the plan again"
	case f.Plan && !f.Conversational:
		return Text, "it asks for a plan in words"
	}
	return Tools, "it wants " + f.String()
}
