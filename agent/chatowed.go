package agent

// maxOwedToChat is how many answers are kept for a chat file that cannot be written.
const maxOwedToChat = 100

// oweToChat keeps what could not be written into the chat file, until that is saved.
func (a *Agent) oweToChat(writes ...func(text string) string) {
	a.chatting.Lock()
	defer a.chatting.Unlock()
	a.owedToChat = append(a.owedToChat, writes...)
	a.owedToChat = a.owedToChat[max(0, len(a.owedToChat)-maxOwedToChat):]
}

// ChatSaved puts into the chat file, which the user has just saved, the answers
// that could not be put there before. What fails again is kept for the next time.
func (a *Agent) ChatSaved() error {
	a.chatting.Lock()
	owed := a.owedToChat
	a.owedToChat = nil
	a.chatting.Unlock()
	if len(owed) == 0 {
		return nil
	}
	err := a.editChat(func(text string) string {
		for _, write := range owed {
			text = write(text)
		}
		return text
	})
	if err != nil {
		a.oweToChat(owed...)
	}
	return err
}
