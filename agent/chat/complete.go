package chat

import (
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// Completing is what the user is writing at a place of the chat file.
type Completing struct {
	What   What
	Span   edits.Span // the range that a completion replaces: from the sign, or the start of the word, up to the place
	Prefix string     // the written part of the name, without the sign
}

// What can be completed in a request.
type What int

const (
	CommandName   What = iota // a slash command, at the start of the request
	SendLine                  // the line /send, which sends a request
	PlanNumber                // the number of the plan that a command is about
	WayToDecide               // the word after /decide
	TemplateName              // the word after /template
	AgentName                 // the word after /agent
	ModeName                  // the word after /mode
	MentionedName             // a file or symbol after an @
)

var (
	commandStart  = lazyregexp.New(`^/([A-Za-z]*)$`)
	argumentStart = lazyregexp.New(`^/([A-Za-z]+)[ \t]+([^ \t]*)$`)
	mentionStart  = lazyregexp.New("(?:^|[\\s(\\[{,;:])@(\"[^\"\r\n]*|[^\\s\"'“”‘’`<>()\\[\\]{},;|*@]*)$")
)

// CompletingAt returns what is being written at a byte offset. ok is false if nothing can be
// completed there, as everywhere outside the last section or if that is not the user's.
func CompletingAt(text string, offset int) (c Completing, ok bool) {
	last, ok := lastSection(text)
	if !ok || last.Who != You || offset < last.Body.Start || offset > last.Body.End {
		return c, false
	}
	if c, ok = CompletingMessage(text[last.Body.Start:offset]); !ok {
		return c, false
	}
	c.Span = edits.Span{Start: c.Span.Start + last.Body.Start, End: offset}
	return c, true
}

// CompletingMessage does what [CompletingAt] does, for a message that is not in a chat file, at
// its end. Span is in the message.
func CompletingMessage(body string) (c Completing, ok bool) {
	start := strings.LastIndexAny(body, "\r\n") + 1
	line, first := body[start:], strings.TrimSpace(body[:start]) == ""
	at := func(what What, prefix string, sign int) (Completing, bool) {
		return Completing{what, edits.Span{Start: len(body) - len(prefix) - sign, End: len(body)}, strings.TrimPrefix(prefix, `"`)}, true
	}
	if m := commandStart().FindStringSubmatch(line); m != nil {
		if first {
			return at(CommandName, m[1], 1)
		}
		return at(SendLine, m[1], 1)
	}
	if m := argumentStart().FindStringSubmatch(line); m != nil && first {
		switch command, known := find(strings.ToLower(m[1])); {
		case !known:
		case (command.plan || command.name == "rollback") && strings.Trim(m[2], "0123456789") == "":
			return at(PlanNumber, m[2], 0)
		case command.name == "decide":
			return at(WayToDecide, m[2], 0)
		case command.name == "agent":
			return at(AgentName, m[2], 0)
		case command.name == "mode":
			return at(ModeName, m[2], 0)
		case command.name == "template":
			return at(TemplateName, m[2], 0)
		}
	}
	if m := mentionStart().FindStringSubmatch(line); m != nil && strings.Count(body, "`")%2 == 0 {
		return at(MentionedName, m[1], 1)
	}
	return c, false
}

// CommandHelp describes a slash command in a list of completions.
type CommandHelp struct {
	Name string // with the slash
	Args string // its arguments, "" for none
	Does string
}

// CommandHelps are all slash commands, in the order of the help.
func CommandHelps() []CommandHelp {
	all := make([]CommandHelp, len(commands))
	for i, c := range commands {
		all[i] = CommandHelp{"/" + c.name, c.args, c.does}
	}
	return all
}
