package turn

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// normal returns a request without what does not change its meaning:
//
//   - spaces at its ends, and more than one between words;
//   - a full stop or comma at its end, and an exclamation mark after an ordinary word;
//   - "please" at its start or end;
//   - capitals in its first word, if that is an order.
//
// Anything else may be a name: total and Total are two, and so are save and save!, and "a  b" and
// "a b". So the case of other words stays as it is; what is between quotes stays as it is; and a
// request of several lines, which may have code or a list in it, is only trimmed. In "Add fails"
// the first word is no order but what the request is about, so an order must be followed by what
// cannot be its verb. When in doubt the model is asked.
func normal(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if strings.Contains(text, "\n") {
		return text
	}
	text, open := joinSpaces(text)
	if !open {
		text = withoutEnd(text)
	}
	if rest, ok := cutWord(text, "please"); ok && slices.Contains(orders, strings.ToLower(firstWord(rest))) {
		text = rest
	}
	if isOrder(text) {
		first := firstWord(text)
		text = strings.ToLower(first) + text[len(first):]
	}
	return text
}

// joinSpaces replaces several spaces with one, except between quotes. open is true if a quote is
// not closed; then everything after it stays.
func joinSpaces(text string) (joined string, open bool) {
	var b strings.Builder
	last := ' '
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if closes := closing(r, last); closes != 0 {
			end := strings.IndexRune(text[size:], closes)
			if end < 0 {
				b.WriteString(text)
				return b.String(), true
			}
			size += end + utf8.RuneLen(closes)
			b.WriteString(text[:size])
			last, text = closes, text[size:]
			continue
		}
		if r != ' ' || last != ' ' {
			b.WriteString(text[:size])
		}
		last, text = r, text[size:]
	}
	return strings.TrimSpace(b.String()), false
}

// closing returns the quote that closes the one that r opens after before, 0 if r opens none. An
// apostrophe in a word opens none.
func closing(r, before rune) rune {
	switch r {
	case '`', '"':
		return r
	case '\'':
		if unicode.IsLetter(before) || unicode.IsDigit(before) {
			return 0
		}
		return r
	case '“', '„':
		return '”'
	case '‘':
		return '’'
	case '«':
		return '»'
	}
	return 0
}

// withoutEnd removes the punctuation and the "please" at the end of a request.
func withoutEnd(text string) string {
	text = withoutMark(text)
	const word = "please"
	rest := len(text) - len(word)
	if rest < 2 || !strings.EqualFold(text[rest:], word) || text[rest-1] != ' ' {
		return text
	}
	asked := strings.TrimRight(text[:rest], " ")
	if bare := withoutMark(asked); bare != asked {
		return bare
	}
	before := asked[strings.LastIndexByte(asked, ' ')+1:]
	if text[rest:] != word || before == asked || slices.Contains(leading, strings.ToLower(before)) || !isWord(before) && !isName(before) {
		return text // the request may be about the word: rename thanks to please
	}
	return asked
}

// withoutMark removes one punctuation mark from the end of a sentence.
func withoutMark(text string) string {
	bare, mark := text[:max(0, len(text)-1)], text[max(0, len(text)-1):]
	last, _ := utf8.DecodeLastRuneInString(bare)
	switch {
	case mark == "." || mark == ",":
		if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("`\"'”’»)", last) {
			return bare
		}
	case mark == "!" && strings.EqualFold(bare[strings.LastIndexByte(bare, ' ')+1:], "please"):
		return bare // save! is a name
	}
	return text
}

// isOrder reports whether a request begins with a verb that gives an order, and the next words
// show that the verb is not a name about which something is said.
func isOrder(text string) bool {
	first := firstWord(text)
	if !slices.Contains(orders, strings.ToLower(first)) {
		return false
	}
	words := strings.SplitN(strings.TrimPrefix(text[len(first):], " "), " ", 3)
	switch {
	case text == first || words[0] == "":
		return false
	case slices.Contains(determiners, words[0]):
		return true
	case slices.Contains(moving, strings.ToLower(first)) && len(words) == 3 && slices.Contains([]string{"to", "with", "by", "into"}, words[1]):
		return isName(words[0]) || isWord(words[0]) && !mayBeVerb(words[0])
	}
	second, _ := utf8.DecodeRuneInString(words[0])
	return isName(words[0]) || isWord(words[0]) && unicode.IsUpper(second) && !mayBeVerb(words[0])
}

// isName reports whether a word is quoted, or not spelled like an English word.
func isName(word string) bool {
	if word == "" {
		return false
	}
	quoted := strings.ContainsAny(word[:1], "`\"'“‘«")
	return quoted || strings.ContainsAny(word, "_./()") && strings.IndexFunc(word, unicode.IsLetter) >= 0 && !strings.HasSuffix(word, ".") ||
		strings.IndexFunc(word, unicode.IsDigit) > 0 || strings.IndexFunc(word[1:], unicode.IsUpper) >= 0
}

// isWord reports whether a word has letters only.
func isWord(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// mayBeVerb reports whether a word may be the verb of a sentence about one thing: "Move leads to
// a panic".
func mayBeVerb(word string) bool {
	word = strings.ToLower(word)
	return strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ed") || slices.Contains(verbs, word)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// cutWord removes a word, and the space after it, from the start of text.
func cutWord(text, word string) (rest string, ok bool) {
	first := firstWord(text)
	if !strings.EqualFold(strings.TrimSuffix(first, ","), word) || first == text {
		return text, false
	}
	return text[len(first)+1:], true
}

var (
	// orders are verbs that begin requests.
	orders = strings.Fields(`add apply break build bump change check clean comment convert copy create delete describe document drop
		ensure explain export extend extract find fix format generate handle implement improve include inline insert introduce
		make mark merge migrate move optimise optimize port prefix put reduce refactor reformat remove rename reorder replace
		restore return revert review rewrite rework show simplify sort split support swap switch test tidy translate turn
		undo unify update upgrade use validate wrap write`)
	// moving are verbs that change one thing into another.
	moving = strings.Fields("change convert move rename replace swap switch translate turn")
	// determiners are words, in lower case, that begin the object of an order. No sentence has
	// one after its first word if that word is its subject.
	determiners = strings.Fields("a an the this these those all every each some any my our your its their another it them")
	// leading are words that need another word after them.
	leading = strings.Fields(`a an the to with by into as of for from in on at and or not no than is are be called named
		word words say says text string name like before after prefix suffix`)
	// verbs are verbs of a sentence that end in neither s nor ed.
	verbs = strings.Fields(`can cannot could may might must shall should will would ought had did went came led ran got fell threw
		broke took gave made sent left kept saw put set cut hit let read wrote cost spread built became began bent bound bought
		brought caught chose crept dealt drew drove felt fought found forgot froze gone grew grown held hung knew laid lay lent
		lost meant met paid quit rose said sank shot shut slid sold spent split spun stood stuck stole struck swept swung thought
		told tore understood withdrew won wound`)
)
