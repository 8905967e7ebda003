package agent

import (
	"embed"
	"fmt"
	"strings"

	"redline/agent/model"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// prompt returns an embedded prompt by its file name without the ending.
func prompt(name string) string {
	text, err := promptFiles.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err) // embedded at build time: a missing prompt cannot be built
	}
	return string(text)
}

// maxSelection bounds the selected text that is put into a request, in bytes.
const maxSelection = 16 << 10

// userMessage is the request as the model sees it: the user's own words first,
// then a fenced block with the place that the request was made at.
func userMessage(m Message) model.Message {
	var b strings.Builder
	b.WriteString(m.Text)
	if m.Path != "" {
		b.WriteString("\n\n```context\n")
		fmt.Fprintf(&b, "file: %s\n", m.Path)
		if m.Lines != nil {
			fmt.Fprintf(&b, "lines: %d-%d\n", m.Lines[0]+1, m.Lines[1]+1)
		}
		if m.Selection != "" {
			b.WriteString("selection:\n")
			b.WriteString(fenced(m.Selection))
		}
		b.WriteString("```")
	}
	return model.Message{Role: model.RoleUser, Content: b.String()}
}

// fenced indents text so that no line of it can close the fence that holds it.
func fenced(text string) string {
	cut := ""
	if len(text) > maxSelection {
		text, cut = strings.ToValidUTF8(text[:maxSelection], ""), fmt.Sprintf("… cut after %d bytes\n", maxSelection)
	}
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n" + cut
}

// history keeps what was said in a conversation, in bounds: the model sees the
// latest exchanges, whole.
type history []model.Message

const (
	maxHistory      = 20       // messages
	maxHistoryBytes = 64 << 10 // of their text
)

func (h history) add(request, answer string) history {
	h = append(h,
		model.Message{Role: model.RoleUser, Content: request},
		model.Message{Role: model.RoleAssistant, Content: answer})
	size := 0
	for i := len(h) - 2; i >= 0; i -= 2 {
		size += len(h[i].Content) + len(h[i+1].Content)
		if len(h)-i > maxHistory || (size > maxHistoryBytes && i < len(h)-2) {
			return append(history(nil), h[i+2:]...)
		}
	}
	return h
}
