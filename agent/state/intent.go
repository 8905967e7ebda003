package state

import "strings"

// Intent is what a message wants, by its words: a model or the rules of package chat set its flags.
// Several can be set; none approves anything.
type Intent struct {
	OffTopic       bool `json:"offTopic"`       // it has nothing to do with the workspace or with programming
	Plan           bool `json:"plan"`           // it asks for a plan in words before any work
	Conversational bool `json:"conversational"` // it is a question or a remark
	Proceed        bool `json:"proceed"`        // it says to proceed with the waiting plan
	Render         bool `json:"render"`         // it asks to see the plan again
	Develop        bool `json:"develop"`        // it asks for a change to files
	Operate        bool `json:"operate"`        // it asks to run something
}

// Names returns the flags that are set, in the order of the type.
func (f Intent) Names() []string {
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
func (f Intent) String() string {
	if names := f.Names(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "nothing in particular"
}
