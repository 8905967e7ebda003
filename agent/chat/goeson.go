package chat

import (
	"regexp"
	"strings"

	"redline/internal/lazyregexp"
)

// maxGoesOn is how many bytes a message may have that only says to continue.
const maxGoesOn = 80

// goesOn matches an English message, in lower case and without its final punctuation, that only
// says to continue: words that agree, then what should continue, then polite words. "Go on" and
// "continue" are not among them, since they may also ask the model for more.
var goesOn = func() func() *regexp.Regexp {
	const (
		agrees = `(?:yes|yep|yeah|yup|sure|sure thing|ok|okay|k|great|good|perfect|fine|excellent|cool|nice|right|alright|all right|absolutely|definitely|certainly|of course|agreed|please|thanks|thank you|then|well|now|just|and|so|looks good(?: to me)?|lgtm|sounds good|all good|that's it|that is it)`
		plan   = `(?:(?:the|this|that|your) (?:(?:whole|current) )?plan|plan \d+|(?:the|these|those|your|all|all the) (?:changes|edits))`
		it     = `(?:it|that|this|them|these|those|all|all of it|all of them|all of that|everything|` + plan + `)`
		yours  = `(?:you (?:can|may|should) |let's |let us |i(?:'d| would) like you to |i want you to |(?:can|could|would|will) you (?:please )?)?`
		verbs  = `(?:do ` + it + `|do so|go ahead(?: with ` + it + `| and (?:do|apply) ` + it + `)?|go for it|go|proceed(?: with ` + it + `)?|(?:continue|go on|carry on|run|start)(?: with)? ` + plan + `|carry ` + it + ` out|make it so|ship it|(?:apply|approve|accept|execute|implement)(?: ` + it + `)?|i (?:approve|accept|agree with)(?: ` + it + `)?|` + it + ` (?:works|works for me|is fine|is good|looks good|looks fine|is approved)|works for me|(?:i'm|i am) (?:happy|fine|ok|okay|good) with ` + it + `|i agree|approved|accepted)`
		polite = `(?:please|now|then|thanks|thank you|already|for me|as proposed|as planned|as is|as it is|all the way)`
		sep    = `[,.!;:–—-]*\s+`
	)
	return lazyregexp.New(`^(?:` + agrees + sep + `)*(?:` + agrees + `|` + yours + verbs + `)(?:` + sep + polite + `)*$`)
}()

var (
	// politely matches a request in the form of a question.
	politely = lazyregexp.New(`^(?:please,? )?(?:can|could|would|will) you\b`)
	// aboutThePlan matches words that can only mean a plan.
	aboutThePlan = lazyregexp.New(`\b(?:plan|changes|edits|apply|approved?|accept(?:ed)?|proceed|execute|implement|lgtm|ship it)\b`)
)

// GoesOn reports whether a message says, as a whole and with no other words, to continue with
// what was proposed: "yes, do it", "LGTM", "ja, mach das". It approves nothing: only [Approves]
// finds the phrases that do. A message that adds anything ("go ahead, but rename it") does not
// count.
func GoesOn(text string) bool {
	words := plainWords(text)
	return words != "" && (beginnings[firstWord(words)] && goesOn().MatchString(words) || agreesElsewhere(words))
}

// beginnings has the words with which a match of goesOn can begin. Compiling and running that expression
// allocates more than all else in a short turn, and most messages begin with another word.
var beginnings = wordsOf(`yes yep yeah yup sure ok okay k great good perfect fine excellent cool nice right alright all absolutely definitely
	certainly of agreed please thanks thank then well now just and so looks lgtm sounds that's that you let's let i i'd can could would
	will do go proceed continue carry run start make ship apply approve accept execute implement it this them these those everything the
	your plan works i'm approved accepted`)

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	return words
}

// firstWord returns the letters and apostrophes with which a text begins.
func firstWord(text string) string {
	for i := range len(text) {
		if c := text[i]; c != '\'' && (c < 'a' || c > 'z') {
			return text[:i]
		}
	}
	return text
}

// OnlyAgrees reports whether a message says to continue without naming anything. It may also
// answer a question that was asked meanwhile.
func OnlyAgrees(text string) bool {
	return GoesOn(text) && !aboutThePlan().MatchString(plainWords(text))
}

// AsksForMore reports whether an answer ends with a question that is not about approving, so
// that "yes" may be the reply to it.
func AsksForMore(answer string) bool {
	answer = strings.TrimRight(answer, " \t\r\n*_`)")
	if !strings.HasSuffix(answer, "?") {
		return false
	}
	asked := answer[strings.LastIndexAny(answer[:len(answer)-1], ".!?\n")+1:]
	return !aboutThePlan().MatchString(strings.ToLower(asked))
}

// plainWords returns a message in lower case, with single spaces and without the punctuation at
// its end. A raised thumb and similar signs become words. It returns "" for a question, and for
// a message that is too long.
func plainWords(text string) string {
	if len(text) > maxGoesOn || strings.ContainsRune(strings.TrimSpace(text), '\n') {
		return ""
	}
	text = strings.ToLower(signs.Replace(text))
	text = strings.Join(strings.Fields(text), " ")
	bare := strings.TrimRight(text, ".!?。！？ ")
	if strings.ContainsAny(bare, "?？") || strings.ContainsAny(text[len(bare):], "?？") && !politely().MatchString(bare) {
		return ""
	}
	return bare
}

// signs are what people write instead of a word, and marks that look alike.
var signs = strings.NewReplacer("’", "'", "👍", " ok ", "👌", " ok ", "✅", " ok ", "🚀", " ", "🙏", " please ", "🙂", " ", "😊", " ", "\ufe0f", "",
	"🏻", "", "🏼", "", "🏽", "", "🏾", "", "🏿", "")
