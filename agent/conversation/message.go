package conversation

import "redline/agent/chat"

// Message is what a client sends: what a user says, and where.
type Message struct {
	Text         string
	Conversation string        // "" for the client's current one
	New          bool          // start a conversation of its own
	Mode         string        // "", auto, plan, text, ask or heap
	Decide       string        // "", plan or ask: how this conversation's plans are decided on from now on
	AskAtOnce    bool          // the turn waits for each answer, where questions and all else share a terminal
	Client       string        // who asks, to find its current conversation
	Path         string        // workspace path of the place, "" for none
	Lines        *[2]int       // first and last line of the selection, from 0
	Selection    string        // the selected text
	Comment      *chat.Request // the comment that asks; applying the plan removes it

	// Quoted says that the text is not the user's own words, as when it quotes what
	// another program reports about a file: it has no slash commands, and decides
	// nothing.
	Quoted bool

	// Shown returns the revision of a plan that this client was shown last, for slash
	// commands that decide; nil: the current one counts as shown.
	Shown func(plan int) (revision int, hash string, ok bool)
}

// Request is a message as the session has taken it: it knows where the words come from.
type Request struct {
	Message

	FromChat      bool    // it was written in the chat file
	Decides       bool    // its slash commands may decide: the user typed them just now
	TextWhenAsked string  // the file of the comment that asks
	Typed         *string // the user's own words in Text, when a repository's template has the rest; nil: all
	Goal          string  // what its revision is about in one line, "" for Text
	Slash         string  // the slash command that it came with, "" for none
	Revise        int     // the plan to make a revision of, 0 for the conversation's own
	Named         bool    // a client has named the conversation: it was said where the conversation's plan is talked about
	Apart         bool    // it begins a plan of its own, whatever waits
	Again         bool    // it is sent once more, so another answer is wanted

	Answers *Waiting // the question that it answers, set when that is known; nil for none
	Retries bool     // it is an answer that is given again
}

// Own returns the user's own words in a request. What a repository can write is data,
// which names no file that may hold secrets.
func (r *Request) Own() string {
	if r.Quoted {
		return ""
	}
	if r.Typed != nil {
		return *r.Typed
	}
	return r.Text
}
