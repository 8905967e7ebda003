package chat

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/nearest"
	"redline/internal/phrase"
)

// Command is a slash command.
type Command struct {
	Name string // without the slash
	Args string // its arguments, as in the help; "" for none
	Does string // what it does, in a few words

	plan    bool               // the first argument may be the number of a plan
	decides bool               // see Deciding
	word    What               // what its first word is for a completion; CommandName for nothing to complete
	read    func(*Slash) error // reads the arguments; nil: there must be none
}

// commands lists the slash commands in the order of the help.
var commands = []Command{
	{Name: "plan", Args: "request", Does: "start a new plan", read: anything},
	{Name: "ask", Args: "question", Does: "get an answer, without a plan", read: anything},
	{Name: "text", Args: "request", Does: "get a plan in words first, its edits once it is approved", read: anything},
	{Name: "heap", Args: "request", Does: "let several specialists work on it", read: anything},
	{Name: "new", Args: "[request]", Does: "start a new conversation", read: anything},
	{Name: "apart", Does: "make the last request, which has changed a plan, a plan of its own", decides: true},
	{Name: "approve", Args: "[N] [hunk…] [saved]", Does: "apply a plan, some of its hunks, or one operation", plan: true, decides: true, read: hunks},
	{Name: "reject", Args: "[N] [why]", Does: "turn a plan down", plan: true, decides: true, read: anything},
	{Name: "try", Args: "[N] [command]", Does: "run a command on what a plan proposes, and throw away what it writes", plan: true, decides: true, read: anything},
	{Name: "rework", Args: "[N] [feedback]", Does: "ask for another revision of a plan; without words: to fix what failed", plan: true, decides: true, read: anything},
	{Name: "undo", Args: "[N] [saved]", Does: "take back what was applied", plan: true, decides: true, read: saved},
	{Name: "rollback", Args: "N R", Does: "go back to revision R of a plan", plan: true, decides: true, read: revision},
	{Name: "revisions", Args: "[N]", Does: "list the revisions of a plan", plan: true},
	{Name: "import", Args: "FILE", Does: "make a new plan from a plan file, to see and decide on here", decides: true, read: fileName},
	{Name: "rate", Args: "[N] good|bad|1-5", Does: "say what you think of a plan, of the last one that is finished without N", plan: true, decides: true, read: rating},
	{Name: "decide", Args: "[plan|ask]", Does: "be asked at the end of a turn, or about each edit as it is staged", word: WayToDecide, read: way},
	{Name: "agent", Args: "[NAME|none]", Does: "choose the agent of this conversation, or list them", word: AgentName, read: agent},
	{Name: "with", Args: "[NAME|model]", Does: "let an outside agent work in this conversation, in a copy, or Redline's own model again", word: WithName, read: agent},
	{Name: "mode", Args: "[auto|plan|text|ask|heap]", Does: "choose the mode of this conversation's messages", word: ModeName, read: mode},
	{Name: "trace", Args: "[turn]", Does: "show what the agent did in a turn, step by step", read: turn},
	{Name: "status", Does: "list what waits and what runs"},
	{Name: "retry", Does: "send the last request again"},
	{Name: "cancel", Does: "stop what runs, and give up a question that waits"},
	{Name: "template", Args: "[NAME …]", Does: "send a request from a template, or list them", word: TemplateName, read: template},
	{Name: "agents", Does: "list the specialists, and what is wrong with their files"},
	{Name: "model", Does: "show which model answers"},
	{Name: "help", Does: "list these commands"},
	{Name: "send", Does: "send the section, as its last line in the chat file"},
}

func find(name string) (Command, bool) {
	for _, c := range commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// Help returns the list of slash commands as Markdown.
func Help() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("/"+c.Name+" "+c.Args), c.Does)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Slash is a command at the start of a message.
type Slash struct {
	Name   string   // without the slash, in lower case
	Plan   int      // the plan that it names, 0 for none
	Args   []string // approve: hunk ids; rollback: the revision; template, agent, trace: its name, if given; import: the file; decide: the way; mode: the mode
	Saved  bool     // approve, undo: the user says that the files which the editor does not show are saved
	Rating int      // rate: 1 to 5
	Rest   string   // the text after the arguments, trimmed
}

