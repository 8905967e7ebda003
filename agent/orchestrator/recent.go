package orchestrator

import (
	"fmt"
	"strings"

	"redline/agent/model"
	"redline/agent/recall"
	"redline/internal/phrase"
)

// Limits of the recent messages that the planner reads.
const (
	recentMessages = 4
	recentBytes    = 800
)

// Recent returns what the planner reads of a conversation: the last messages, and how many came
// before. It shortens long messages, but keeps the precise words of the part that it cuts.
func Recent(history []model.Message) string {
	if len(history) == 0 {
		return ""
	}
	var lines []string
	if earlier := len(history) - recentMessages; earlier > 0 {
		history = history[earlier:]
		lines = append(lines, fmt.Sprintf("(earlier messages that are not shown: %d)", earlier))
	}
	each := recentBytes / len(history)
	for _, m := range history {
		text := phrase.OneLine(m.Content)
		if len(text) > each {
			cut := strings.ToValidUTF8(text[:each], "")
			text = cut + " …"
			for _, word := range recall.Words(m.Content, maxPrecise) {
				if !recall.In(cut, word) && len(text) < 4*each {
					text += " " + word
				}
			}
		}
		who := "user"
		if m.Role == model.RoleAssistant {
			who = "Redline"
		}
		lines = append(lines, who+": "+text)
	}
	return strings.Join(lines, "\n")
}
