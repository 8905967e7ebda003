package conversation

import "redline/agent/chat"

// Message is what a client sends: the user's words, and the place that they are about.
type Message struct {
	Text         string
	Conversation string        // "" for the client's current one
	New          bool          // it begins a new conversation
	Mode         string        // "", auto, plan, text, ask or heap; "" for the conversation's
	Agent        string        // name of the primary agent that the conversation uses from now on; "" for no change
	Decide       string        // plan or ask: how the conversation's plans are decided on from now on; "" for no change
	AskAtOnce    bool          // the turn waits for the answer to each question, as at a terminal
	Client       string        // name of the client, to find its current conversation
	Path         string        // workspace path of the place, "" for none
	Lines        *[2]int       // first and last line of the selection, from 0; nil for none
	Selection    string        // the selected text
	Output       string        // what a command printed, such as a failed build: data, not the user's words; "" for none
	Comment      *chat.Request // the comment that asks, nil for none; applying the plan removes it

	// Quoted is true if the text is not the user's own words, as when it quotes a problem that
	// another program reports. Then it has no slash commands and decides nothing.
	Quoted bool

	// Shown returns the revision of a plan that this client saw last, for slash commands that
	// decide. If it is nil, the client saw the current one.
	Shown func(plan int) (revision int, hash string, ok bool)
}

// Request is a message with what the session knows about it: where the words come from, and
// their purpose.
type Request struct {
	Message

	FromChat      bool    // it was written in the chat file
	Decides       bool    // its slash commands may decide on plans: the user has just typed them
	TextWhenAsked string  // the text of the file with the comment that asks
	Typed         *string // the user's own words in Text, if a repository's template has the rest; nil if all are
	Chosen        *Agent  // the agent that the message names, once it is known; nil for none
	Goal          string  // the goal of its revision in one line, "" for Text
	Remembered    string  // what the conversation remembers of Text, "" for all of it
	Slash         string  // the slash command that it came with, "" for none
	Report        int     // the plan whose finished commands the turn reports on; 0 for none
	Revise        int     // the plan to revise, 0 for the conversation's own
	Named         bool    // the client has named the conversation, so it is about that conversation's plan
	Apart         bool    // it begins a new plan, even if others are open
	Again         bool    // it is a retry: the user wants another answer

	Answers *Waiting // the question that it answers, set once known; nil for none
	Retries bool     // the user repeats an answer
}

// Own returns the user's own words in a request. Only these may name a file that may hold
// secrets: what a repository can write is data.
func (r *Request) Own() string {
	if r.Quoted {
		return ""
	}
	if r.Typed != nil {
		return *r.Typed
	}
	return r.Text
}
