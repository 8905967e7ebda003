package reuse

import (
	"strings"

	"redline/agent/tool"
	"redline/internal/phrase"
)

// normal returns a request without what does not change its meaning: spacing, and a full stop
// or "please" at its end.
func normal(text string) string {
	text = phrase.OneLine(text)
	for {
		cut := strings.TrimRight(text, " .!,")
		if len(cut) > len("please") && strings.EqualFold(cut[len(cut)-len(" please"):], " please") {
			cut = cut[:len(cut)-len(" please")]
		}
		if cut == text {
			return text
		}
		text = cut
	}
}

// offered returns what the model is told about the tools.
func offered(tools []tool.Tool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name, t.Description, string(t.Schema))
	}
	return all
}
