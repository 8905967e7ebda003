package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"redline/agent/state"
	"redline/internal/fence"
	"redline/internal/phrase"
)

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
func ChooseRoute(f state.Intent, s Situation) (r Route, why string) {
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

// IntentSchema is the JSON schema of a model's classification.
var IntentSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"off_topic":{"type":"boolean"},"plan":{"type":"boolean"},"conversational":{"type":"boolean"},"proceed":{"type":"boolean"},` +
	`"render":{"type":"boolean"},"develop":{"type":"boolean"},"operate":{"type":"boolean"},"reason":{"type":"string"}},` +
	`"required":["off_topic","plan","conversational","proceed","render","develop","operate","reason"],"additionalProperties":false}`)

// maxMessage is how many bytes of a message a model reads to classify it.
const maxMessage = 4000

// IntentMessage formats a message for a model that classifies it: quoted, so that nothing in it can
// pass for anything else, and cut if it is long.
func IntentMessage(text string, s Situation) string {
	cut := ""
	if len(text) > maxMessage {
		cut = fmt.Sprintf("\n(The message is cut after %d bytes.)", maxMessage)
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	var quoted bytes.Buffer
	out := json.NewEncoder(&quoted)
	out.SetEscapeHTML(false)
	_ = out.Encode(text) // strings always encode
	facts := "It begins its conversation."
	switch {
	case s.Waiting:
		facts = "A plan waits for the user's decision."
	case s.Revisions:
		facts = "The conversation has a plan, of which nothing waits."
	case !s.First:
		facts = "The conversation has no plan yet."
	}
	return fmt.Sprintf("The message: %s\n%s%s", strings.TrimSpace(quoted.String()), facts, cut)
}

// maxReply is how many bytes a classification may have.
const maxReply = 8 << 10

// ParseIntent reads a model's classification: one JSON object with every flag and nothing else, alone
// or in one fence. why is the model's reason. The error is one sentence.
func ParseIntent(reply string) (f state.Intent, why string, err error) {
	if len(reply) > maxReply {
		return f, "", errors.New("the classification is too long")
	}
	var in struct {
		OffTopic       *bool   `json:"off_topic"`
		Plan           *bool   `json:"plan"`
		Conversational *bool   `json:"conversational"`
		Proceed        *bool   `json:"proceed"`
		Render         *bool   `json:"render"`
		Develop        *bool   `json:"develop"`
		Operate        *bool   `json:"operate"`
		Reason         *string `json:"reason"`
	}
	// It refuses unknown and duplicate names, and names in another case.
	if err := jsonv2.Unmarshal([]byte(fence.Unwrap(reply)), &in, jsonv2.RejectUnknownMembers(true)); err != nil {
		return f, "", errors.New("the classification is not the JSON object that was asked for")
	}
	for _, flag := range []struct {
		name string
		in   *bool
		out  *bool
	}{
		{"off_topic", in.OffTopic, &f.OffTopic}, {"plan", in.Plan, &f.Plan}, {"conversational", in.Conversational, &f.Conversational},
		{"proceed", in.Proceed, &f.Proceed}, {"render", in.Render, &f.Render}, {"develop", in.Develop, &f.Develop}, {"operate", in.Operate, &f.Operate},
	} {
		if flag.in == nil {
			return state.Intent{}, "", fmt.Errorf("the classification lacks %q", flag.name)
		}
		*flag.out = *flag.in
	}
	if in.Reason != nil {
		why = shortReason(*in.Reason)
	}
	return f, why, nil
}

// shortReason returns a model's reason as one line of at most 200 characters.
func shortReason(reason string) string {
	return phrase.Clip(phrase.OneLine(strings.ToValidUTF8(reason, "")), 200)
}