var (
	commandWord = lazyregexp.New(`^/[A-Za-z]+[,.:;]?$`) // as in "/reject: I like the old words"
	hunkName    = lazyregexp.New(`^(?:([0-9]+)\.)?([ho][0-9]+)$`)
)

// ParseSlash parses the command at the start of a message. ok is false if there is none: then
// the message is for the model. An error is one sentence for the user, about an unknown command
// or a missing argument.
func ParseSlash(text string) (s Slash, ok bool, err error) {
	name, rest := cutWord(text)
	if !commandWord().MatchString(name) {
		return Slash{}, false, nil
	}
	s = Slash{Name: strings.ToLower(strings.TrimRight(name[1:], ",.:;"))}
	c, known := find(s.Name)
	if !known {
		return s, true, unknown(s.Name)
	}
	if c.plan {
		if first, after := cutWord(rest); isNumber(first) {
			s.Plan, err = strconv.Atoi(first)
			if err != nil || s.Plan == 0 {
				return s, true, fmt.Errorf("%s is not a plan: plans are numbered from 1", first)
			}
			rest = after
		}
	}
	s.Rest = rest
	if c.read != nil {
		err = c.read(&s)
	} else if rest != "" {
		err = fmt.Errorf("/%s takes nothing more, but %q follows it", s.Name, shorten(rest))
	}
	return s, true, err
}

// Deciding reports whether a command decides on a plan. The user must have typed such a
// command.
func Deciding(name string) bool {
	c, ok := find(name)
	return ok && c.decides
}

func unknown(name string) error {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	near := nearest.Of(name, names)
	if near == nil {
		return fmt.Errorf("there is no command /%s: /help lists them, and a message that is not a command starts with another character", name)
	}
	return fmt.Errorf("there is no command /%s, did you mean /%s? /help lists them all", name, strings.Join(near, " or /"))
}

// hunks reads the names of hunks, such as "h2" or "7.h2" (the code of the hunk's diagnostic), or
// of operations, such as "o2", separated by spaces or commas, and the word saved.
func hunks(s *Slash) error {
	for _, word := range strings.FieldsFunc(s.Rest, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) }) {
		if strings.EqualFold(word, "saved") {
			s.Saved = true
			continue
		}
		m := hunkName().FindStringSubmatch(word)
		if m == nil {
			return fmt.Errorf("%q is not a hunk: hunks are named h1, h2 and so on", shorten(word))
		}
		if m[1] != "" {
			n, err := strconv.Atoi(m[1])
			if err != nil || s.Plan != 0 && n != s.Plan {
				return fmt.Errorf("%s is a hunk of another plan: decide on one plan at a time", word)
			}
			s.Plan = n
		}
		s.Args = append(s.Args, m[2])
	}
	s.Rest = ""
	return nil
}

// saved reads the word saved, if it follows.
func saved(s *Slash) error {
	if s.Rest != "" && !strings.EqualFold(s.Rest, "saved") {
		return fmt.Errorf("/%s takes nothing more but the word saved, and %q follows it", s.Name, shorten(s.Rest))
	}
	s.Saved, s.Rest = s.Rest != "", ""
	return nil
}

// anything leaves the rest unchanged.
func anything(*Slash) error { return nil }

func revision(s *Slash) error {
	word, rest := cutWord(s.Rest)
	if s.Plan == 0 || !isNumber(word) || rest != "" {
		return fmt.Errorf("name the plan and the revision to go back to: /rollback N R")
	}
	s.Args, s.Rest = []string{word}, ""
	return nil
}

