package agent

import (
	"context"
	"strings"

	"redline/agent/chat"
	"redline/agent/recall"
	"redline/agent/session"
	"redline/internal/phrase"
)

// Message is what a user says, and where.
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

	// Quoted says that the text is not the user's own words, as when it quotes
	// what another program reports about a file: it has no slash commands, and
	// decides nothing.
	Quoted bool

	// Shown tells which revision of a plan this client was shown last, for slash
	// commands that decide; nil: what is current counts as shown.
	Shown func(plan int) (revision int, hash string, ok bool)

	answers *waiting // the question that it answers, set when that is known; nil for none
	retries bool     // it is an answer that is given again

	fromChat      bool    // it was written in the chat file
	decides       bool    // its slash commands may decide: the user typed them just now
	textWhenAsked string  // the file of the comment that asks
	typed         *string // what of Text is the user's own words, when the repository's template has the rest; nil: all

	again  bool   // it is sent once more, so that another answer is wanted
	goal   string // what its revision is about in one line, "" for Text
	slash  string // the slash command that it came with, "" for none
	revise int    // the plan to make a revision of, 0 for the conversation's own
	inside bool   // it was said where the conversation's plan is talked about: a client has named the conversation
	apart  bool   // it begins a plan of its own, whatever waits
}

// own is what of a message the user has said: what a repository can write is
// data, which names no file that may hold secrets.
func (m *Message) own() string {
	if m.Quoted {
		return ""
	}
	if m.typed != nil {
		return *m.typed
	}
	return m.Text
}

// maxQueued is how many turns of one conversation may wait.
const maxQueued = 20

// conversation is a thread of turns that run one at a time, in order.
type conversation struct {
	id      string
	queue   []*turn // waiting, oldest first
	running bool
	turn    *turn         // the one that runs, or ran last
	memory  recall.Memory // what was said, see recollect
	waiting *waiting      // the question that its user is to answer, nil for none
	last    Message       // for /retry
	decide  string        // the way to decide, "" for the user's own
	told    string        // the last report, see Agent.report
	known   int           // what has become of the plans when it was made, see takenUp.news, and one more; 0 for never
	revised revisedBy     // the last message that has changed a plan without naming it
}

// Send takes a message and returns at once with the names of its turn and
// conversation. An empty message, or a slash command that does not exist, is
// refused.
func (a *Agent) Send(m Message) (turnID, conversationID string, err error) {
	if err := a.fresh(a.root); err != nil { // a conversation may be of an earlier session
		a.log.Warn("the plans could not be read", errorField(err))
	}
	if m, err = a.fromChat(m); err != nil {
		return "", "", err
	}
	if err := validWay(m.Decide); err != nil {
		return "", "", err
	}
	m.Text = strings.TrimSpace(m.Text)
	if m.Text == "" {
		return "", "", refuse(Invalid, "The message is empty: say what should change.")
	}
	if m.Comment != nil {
		file, err := a.ws.Read(m.Path)
		if err != nil {
			return "", "", refuse(Invalid, "%s", err)
		}
		m.textWhenAsked = file.Text
		return a.enqueue(m) // a comment request has no slash commands
	}
	if m.Quoted {
		m.decides = false
		return a.enqueue(m)
	}
	if a.isOption(&m) { // whatever it reads as, a model has written it: it decides nothing and names no file
		none := ""
		m.typed, m.decides = &none, false
		return a.enqueue(m)
	}
	slash, isSlash, err := chat.ParseSlash(m.Text)
	switch {
	case err != nil:
		return "", "", refuse(Invalid, "%s", phrase.SentenceOf(err))
	case !isSlash:
		return a.enqueue(m)
	case slash.Name == "rework":
		return a.reworkBySlash(m, slash)
	case slash.Name == "apart":
		return a.sendApart(m)
	case slash.Name == "template" && len(slash.Args) > 0:
		return a.sendTemplate(m, slash)
	case slash.Name == "new":
		a.giveUpFor(&m)
		m.New = true
	}
	if beginsAnew(slash) {
		a.giveUpFor(&m)
	}
	if asksModel(slash) {
		m = a.withSlash(m, slash)
		if slash.Name == "retry" && strings.TrimSpace(m.Text) == "" {
			return "", "", refuse(Invalid, "There is nothing to ask again in this conversation yet: say what should change.")
		}
		return a.enqueue(m)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.newTurn(a.conversationFor(&m), m)
	a.start(t, func(ctx context.Context) error { return a.command(ctx, t, slash) }, func() {})
	return t.id, t.conv.id, nil
}

// enqueue puts a message behind those that its conversation still has to do.
func (a *Agent) enqueue(m Message) (turnID, conversationID string, err error) {
	if strings.TrimSpace(m.Text) == "" {
		return "", "", refuse(Invalid, "The message is empty: say what should change.")
	}
	if err := checkMode(m); err != nil {
		return "", "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.root.Err() != nil {
		return "", "", refuse(NotAllowed, "Redline is shutting down.")
	}
	conv := a.conversationFor(&m)
	if n := len(conv.queue); n >= maxQueued {
		return "", "", refuse(Busy, "%d messages wait in this conversation already: wait until one was answered, or cancel some of them.", n)
	}
	if err := a.takeAnswer(conv, &m); err != nil {
		return "", "", err
	}
	t := a.newTurn(conv, m)
	conv.last = m
	conv.queue = append(conv.queue, t)
	a.next(conv)
	if t.state == turnQueued {
		a.tellPlaces(t)
	}
	return t.id, conv.id, nil
}

// conversationFor finds or makes the conversation that a message belongs to.
// A comment request is always one of its own, and does not become the client's
// current one.
func (a *Agent) conversationFor(m *Message) *conversation {
	id := m.Conversation
	m.inside = m.inside || id != ""
	switch {
	case m.New || m.Comment != nil:
		id = session.NewID("c")
	case id == "":
		id = a.current[m.Client]
	}
	if id == "" {
		id = session.NewID("c")
	}
	conv := a.conversations[id]
	if conv == nil {
		conv = &conversation{id: id}
		a.conversations[id] = conv
		a.takeUp(id)
	}
	if m.Comment == nil {
		a.current[m.Client] = id
	}
	if m.Decide != "" {
		conv.decide = m.Decide
	}
	m.Conversation = id
	return conv
}
