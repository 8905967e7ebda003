package intent

import (
	"regexp"
	"strings"

	"redline/internal/lazyregexp"
)

// maxGoesOn bounds a message that only says to go on, in bytes.
const maxGoesOn = 80

// goesOn matches a message, in lower case and without its last marks, that says to go on and
// nothing else: words that agree, then what is to go on, then words that are polite.
var goesOn = func() func() *regexp.Regexp {
	const (
		agrees = `(?:yes|yep|yeah|yup|sure|sure thing|ok|okay|k|great|good|perfect|fine|excellent|cool|nice|right|alright|all right|absolutely|definitely|certainly|of course|agreed|please|thanks|thank you|then|well|now|just|and|so|looks good(?: to me)?|lgtm|sounds good|all good|that's it|that is it)`
		it     = `(?:it|that|this|them|these|those|all|all of it|all of them|all of that|everything|(?:the|this|that|your) (?:(?:whole|current) )?plan|plan \d+|(?:the|these|those|your|all|all the) (?:changes|edits))`
		yours  = `(?:you (?:can|may|should) |let's |let us |i(?:'d| would) like you to |i want you to |(?:can|could|would|will) you )?`
		verbs  = `(?:do ` + it + `|do so|go ahead(?: with ` + it + `| and (?:do|apply) ` + it + `)?|go on(?: with ` + it + `)?|go for it|go|proceed(?: with ` + it + `)?|continue(?: with ` + it + `)?|carry on|carry ` + it + ` out|make it so|ship it|(?:apply|approve|accept|execute|implement|run|start)(?: ` + it + `)?|i (?:approve|accept|agree with)(?: ` + it + `)?|` + it + ` (?:works|works for me|is fine|is good|looks good|looks fine|is approved)|works for me|(?:i'm|i am) (?:happy|fine|ok|okay|good) with ` + it + `|i agree|approved|accepted)`
		polite = `(?:please|now|then|thanks|thank you|already|for me|as proposed|as planned|as is|as it is|all the way)`
		sep    = `[,.!;:–—-]*\s+`
	)
	return lazyregexp.New(`^(?:` + agrees + sep + `)*(?:` + agrees + `|` + yours + verbs + `)(?:` + sep + polite + `)*$`)
}()

// GoesOn reports whether a message says, as a whole and in no more words than that, to go on with
// what was proposed: "yes, do it", "LGTM". It approves nothing: only [Approves] finds the phrases
// that do. A message that adds anything ("go ahead, but rename it") is not one.
func GoesOn(text string) bool {
	text = strings.TrimSpace(strings.ReplaceAll(lowerASCII(text), "’", "'"))
	if len(text) > maxGoesOn || strings.ContainsAny(text, "\n?") {
		return false
	}
	text = strings.TrimRight(text, ".! \t")
	return goesOn().MatchString(strings.Join(strings.Fields(text), " "))
}
