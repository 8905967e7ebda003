package acp

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"

	"redline/agent/conversation"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// message makes a message from the blocks of a prompt: texts as they are, files of the workspace as
// mentions, other resources as context beside the user's words. It refuses what no model here gets.
func (p *prompt) message() (conversation.Message, error) {
	var text, context strings.Builder
	mention := func(m string) {
		if s := text.String(); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") {
			text.WriteString(" ")
		}
		text.WriteString(m)
	}
	for _, b := range p.blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			m, ok := p.mention(b.ResourceLink.Uri)
			if !ok {
				return conversation.Message{}, invalid("Redline reads files of the folder only, so it cannot read %s: paste what matters.", quoted(b.ResourceLink.Uri))
			}
			mention(m)
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			if m, ok := p.mention(r.Uri); ok {
				mention(m)
				break
			}
			marks := fence.Around(r.Text)
			fmt.Fprintf(&context, "%s:\n%s\n%s\n%s\n\n", edits.VisibleLine(phrase.ClipBytes(r.Uri, 200)), marks, strings.TrimSuffix(r.Text, "\n"), marks)
		case b.Resource != nil:
			return conversation.Message{}, invalid("Redline takes no binary resources.")
		case b.Image != nil:
			return conversation.Message{}, invalid("Redline takes no images.")
		case b.Audio != nil:
			return conversation.Message{}, invalid("Redline takes no audio.")
		}
	}
	return conversation.Message{Text: text.String(), Output: strings.TrimSpace(context.String())}, nil
}

// linesOf matches the end of a URI that names lines: #L10, #L10-20, #L10:20.
var linesOf = regexp.MustCompile(`#L(\d{1,9})(?:[-:]L?(\d{1,9}))?$`)

// mention returns the mention of a file or folder of the workspace, with the lines that its URI names.
func (p *prompt) mention(uri string) (string, bool) {
	lines := ""
	name := uri
	if m := linesOf.FindStringSubmatch(uri); m != nil {
		name = strings.TrimSuffix(uri, m[0])
		lines = ":" + m[1] + "-" + cmp.Or(m[2], m[1])
	}
	name, _, _ = strings.Cut(name, "?symbol=")
	file, ok := p.session.place.agent.Session.Workspace.PathOf(name)
	if !ok || strings.ContainsAny(file, "\"\r\n`") {
		return "", false
	}
	p.files = append(p.files, file)
	if file = path.Clean(file); strings.ContainsAny(file, " '“”‘’<>()[]{},;|*@:") {
		return `@"` + file + lines + `"`, true
	}
	return "@" + file + lines, true
}