// rating reads the user's rating of a plan. It refuses a number alone, which could be meant as
// the plan.
func rating(s *Slash) error {
	word, rest := cutWord(s.Rest)
	value, ok := plan.ParseRating(word)
	switch {
	case word == "" && s.Plan != 0:
		return fmt.Errorf("say what you think of it: /rate %d good, bad, or a number from 1 to 5", s.Plan)
	case !ok:
		return fmt.Errorf("a rating is good, bad, or a number from 1 (bad) to 5 (good): /rate [N] good")
	case rest != "":
		return fmt.Errorf("/rate takes one rating, but %q follows it", shorten(rest))
	}
	s.Rating, s.Rest = value, ""
	return nil
}

// oneOf returns a function that reads one of some words, if any follows. refusal has the word that
// does not fit.
func oneOf(words []string, refusal func(word string) error) func(*Slash) error {
	return func(s *Slash) error {
		word := strings.ToLower(s.Rest)
		switch {
		case word == "":
		case slices.Contains(words, word):
			s.Args, s.Rest = []string{word}, ""
		default:
			return refusal(shorten(s.Rest))
		}
		return nil
	}
}

// way reads the way to decide on the conversation's plans.
var way = oneOf([]string{"plan", "ask"}, func(string) error {
	return errors.New("say how to decide: /decide plan (at the end of a turn) or /decide ask (about each edit as it is staged)")
})

// mode reads the mode of the conversation's messages.
var mode = oneOf(Modes, func(word string) error {
	return fmt.Errorf("there is no mode %q: use /mode auto, plan, text, ask or heap", word)
})

// agent reads the name of an agent, if one is given.
var agent = oneWord(func(string, string) error {
	return errors.New("name one agent: /agent NAME, or /agent none, and send the request after it")
})

// turn reads the name of a turn, if one is given.
var turn = oneWord(func(command, rest string) error {
	return fmt.Errorf("/%s takes one turn, but %q follows it", command, rest)
})

// Modes are the names that a user has for what a conversation's messages are about. Each but the
// first is also a slash command, for one message.
var Modes = []string{"auto", "plan", "text", "ask", "heap"}

// SetsMode reports whether a slash command sends its message in the mode of the same name.
func SetsMode(name string) bool { return slices.Contains(Modes[1:], name) }

// fileName reads the name of a file, which may have spaces and may be in quotation marks.
func fileName(s *Slash) error {
	name := s.Rest
	if n := len(name); n > 1 && name[0] == name[n-1] && strings.ContainsRune("\"'`", rune(name[0])) {
		name = name[1 : n-1]
	}
	if name == "" || strings.ContainsAny(name, "\r\n\x00") {
		return errors.New("name the file of the plan: /import FILE, which redline plans export wrote")
	}
	s.Args, s.Rest = []string{name}, ""
	return nil
}

// oneWord returns a function that reads one word, if one is given. refusal is about what follows it.
func oneWord(refusal func(command, rest string) error) func(*Slash) error {
	return func(s *Slash) error {
		if err := template(s); err != nil || s.Rest == "" {
			return err
		}
		return refusal(s.Name, shorten(s.Rest))
	}
}

// template reads the name of a template, if one is given, and leaves what follows it.
func template(s *Slash) error {
	word, rest := cutWord(s.Rest)
	if word != "" {
		s.Args, s.Rest = []string{word}, rest
	}
	return nil
}

// cutWord returns the first word of s and what follows it, trimmed.
func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// shorten returns the start of a text for a message that quotes it.
func shorten(s string) string { return phrase.Start(s, 40) }

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
	WithName                  // the word after /with
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
		switch command, _ := find(strings.ToLower(m[1])); {
		case command.plan && strings.Trim(m[2], "0123456789") == "":
			return at(PlanNumber, m[2], 0)
		case command.word != CommandName:
			return at(command.word, m[2], 0)
		}
	}
	if m := mentionStart().FindStringSubmatch(line); m != nil && strings.Count(body, "`")%2 == 0 {
		return at(MentionedName, m[1], 1)
	}
	return c, false
}

// Commands returns all slash commands, in the order of the help.
func Commands() []Command { return slices.Clone(commands) }
