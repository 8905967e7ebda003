package chat

import (
	"slices"
	"strings"

	"redline/agent/state"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// Route is how a message is handled.
type Route string

// The routes, in the order in which [ChooseRoute] tries them.
const (
	Proceed  Route = "proceed"   // the waiting plan is approved, if the user's own words say so exactly
	OffTopic Route = "off_topic" // the message is declined without asking the model
	Render   Route = "render"    // the plan is shown again
	Text     Route = "text"      // a plan in words, without tools
	Tools    Route = "tools"     // the model works with its tools, and its edits are buffered
)

// Situation has what a route depends on besides the flags.
type Situation struct {
	First     bool // it is the first message of its conversation
	Revisions bool // the conversation has a plan already
	Waiting   bool // a plan waits for a decision
	Asked     bool // the last answer ended with a question that is not about approving: see AsksForMore
}

// ChooseRoute returns the route of a message, and why in a few words.
func ChooseRoute(f state.Intent, s Situation) (r Route, why string) {
	switch {
	case f.Proceed && s.Waiting && !f.Plan && !f.Develop && !f.Operate:
		return Proceed, "it says to continue, and a plan waits"
	case f.OffTopic && !s.First && s.Revisions && !f.Plan && !f.Develop && !f.Operate:
		return OffTopic, "it is not about this workspace"
	case f.Render && s.Revisions:
		return Render, "it asks to see the plan again"
	case f.Plan && !f.Conversational:
		return Text, "it asks for a plan in words"
	}
	return Tools, "it wants " + f.String()
}

// approvals are the phrases that approve, as [Approves] compares them.
var approvals = []string{
	"approve", "approve it", "approve the plan", "i approve",
	"proceed", "please proceed", "yes, proceed",
	"go ahead", "please go ahead", "yes, go ahead",
	"apply it", "apply the plan", "yes, apply it",
}

// Approves reports whether a message is, as a whole, one of the phrases that approve the waiting
// plan. Case, spaces around it and one full stop or exclamation mark at the end do not matter;
// everything else does.
func Approves(text string) bool {
	text = strings.TrimSpace(text)
	if n := len(text); n > 0 && (text[n-1] == '.' || text[n-1] == '!') {
		text = text[:n-1]
	}
	if len(text) > 40 { // longer than any phrase
		return false
	}
	return slices.Contains(approvals, lowerASCII(text))
}

// lowerASCII converts ASCII letters to lower case. Other letters stay, so that a letter that
// only looks like one of a phrase, or folds to one, does not match.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

const (
	polite  = `^(?:(?:please|ok|okay|now|then|also|and|next|so|hi|hello|hey)[,:]?\s+)*`
	request = `(?:(?:can|could|would|will) you\s+(?:please\s+)?|(?:i|we) (?:want|need|would like|'d like) (?:you )?to\s+|let's\s+|let us\s+)?`
	end     = `(?:\s+(?:again|once more|please|now))*\s*[.!?]*$`
)

// The rules search a message in lower case for these.
var (
	rendering = lazyregexp.New(polite + request + `(?:(?:show|display|open|print|render|repeat|see)(?:\s+me)?|what (?:is|was)|what's)\s+(?:the|my|that|this|your|current)?\s*(?:current\s+)?plan` + end)
	planning  = lazyregexp.New(polite + request +
		`(?:(?:make|write|draft|give me|propose|suggest|outline|sketch|prepare|come up with|work out|create)\s+(?:me\s+)?(?:a|an|the|your)\s+(?:[a-z-]+\s+){0,3}plan(?:\s+(?:for|of|to|how|that|which|first|before)\b|[:,.!?]?$|[:,]\s)` +
		`|(?:(?:can|could|may|might) (?:we|i) (?:please )?(?:get|have|see)|(?:i|we)(?:'d| would) (?:like|love|prefer)|(?:i|we) (?:want|need)|is it possible to (?:get|have|see))\s+(?:first\s+)?a\s+(?:[a-z-]+\s+){0,3}plan\b` +
		`|plan\s+(?:how|for|out|a|an|the)\b` +
		`|(?:propose|outline|sketch)\s+(?:how|a way|an approach|the steps|what)\b` +
		`|describe\s+(?:first\s+)?(?:how|what)\s+you\s+would\b)`)
	first     = lazyregexp.New(`\b(?:do not|don't|without) (?:change|changing|edit|editing|touch|touching) anything(?: yet)?\b|\bonly (?:the|a) plan\b|\bplan only\b`)
	talking   = lazyregexp.New(polite + `(?:what|why|how|where|who|whose|when|which|is|are|was|were|does|do|did|has|have|should|explain|tell me|thanks|thank you|hi|hello|hey)\b`)
	elsewhere = lazyregexp.New(polite + request + `(?:tell me a joke|(?:write|sing)(?: me)? (?:a )?(?:poem|song|limerick|haiku)(?: (?:about|on|for) .*)?|(?:what is|what's|how is|how's) the weather(?: like)?(?:\s+(?:today|tomorrow|outside|in [a-z ]+))?|what (?:time|day) is it|what is the capital of [a-z ]+|who won the [a-z ]+|what's for (?:lunch|dinner)|give me a recipe for [a-z ]+)` + end)
	blanks    = lazyregexp.New(`\s+`)
)

// The words with which a request for a change begins, and one to run something.
var (
	developing = wordsOf(`add adapt adjust allow append apply avoid break bring bump change clean comment convert copy correct
		create declare define delete deprecate document drop edit enable disable export extend extract fill
		finish fix format generate handle hide implement improve include indent initialise initialize inline
		insert introduce join let make mark merge migrate modify move optimise optimize port prefix prevent
		put reduce refactor remove rename reorder replace resolve return revert rewrite set shorten simplify
		sort split support swap switch translate trim tidy turn undo update upgrade use validate wrap write`)
	operating = wordsOf(`run execute build compile start stop restart install deploy lint benchmark test`)
)

// opening matches what may come before the first word of a request: its group is without a phrase
// such as "can you", since "let" can be such a word too.
var opening = lazyregexp.New(`(` + polite + `)` + request)

// asksTo reports whether a message in lower case is a request that begins with one of the words:
// "please can you add a test".
func asksTo(words map[string]bool, text string) bool {
	if words[asciiWord(text)] { // most begin so, and need no expression
		return true
	}
	at := opening().FindStringSubmatchIndex(text)
	return words[asciiWord(text[at[3]:])] || words[asciiWord(text[at[1]:])]
}

// asciiWord returns the ASCII word with which a text in lower case begins, as \b would end it.
func asciiWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_') })
	if end < 0 {
		return text
	}
	return text[:end]
}

