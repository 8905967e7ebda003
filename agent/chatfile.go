package agent

import (
	"fmt"
	"strings"

	"redline/agent/chat"
	"redline/edits"
	"redline/workspace"
)

// chatName is the chat file's name among Redline's own files.
const chatName = "chat.md"

// chatPath is the workspace path of the chat file. It depends on the folders
// that are open.
func (a *Agent) chatPath() string { return a.ws.Own().Path(chatName) }

// fromChat replaces a message that sends the chat file by the request that the
// file's last section holds.
func (a *Agent) fromChat(m Message) (Message, error) {
	if m.Path != a.chatPath() {
		m.decides = true
		return m, nil
	}
	text, err := a.chatText()
	if err != nil {
		return m, err
	}
	if strings.TrimSpace(m.Text) != "/send" {
		m.decides = true
		return m, nil
	}
	body, ok := chat.LastRequest(text)
	if !ok {
		return m, refuse(Invalid, "There is nothing to send: write your request under the last “## You” in %s.", a.chatPath())
	}
	a.mu.Lock()
	opened := a.chatOpened
	a.mu.Unlock()
	m.Text, m.fromChat, m.Path, m.Lines, m.Selection = body, true, "", nil, ""
	m.decides = opened != nil && chat.Typed(*opened, text)
	return m, nil
}

// noteChat remembers what stood in the chat file when it was opened: it may
// have come with the repository, so none of it decides. The caller holds a.mu.
func (a *Agent) noteChat(e workspace.BufferEvent) {
	switch e.Kind {
	case workspace.Opened:
		text := e.After.Text()
		a.chatOpened = &text
	case workspace.Closed:
		a.chatOpened = nil
	}
}

// chatText is the chat file as it is now: the buffer, else the disk.
func (a *Agent) chatText() (string, error) {
	if b, ok := a.ws.Buffer(a.chatPath()); ok {
		return b.Lines.Text(), nil
	}
	data, err := a.ws.Own().Read(chatName)
	if err != nil {
		return "", nil //nolint:nilerr // a chat file that cannot be read is one that is not there yet
	}
	return string(data), nil
}

// appendToChat writes the answer of a turn under its request. A request that
// came from elsewhere is written first, unless a plan says all there is to say.
func (a *Agent) appendToChat(t *turn, e Event) error {
	asks := e.State == turnWaiting
	if !t.message.fromChat && !asks && (t.plan != 0 || e.State == turnCancelled || !strings.Contains(e.Answer, "\n") && len(e.Answer) < 200) {
		return nil
	}
	reply := e.Answer
	if t.plan != 0 {
		reply = chat.Reply(reply, a.planLine(t.plan))
	}
	if e.Error != "" {
		reply = chat.Reply(reply, e.Error)
	}
	if asks {
		reply = chat.Reply(reply, "I wait for your answer: write it below and send it, or give the question up with `/cancel`.")
	}
	if e.State == turnCancelled {
		reply = "Cancelled."
	}
	reply = edits.Visible(reply) // it is shown before a decision, and may quote what hides something
	write := func(text string) string {
		if text == "" {
			text = chat.Template
		}
		if !t.message.fromChat {
			text = edited(text, chat.Prepare(text, t.message.Text))
		}
		return edited(text, chat.Append(text, "Redline", reply))
	}
	err := a.editChat(write)
	if err != nil {
		a.oweToChat(write)
	}
	return err
}

// PrepareChat puts text under the last “## You” of the chat file, makes the
// file if there is none, and returns its workspace path.
func (a *Agent) PrepareChat(text string) (path string, err error) {
	return a.chatPath(), a.editChat(func(now string) string {
		if now == "" {
			now = chat.Template
		}
		if text == "" {
			return now
		}
		return edited(now, chat.Prepare(now, text))
	})
}

// editChat changes the chat file through the editor when it is open there,
// else on disk: never behind an open buffer with unsaved changes.
func (a *Agent) editChat(change func(string) string) error {
	a.chatting.Lock()
	defer a.chatting.Unlock()
	text, err := a.chatText()
	if err != nil {
		return err
	}
	next := change(text)
	if next == text {
		return nil
	}
	if _, open := a.ws.Buffer(a.chatPath()); !open {
		_, _, err := a.ws.Own().Write(chatName, []byte(next))
		return err
	}
	var es []edits.Edit
	for _, hunk := range edits.Diff(text, next) {
		es = append(es, hunk.Edit())
	}
	outcome, err := a.editor.Apply(a.root, []edits.Change{{Path: a.chatPath(), Base: text, Edits: es}})
	if err != nil {
		return err
	}
	if len(outcome) > 0 && outcome[0].Status == edits.Refused && !a.editSavedChat(change) {
		return refuse(ApplyFailed, "%s", outcome[0].Reason)
	}
	return nil
}

// editSavedChat changes the chat file on disk for an editor that has refused to
// change it, and tells whether that was done. Kate refuses what comes more than two
// seconds after a code action, and offers to read a file again that was changed
// on disk. What is not saved stays alone: nothing is ever put behind it. An
// editor that ends a file with a line end as it saves it may tell that later.
func (a *Agent) editSavedChat(change func(string) string) bool {
	text, err := a.chatText()
	if err != nil {
		return false
	}
	data, err := a.ws.Own().Read(chatName)
	saved := string(data)
	if err != nil || saved != text && saved != text+"\n" {
		return false
	}
	_, _, err = a.ws.Own().Write(chatName, []byte(change(saved)))
	return err == nil
}

// edited is a text after one edit that was made for it.
func edited(text string, e edits.Edit) string {
	next, err := edits.Apply(text, []edits.Edit{e})
	if err != nil {
		return text
	}
	return next
}

// planLine says in one line which plan a turn made and how to decide on it.
func (a *Agent) planLine(n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.plans[n]
	if h == nil || !h.plan.State.Open() {
		return ""
	}
	where := ""
	if h.preview != "" {
		where = ", shown in " + h.preview
	}
	return fmt.Sprintf("Plan %d, revision %d, waits for you%s. Decide with `/approve %d`, `/reject %d` or `/rework %d` and what should be different.",
		n, h.revision.Number, where, n, n, n)
}
