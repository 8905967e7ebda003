package specialists

import (
	"fmt"
	"strings"

	"redline/agent/model"
	"redline/agent/precise"
	"redline/internal/phrase"
)

// Bounds of what is told of a conversation.
const (
	recentMessages = 4
	recentBytes    = 800
)

// Recent is what the planner is told of a conversation: its last messages, each
// cut where they are long, and how many came before them. What is precise in the
// part that is cut away is kept.
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
			for _, word := range precise.Words(m.Content, maxKept) {
				if !precise.In(cut, word) && len(text) < 4*each {
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
