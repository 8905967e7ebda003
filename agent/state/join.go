package state

// Join adds an event that came next to e, if both are pieces of one text, and reports whether it did. So
// an event that waits for a slow client costs no more than its text.
func (e *Event) Join(next Event) bool {
	switch e.Kind {
	case TokenArrived, ModelThinks, CommandPrinted, TrialRan, OutsideWorks:
	default:
		return false
	}
	if e.Kind != next.Kind || e.Turn != next.Turn || e.Conversation != next.Conversation || e.ID != next.ID || e.Stream != next.Stream {
		return false
	}
	if e.Trial != nil || next.Trial != nil || e.Step != nil || next.Step != nil { // more than text
		return false
	}
	e.Text += next.Text
	return true
}