// hasAny reports whether a text has one of the parts. The rules ask it before they compile an
// expression that every match of it would have one of: that costs more than all else that they do.
func hasAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// maxRead is how many bytes of a message the rules read, since its beginning says what it wants.
const maxRead = 2000

// RulesIn classifies a message like [Rules], in the state of its conversation: if the model has
// asked something, a message that only agrees may be the reply.
func RulesIn(text string, s Situation) (state.Intent, string) {
	if s.Asked && !Approves(text) && OnlyAgrees(text) {
		return state.Intent{}, "it may be the reply to what was asked"
	}
	return Rules(text)
}

// Rules classifies a message by its words, and names them in why. It sets no flag for a message
// that it does not understand: that goes to the model with its tools.
func Rules(text string) (f state.Intent, why string) {
	if Approves(text) {
		return state.Intent{Proceed: true}, "it is a phrase that approves"
	}
	if GoesOn(text) {
		return state.Intent{Proceed: true}, "it only says to continue"
	}
	cut := text[:min(len(text), maxRead)]
	whole := len(cut) == len(text)
	words := strings.ReplaceAll(strings.ToLower(strings.ToValidUTF8(cut, "")), "’", "'")
	words = strings.TrimSpace(blanks().ReplaceAllString(words, " "))
	switch {
	case words == "":
		return f, "it has no words"
	case whole && strings.Contains(words, "plan") && rendering().MatchString(words):
		f.Render, why = true, "it asks to see the plan"
	case hasAny(words, "plan", "propose", "outline", "sketch", "describe") && planning().MatchString(words),
		hasAny(words, "anything", "plan") && first().MatchString(words):
		f.Plan, why = true, "it asks for a plan first"
	case whole && hasAny(words, "joke", "poem", "song", "limerick", "haiku", "weather", "what time", "what day", "capital", "who won", "lunch", "dinner", "recipe") &&
		elsewhere().MatchString(words):
		f.OffTopic, f.Conversational, why = true, true, "it is about something else"
	case asksTo(developing, words):
		f.Develop, why = true, "it begins with a word for a change"
	case asksTo(operating, words):
		f.Operate, why = true, "it begins with a word for something to run"
	case talking().MatchString(words) || strings.HasSuffix(words, "?"):
		f.Conversational, why = true, "it reads like a question"
	default:
		why = "no rule knows its words"
	}
	return f, why
}

// sentence matches the end of a sentence or of a part of one.
var sentence = lazyregexp.New(`[.?!;:]+\s+|\n|,\s+|\s(?:and|then|please)\s+`)

// OnlyAsks reports whether a message with these flags is only a question, so that the user wants
// no change. The rules set the flags by its first words, so OnlyAsks also requires that none of
// its other sentences begins with a word for a change. Lines of code and of a diff are not
// sentences.
func OnlyAsks(f state.Intent, text string) bool {
	if !f.Conversational || f.Plan || f.Develop || f.Operate || f.Proceed {
		return false
	}
	var code fence.Reader
	for line := range strings.Lines(text[:min(len(text), maxRead)]) {
		if code.Next(strings.TrimRight(line, "\r\n")) || line == "" || strings.ContainsAny(line[:1], "+-@<>=*#`~ \t|") {
			continue
		}
		for _, words := range sentence().Split(strings.ToLower(line), -1) {
			if asksTo(developing, words) || asksTo(operating, words) {
				return false
			}
		}
	}
	return true
}
