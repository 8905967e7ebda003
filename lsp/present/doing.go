package present

import (
	"fmt"
	"time"

	"redline/agent/state"
	"redline/lsp/window"
)

// doing returns the progress of a turn from what it is doing now. A tool is named at once. The
// wait for the model is shown after a second, so that until then the user sees what came before
// it, and counts its seconds, as everything does that takes longer than that. Messages are short
// and have no percentage: some editors cut them off, and VS Code drops those after one that has.
func doing(e state.Event) window.Message {
	text := e.Text
	switch e.Name {
	case "retry":
		wait := time.Duration(e.Wait) * time.Millisecond
		return func(elapsed time.Duration) string {
			if left := (wait - elapsed + time.Second - 1).Truncate(time.Second); left > time.Second {
				return fmt.Sprintf("asking the model again in %d s: %s", int(left.Seconds()), text)
			}
			return counted("asking the model again: "+text, elapsed-wait)
		}
	case "model":
		return func(elapsed time.Duration) string {
			if elapsed < time.Second {
				return ""
			}
			return counted(text, elapsed)
		}
	case "save": // the user's turn to act: no seconds, which would redraw a line that Emacs shares
		return func(time.Duration) string { return text }
	}
	return func(elapsed time.Duration) string { return counted(text, elapsed) }
}

// counted returns text with the seconds that it has lasted, if there are any.
func counted(text string, elapsed time.Duration) string {
	if elapsed < time.Second {
		return text
	}
	return fmt.Sprintf("%s (%d s)", text, int(elapsed.Seconds()))
}
